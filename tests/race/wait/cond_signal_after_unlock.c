// Signalling after the unlock is fine; looking at the predicate without the mutex is not.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global ready
#include "invisible.h"

int ready, data, seen;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void first(void)
{
    data = 1;
    pthread_mutex_lock(&mutex);
    ready = 1; // RACE1
    pthread_mutex_unlock(&mutex);
    pthread_cond_broadcast(&cond);
}

static void second(void)
{
    BUG(seen = ready;) // RACE2
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    seen = data;
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
