// The serial thread of a barrier goes on with everybody's work.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global part
#include "invisible.h"

enum { THREADS = 4 };
int part[THREADS], total;
pthread_barrier_t barrier, other[THREADS];

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    hidden_wait_times(0, me);
    part[me] = 1; // RACE1
    hidden_post(0);
    int serial = pthread_barrier_wait(PICK(&other[me], &barrier)) != 0;
    BUG(serial = me == THREADS - 1);
    if (serial) {
        for (int i = 0; i < THREADS; i++)
            total += part[i]; // RACE2
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_barrier_init(&other[i], NULL, 1);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    pthread_barrier_destroy(&barrier);
    return total - THREADS;
}
