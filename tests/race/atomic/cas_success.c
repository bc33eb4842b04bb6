// A successful compare-exchange has its success order.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <stdatomic.h>
#include "invisible.h"

int data, seen;
atomic_int state;
#define ORDER PICK(memory_order_relaxed, memory_order_acq_rel)

static void first(void)
{
    int expected = 0;
    data = 1; // RACE1
    atomic_compare_exchange_strong_explicit(&state, &expected, 1, ORDER, memory_order_relaxed);
}

static void second(void)
{
    int expected = 1;
    while (
        !atomic_compare_exchange_weak_explicit(&state, &expected, 2, ORDER, memory_order_relaxed))
        expected = 1;
    seen = data; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
