// A trylock that fails gives nothing: going on without the lock is a race.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global shared
// EXPECT-LOCKS: RACE2 -
#include "invisible.h"

int shared;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *holder(void *arg)
{
    pthread_mutex_lock(&mutex);
    shared = 1; // RACE1
    hidden_post(0);
    BUG(hidden_wait(1));
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *hasty(void *arg)
{
    hidden_wait(0);
    int busy = pthread_mutex_trylock(&mutex);
    FIX(while (busy) busy = pthread_mutex_trylock(&mutex));
    shared = 2; // RACE2
    hidden_post(1);
    if (!busy)
        pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, holder, NULL);
    pthread_create(&b, NULL, hasty, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
