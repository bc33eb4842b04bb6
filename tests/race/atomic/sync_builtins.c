// The old __sync builtins are full barriers; a lock of them orders.
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global counter
#include "invisible.h"

int counter, lock;
long tickets;

static void both(void)
{
    FIX(while (__sync_lock_test_and_set(&lock, 1)));
    __sync_synchronize();
    counter++; // RACE1
    FIX(__sync_lock_release(&lock));
}

int main(void)
{
    run_in_order(both, both);
    return counter - 2;
}
