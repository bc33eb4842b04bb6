# --memory-limit: shadow beyond it is given up, and said so; the program goes on, what is within it is checked.
. "$(dirname "$0")/lib.sh"
cat >large.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { BYTES = 16 << 20 };
static int early;
static unsigned char *large;
static void *worker(void *arg)
{
    early++;
    unsigned char *half = large + (long)arg * (BYTES / 2);
    for (long i = 0; i < BYTES / 2; i += 512)
        half[i] = 1;
    memset(half, 1, BYTES / 2);
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    unsigned long sum = 0;
    large = malloc(BYTES);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (long i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (long i = 0; i < BYTES; i++)
        sum += large[i];
    printf("%lu\n", sum);
    return 0;
}
EOF
"$SNAG" cc -g -pthread -o large large.c
used() { sed -n 's/^snag: shadow_bytes: //p' "$err"; }

expect 66 "$SNAG" race --no-store --stats ./large
prints '^16777216$'
[ "$(used)" -gt 32000000 ] || fail "all of it has shadow: $(used)"
says 'lost_shadow: 0$'

expect 66 "$SNAG" race --no-store --stats --memory-limit 8 ./large
prints '^16777216$'
says 'data race on `early`'
[ "$(used)" -le $((9 << 20)) ] || fail "more than the limit: $(used)"
says 'not checked: no shadow memory'
says 'memory-limit'

# Many threads, and memory that is given back: it counts no more.
cat >cycle.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
enum { THREADS = 64, ROUNDS = 3, BYTES = 1 << 20 };
static int early;
static void *worker(void *arg)
{
    early++;
    for (int i = 0; i < ROUNDS; i++) {
        char *p = malloc(BYTES);
        for (int at = 0; at < BYTES; at += 4096)
            p[at] = (char)i;
        free(p);
    }
    return arg;
}
int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 3;
}
EOF
"$SNAG" cc -g -pthread -o cycle cycle.c

# The hybrid detector counts alike; its candidates are no findings, so the status is the program's.
expect 0 "$SNAG" race --no-store --stats --detector hybrid ./large
prints '^16777216$'
[ "$(used)" -gt 64000000 ] || fail "all of it has shadow: $(used)"
says 'lost_shadow: 0$'

for limit in 1 8; do
    for filter in none span tree; do
        expect 0 "$SNAG" race --no-store --stats --json out.json --detector hybrid --filter $filter \
            --memory-limit $limit ./large
        prints '^16777216$'
        grep -q '`early`' out.json || fail "no candidate on early, limit $limit, filter $filter"
        [ "$(used)" -le $((limit << 20)) ] || fail "more than the limit of $limit: $(used)"
        says 'not checked: no shadow memory'
        says 'memory-limit'
    done
done

for detector in fasttrack hybrid; do
    for limit in 1 2 16; do
        case $detector in hybrid) wanted=3 ;; *) wanted=66 ;; esac
        expect $wanted "$SNAG" race --no-store --stats --json out.json --detector $detector \
            --memory-limit $limit ./cycle
        grep -q '`early`' out.json || fail "nothing on early, $detector, limit $limit"
        [ "$(used)" -le $(((limit << 20) + (64 << 16))) ] || fail "$detector, limit $limit: $(used)"
    done
done
