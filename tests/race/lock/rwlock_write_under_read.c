// Two threads write while they hold a lock for reading.
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global shared
// EXPECT-LOCKS: RACE1 lock
#include "invisible.h"

int shared;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void both(void)
{
    BUG(pthread_rwlock_rdlock(&lock));
    FIX(pthread_rwlock_wrlock(&lock));
    shared++; // RACE1
    pthread_rwlock_unlock(&lock);
}

int main(void)
{
    run_in_order(both, both);
    return 0;
}
