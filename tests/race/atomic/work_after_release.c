// What comes after the release store is not ordered by it.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <stdatomic.h>
#include "invisible.h"

int data, seen;
atomic_int flag;

static void first(void)
{
    FIX(data = 1);
    atomic_store_explicit(&flag, 1, memory_order_release);
    BUG(data = 1;) // RACE1
}

static void second(void)
{
    if (atomic_load_explicit(&flag, memory_order_acquire))
        seen = data; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
