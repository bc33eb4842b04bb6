// Order is transitive over two flags; a relaxed link breaks the chain.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <stdatomic.h>
#include "invisible.h"

int data, seen;
atomic_int one, two;

static void first(void)
{
    data = 1; // RACE1
    atomic_store_explicit(&one, 1, memory_order_release);
}

static void second(void)
{
    atomic_load_explicit(&one, PICK(memory_order_relaxed, memory_order_acquire));
    atomic_store_explicit(&two, 1, memory_order_release);
}

static void third(void)
{
    if (atomic_load_explicit(&two, memory_order_acquire))
        seen = data; // RACE2
}

int main(void)
{
    run_three_in_order(first, second, third);
    return seen - 1;
}
