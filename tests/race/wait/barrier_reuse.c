// A barrier used in every round; without it, a thread reads its neighbour's slot too early.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global slot
#include "invisible.h"

enum { THREADS = 4, ROUNDS = 20 };
int slot[THREADS], sum[THREADS];
pthread_barrier_t barrier;

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    for (int r = 0; r < ROUNDS; r++) {
        slot[me] = r; // RACE1
        FIX(pthread_barrier_wait(&barrier));
        sum[me] += slot[(me + 1) % THREADS]; // RACE2
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
