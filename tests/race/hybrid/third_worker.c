// Three workers write at one place. Two are joined before main writes, the third is not: it is the one
// that the candidate is with, so no filter may keep two workers and forget the third.
// OPTIONS: --detector hybrid
// EXPECT-EXIT: 0
// PEER: tsan may-miss: it counts the order of locks and of atomics
// EXPECT: data-race WORKER/write MAIN/write
#include "invisible.h"

int shared;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    pthread_mutex_lock(&mutex);
    shared = 1; // WORKER
    pthread_mutex_unlock(&mutex);
    hidden_post(0);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++) {
        pthread_create(&t[i], NULL, worker, NULL);
        hidden_wait_times(0, i + 1);
    }
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    FIX(pthread_join(t[2], NULL);)
    pthread_mutex_lock(&other);
    shared = 2; // MAIN
    pthread_mutex_unlock(&other);
    BUG(pthread_join(t[2], NULL);)
    return 0;
}
