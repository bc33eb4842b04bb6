/* figure1.c: figure 1 of the RaceFuzzer paper: the race on z is real, what looks like one on x is not. */
// EXPECT: confirmed data-race harmful `z`
// EXPECT: effect aborted: ERROR1
// ABSENT: `x`
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int x, y, z;
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
    x = 1; /* line 1 of the figure */
    pthread_mutex_lock(&l);
    y = 1;
    pthread_mutex_unlock(&l);
    if (z == 1) { /* line 5 */
        fprintf(stderr, "ERROR1\n");
        abort();
    }
    return arg;
}

static void *other(void *arg)
{
    z = 1; /* line 7 */
    pthread_mutex_lock(&l);
    if (y == 1) {
        int seen = x; /* line 10 of the figure */
        if (seen != 1)
            abort(); /* ERROR2 */
    }
    pthread_mutex_unlock(&l);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
