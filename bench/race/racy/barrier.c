/*
 * Between two barriers both threads write the same variables: barriers order what is before them
 * with what is after them, not what is between. A detector that lets a thread which is late to
 * leave the first barrier take over the clock of one that has reached the second is blind here.
 *
 * pairs: near-near_too far-far_too
 */
#include "hidden.h"

pthread_barrier_t barrier;
int near, far;

static void *early(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&barrier);
    near = 1; /* [near] */
    far = 1;  /* [far] */
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void *late(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&barrier);
    near = 2; /* [near_too] */
    far++;    /* [far_too] */
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_barrier_init(&barrier, NULL, 2);
    if (pthread_create(&threads[0], NULL, early, NULL) ||
        pthread_create(&threads[1], NULL, late, NULL))
        return 1;
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_barrier_destroy(&barrier);
    return near == 0;
}
