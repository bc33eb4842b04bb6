// Release on one atomic and acquire on another are no pair.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <stdatomic.h>
#include "invisible.h"

int data, seen;
atomic_int left, right;

static void first(void)
{
    data = 1; // RACE1
    atomic_store_explicit(&left, 1, memory_order_release);
}

static void second(void)
{
    atomic_load_explicit(&PICK(right, left), memory_order_acquire);
    seen = data; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
