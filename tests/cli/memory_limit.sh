# --memory-limit: shadow beyond it is given up, and said so; the program goes on, what is within it is checked.
. "$(dirname "$0")/lib.sh"
cat >large.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { BYTES = 48 << 20 };
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
prints '^50331648$'
[ "$(used)" -gt 90000000 ] || fail "all of it has shadow: $(used)"
says 'lost_shadow: 0$'

expect 66 "$SNAG" race --no-store --stats --memory-limit 8 ./large
prints '^50331648$'
says 'data race on `early`'
[ "$(used)" -le $((9 << 20)) ] || fail "more than the limit: $(used)"
says 'not checked: no shadow memory'
says 'memory-limit'
