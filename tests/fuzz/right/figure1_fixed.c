/* figure1_fixed.c: figure 1 with the race on z taken out; x is still guarded by y alone. */
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
    pthread_mutex_lock(&l);
    z++;
    pthread_mutex_unlock(&l);
    return arg;
}

static void *other(void *arg)
{
    (void)z;
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
