// Spin locks, taken by lock and by trylock.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global shared
// EXPECT-LOCKS: RACE1 lock
#include <stdlib.h>
#include "invisible.h"

int shared;
pthread_spinlock_t lock;

static void first(void)
{
    pthread_spin_lock(&lock);
    shared++; // RACE1
    pthread_spin_unlock(&lock);
}

static void second(void)
{
    FIX(if (pthread_spin_trylock(&lock)) abort());
    shared++; // RACE2
    FIX(pthread_spin_unlock(&lock));
}

int main(void)
{
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    run_in_order(first, second);
    pthread_spin_destroy(&lock);
    return 0;
}
