// A recursive lock is held until its last unlock, a try lock is a lock, and the order of locking does
// not matter.
// OPTIONS: --detector hybrid
// EXPECT-EXIT: 0
// PEER: tsan may-miss: it counts the order of locks and of atomics
// EXPECT: data-race INNER/write LATE/write
#include "invisible.h"

int shared;
pthread_mutex_t mutex, other = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&other);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    shared = 1; // INNER
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&other);
}

static void second(void)
{
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    if (pthread_mutex_trylock(&mutex))
        return;
    BUG(pthread_mutex_unlock(&mutex);)
    shared = 2; // LATE
    FIX(pthread_mutex_unlock(&mutex);)
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attr);
    run_in_order(first, second);
    return 0;
}
