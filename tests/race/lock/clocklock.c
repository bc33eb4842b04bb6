// pthread_mutex_clocklock and the clock variants of rwlocks are locks.
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global shared
// EXPECT: data-race RACE2 RACE2
// EXPECT-OBJECT: global guarded
// PEER: tsan may-alarm: not known to older ones
// PEER: clang-tsan may-miss: reports one race of a granule
#include <time.h>
#include "invisible.h"

int shared, guarded;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void both(void)
{
    FIX(struct timespec later);
    FIX(clock_gettime(CLOCK_MONOTONIC, &later));
    FIX(later.tv_sec += 1000);
    FIX(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &later));
    shared++; // RACE1
    FIX(pthread_mutex_unlock(&mutex));
    FIX(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &later));
    guarded++; // RACE2
    FIX(pthread_rwlock_unlock(&lock));
    FIX(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &later));
    FIX(pthread_rwlock_unlock(&lock));
}

int main(void)
{
    run_in_order(both, both);
    return 0;
}
