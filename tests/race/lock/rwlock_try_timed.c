// trywrlock, tryrdlock, timedwrlock and timedrdlock take the lock when they say so.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global shared
#include <stdlib.h>
#include <time.h>
#include "invisible.h"

int shared, seen;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void first(void)
{
    struct timespec past = {0, 0};
    if (pthread_rwlock_trywrlock(&lock) || !pthread_rwlock_tryrdlock(&lock))
        abort();
    FIX(shared = 1);
    if (!pthread_rwlock_timedwrlock(&lock, &past) || !pthread_rwlock_timedrdlock(&lock, &past))
        abort();
    pthread_rwlock_unlock(&lock);
    BUG(shared = 1;) // RACE1
}

static void second(void)
{
    struct timespec past = {0, 0};
    if (pthread_rwlock_timedrdlock(&lock, &past) || pthread_rwlock_tryrdlock(&lock))
        abort();
    seen = shared; // RACE2
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    if (pthread_rwlock_timedwrlock(&lock, &past))
        abort();
    shared = 2; // RACE2
    pthread_rwlock_unlock(&lock);
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
