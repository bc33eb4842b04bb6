// A thread is cancelled while it waits for a condition: its cleanup holds the mutex again.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global cleaned
// EXPECT-LOCKS: RACE1 mutex
#include "invisible.h"

int cleaned;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void cleanup(void *arg)
{
    cleaned = 1; // RACE1
    pthread_mutex_unlock(arg);
    hidden_post(1);
}

static void *waiter(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(cleanup, &mutex);
    hidden_post(0);
    for (;;)
        pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(1);
    return arg;
}

int main(void)
{
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, waiter, NULL);
    hidden_wait(0);
    pthread_cancel(t);
    hidden_wait(1);
    FIX(pthread_mutex_lock(&mutex));
    int seen = cleaned; // RACE2
    FIX(pthread_mutex_unlock(&mutex));
    pthread_join(t, &result);
    return !seen || result != PTHREAD_CANCELED;
}
