// consume orders what hangs on the pointer; compilers and tools treat it as acquire.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global node
#include <stdatomic.h>
#include "invisible.h"

int node, seen;
_Atomic(int *) pointer;

static void first(void)
{
    node = 1; // RACE1
    atomic_store_explicit(&pointer, &node, memory_order_release);
}

static void second(void)
{
    int *p = atomic_load_explicit(&pointer, PICK(memory_order_relaxed, memory_order_consume));
    seen = *p; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
