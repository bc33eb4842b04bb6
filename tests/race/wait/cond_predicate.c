// The predicate of a condition must be changed under the mutex.
// EXPECT: data-race RACE1/read RACE2/write
// EXPECT-OBJECT: global ready
#include "invisible.h"

int ready, data, seen;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (!ready) { // RACE1
        hidden_post(0);
        pthread_cond_wait(&cond, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    hidden_wait(0);
    FIX(pthread_mutex_lock(&mutex));
    ready = 1; // RACE2
    FIX(pthread_mutex_unlock(&mutex));
    pthread_mutex_lock(&mutex); /* the waiter waits by now */
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
