// Two read-modify-writes: relaxed ones order nothing, acq_rel ones do, in both directions.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <stdatomic.h>
#include "invisible.h"

int data, seen;
atomic_long count;

static void first(void)
{
    data = 1; // RACE1
    atomic_fetch_add_explicit(&count, 1, PICK(memory_order_relaxed, memory_order_acq_rel));
}

static void second(void)
{
    atomic_fetch_add_explicit(&count, 1, PICK(memory_order_relaxed, memory_order_acq_rel));
    seen = data; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
