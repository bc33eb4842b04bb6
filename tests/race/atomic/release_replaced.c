// The acquire load sees a release store of a third thread, which took nothing over from the first.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <stdatomic.h>
#include "invisible.h"

int data, seen;
atomic_int flag;

static void first(void)
{
    data = 1; // RACE1
    atomic_store_explicit(&flag, 1, memory_order_release);
}

static void second(void)
{
    FIX(atomic_load_explicit(&flag, memory_order_acquire));
    atomic_store_explicit(&flag, 2, memory_order_release);
}

static void third(void)
{
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
        seen = data; // RACE2
}

int main(void)
{
    run_three_in_order(first, second, third);
    return seen - 1;
}
