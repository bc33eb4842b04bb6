// 1,000 threads alive at once, all through one mutex; the first and the last race.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global ends
// TIMEOUT: 120
// PEER: tsan may-miss: the first write is evicted by its neighbour
#include <limits.h>
#include "invisible.h"

enum { THREADS = 1000 };
int ends, count;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    long n = (long)arg;
    hidden_meet(0, THREADS);
    pthread_mutex_lock(&mutex);
    FIX(if (n == 0) ends = 1);
    count++;
    pthread_mutex_unlock(&mutex);
    BUG(if (n == 0) ends = 1;) // RACE1
    hidden_meet(1, THREADS);
    FIX(pthread_mutex_lock(&mutex));
    if (n == THREADS - 1)
        ends = 2; // RACE2
    FIX(pthread_mutex_unlock(&mutex));
    return NULL;
}

int main(void)
{
    static pthread_t t[THREADS];
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 256 << 10);
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&t[i], &attr, worker, (void *)i))
            return 2;
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return count != THREADS;
}
