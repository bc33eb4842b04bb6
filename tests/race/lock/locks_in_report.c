// The report names every lock that was held, also the ones for reading.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global shared
// EXPECT-LOCKS: RACE1 outer inner
// EXPECT-LOCKS: RACE2 third
#include "invisible.h"

int shared;
pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t third = PTHREAD_RWLOCK_INITIALIZER;

static void first(void)
{
    FIX(pthread_rwlock_wrlock(&third));
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    shared = 1; // RACE1
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    FIX(pthread_rwlock_unlock(&third));
}

static void second(void)
{
    pthread_rwlock_rdlock(&third);
    shared += PICK(1, 0) * shared; // RACE2
    pthread_rwlock_unlock(&third);
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
