// A barrier separates writing from reading.
// EXPECT: data-race WRITE/write READ/read
#include "../twin.h"

static pthread_barrier_t barrier;
static int cell[2], sum[2];

static void *work(void *arg)
{
    long me = (long)arg;
    for (int round = 0; round < 2; round++) {
        cell[me] = round; // WRITE
        FIX(pthread_barrier_wait(&barrier));
        sum[me] += cell[1 - me]; // READ
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_barrier_init(&barrier, NULL, 2);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_barrier_destroy(&barrier);
    return sum[0];
}
