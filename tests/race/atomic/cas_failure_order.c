// A failing compare-exchange is a load with the failure order.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <stdatomic.h>
#include "invisible.h"

int data, seen;
atomic_int state;

static void first(void)
{
    data = 1; // RACE1
    atomic_store_explicit(&state, 1, memory_order_release);
}

static void second(void)
{
    int expected = 0;
    atomic_compare_exchange_strong_explicit(&state, &expected, 2, memory_order_acq_rel,
                                            PICK(memory_order_relaxed, memory_order_acquire));
    if (expected == 1)
        seen = data; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
