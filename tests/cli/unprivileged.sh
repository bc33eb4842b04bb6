# Root's program may become someone else, and start children then: all are watched.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "needs root, to give rights away"
cat >drop.c <<'END'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
int before, after;
static void *work(void *p)
{
    ++*(int *)p;
    return 0;
}
static void race_on(int *p)
{
    pthread_t t;
    pthread_create(&t, 0, work, p);
    ++*p;
    pthread_join(t, 0);
}
int main(void)
{
    race_on(&before);
    if (setgid(65534) || setuid(65534))
        return 1;
    pid_t child = fork();
    if (child == 0) {
        race_on(&after);
        _exit(0);
    }
    waitpid(child, 0, 0);
    return 0;
}
END
"$SNAG" cc -O1 -pthread -o drop drop.c
expect 66 "$SNAG" race ./drop
says 'before'
says 'after'
[ -z "$(ls .snag/runs)" ] || fail "run files are left: $(ls -R .snag/runs)"
