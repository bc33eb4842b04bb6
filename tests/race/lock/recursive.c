// A recursive mutex is free again only after the last unlock.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global shared
#include "invisible.h"

int shared;
pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void first(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_trylock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
    FIX(shared = 1); /* still held once */
    pthread_mutex_unlock(&mutex);
    BUG(shared = 1;) // RACE1
}

static void second(void)
{
    pthread_mutex_lock(&mutex);
    shared = 2; // RACE2
    pthread_mutex_unlock(&mutex);
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
