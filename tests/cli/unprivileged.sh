# Root's program may become someone else, and start children then: all are watched.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "needs root, to give rights away"
cat >drop.c <<'END'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
int before, after;
#define RACE_ON(variable)                                      \
    static void *work_##variable(void *p)                      \
    {                                                          \
        variable++;                                            \
        return p;                                              \
    }                                                          \
    static void race_##variable(void)                          \
    {                                                          \
        pthread_t t;                                           \
        pthread_create(&t, 0, work_##variable, 0);             \
        variable++;                                            \
        pthread_join(t, 0);                                    \
    }
RACE_ON(before)
RACE_ON(after)
int main(void)
{
    race_before();
    if (setgid(65534) || setuid(65534))
        return 1;
    pid_t child = fork();
    if (child == 0) {
        race_after();
        _exit(0);
    }
    waitpid(child, 0, 0);
    return 0;
}
END
"$SNAG" cc -O1 -pthread -o drop drop.c
for folder in closed open; do
    [ $folder = closed ] || chmod 755 .
    expect 66 "$SNAG" race --store $folder ./drop
    says '`before`'
    says '`after`'
    [ ! -e $folder/runs ] || [ -z "$(ls $folder/runs)" ] || fail "run files are left: $(ls $folder/runs)"
done
