# Narrow limits of the shell. A small stack is enough; where the size of files is limited, the
# program is not killed by what snag writes, and the command says what stopped it.
. "$(dirname "$0")/lib.sh"
build_race

# limited LIMIT STATUS COMMAND…
limited() {
    limit=$1
    shift
    expect "$1" sh -c "ulimit -c 0; ulimit $limit; shift; exec \"\$@\"" sh "$@"
}

limited "-s 64" 66 "$SNAG" hunt ./race
says 'confirmed'
limited "-s 64" 66 "$SNAG" fuzz ./race
limited "-s 64" 66 "$SNAG" race ./race
limited "-s 64" 66 "$SNAG" predict ./race
try sh -c 'ulimit -s 64; exec "$@"' sh "$SNAG" check race.c
[ "$status" = 66 ] || says 'ended by signal.*ulimit -s' # the compiler, then, not snag
limited "-s 64" 0 "$SNAG" race ./fixed
limited "-s 64" 0 "$SNAG" race sh -c './fixed && test "$(ulimit -s)" = 64'
silent

# The size of files, in blocks of 512 bytes for this shell: none at all, some, enough.
for command in race run predict hunt; do
    limited "-f 8" 125 "$SNAG" $command --no-store ./fixed
    says 'no more than 4096 bytes.*ulimit -f'
    [ ! -s "$out" ] || fail "the program was run"
done
limited "-f 128" 125 "$SNAG" race --store small ./race
says 'counter' # the report is printed all the same
says 'cut at 65536 bytes.*ulimit -f'
prints 'done'
limited "-f 400" 125 "$SNAG" predict --no-store ./fixed
says 'could not begin its trace.*ulimit -f'
prints 'done'
limited "-f 128" 66 "$SNAG" race --no-store ./race
limited "-f 128" 0 "$SNAG" race --no-store ./fixed
limited "-f 8000" 66 "$SNAG" hunt --no-store ./race

# A trace that is longer than a file may be: the program runs to its end all the same.
cat >many.c <<'END'
#include <pthread.h>
#include <stdio.h>
volatile int shared[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    for (int i = 0; i < 40000; i++) {
        pthread_mutex_lock(&lock);
        shared[i % 64]++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    shared[0] = 1;
    pthread_create(&t, 0, work, 0);
    shared[0]++;
    work(0);
    pthread_join(t, 0);
    puts("done");
    return 0;
}
END
"$SNAG" cc -O1 -pthread -o many many.c
limited "-f 640" 125 "$SNAG" predict --no-store ./many
prints 'done'
says 'cut at 327680 bytes.*ulimit -f'

# What the program itself sees of the limit is as it was.
cat >own.c <<'END'
#include <fcntl.h>
#include <unistd.h>
static char block[65536];
int main(void)
{
    int fd = open("own.out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; i < 100; i++)
        if (write(fd, block, sizeof block) < 0)
            return 1;
    return 0;
}
END
"$SNAG" cc -O1 -pthread -o own own.c
limited "-f 1024" 153 ./own
limited "-f 1024" 153 "$SNAG" race --no-store ./own
