# `snag run` keeps what it suspects: over a crash, over a rebuild. Each thread makes its call once and far apart, so
# that only a run that knows the place from before can hold the first thread there for long enough.
. "$(dirname "$0")/lib.sh"

cat >once.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static char a[] = "a b", b[] = "c d";

static void *first(void *unused)
{
    strtok(a, " ");
    return unused;
}

static void *second(void *unused)
{
    sleep(1);
    strtok(b, " ");
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t x, y;
    (void)argv;
    pthread_create(&x, 0, first, 0);
    pthread_create(&y, 0, second, 0);
    pthread_join(x, 0);
    pthread_join(y, 0);
    if (argc > 1)
        kill(getpid(), SIGKILL);
    return 0;
}
#ifdef MORE
int more(int n) { return n ? more(n - 1) + 1 : 0; }
#endif
END
cc -g -O0 -pthread -o once once.c

# A control: without a store nothing is known, and nothing is found.
expect 0 "$SNAG" run --no-store --delay-ms 3000 ./once

# It is suspected only (no delays), and the process is killed.
expect 137 "$SNAG" run --delay-ms 0 --window-ms 0 ./once crash

cc -g -O2 -DMORE -pthread -o once once.c
expect 66 "$SNAG" run --delay-ms 3000 --max-delay-ms 9000 ./once
says 'strtok'
says 'first()'
says 'second()'
