// A release fence after the store is on the wrong side of it.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
// PEER: tsan false-alarm: fences are not understood there
#include <stdatomic.h>
#include "invisible.h"

int data, seen;
atomic_int flag;

static void first(void)
{
    data = 1; // RACE1
    FIX(atomic_thread_fence(memory_order_acq_rel));
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    BUG(atomic_thread_fence(memory_order_acq_rel));
}

static void second(void)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acq_rel);
        seen = data; // RACE2
    }
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
