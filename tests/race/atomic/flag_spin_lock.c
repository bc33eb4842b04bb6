// A spin lock of atomic_flag; clearing it without release order breaks it.
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global counter
#include <stdatomic.h>
#include "invisible.h"

int counter;
atomic_flag lock = ATOMIC_FLAG_INIT;

static void both(void)
{
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        ;
    counter++; // RACE1
    atomic_flag_clear_explicit(&lock, PICK(memory_order_relaxed, memory_order_release));
}

int main(void)
{
    run_in_order(both, both);
    return counter - 2;
}
