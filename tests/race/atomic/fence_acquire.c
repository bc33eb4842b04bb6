// A release store read by a relaxed load before an acquire fence.
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
    atomic_store_explicit(&flag, 1, memory_order_release);
}

static void second(void)
{
    BUG(atomic_thread_fence(memory_order_acquire)); /* too early: nothing was loaded yet */
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        FIX(atomic_thread_fence(memory_order_acquire));
        seen = data; // RACE2
    }
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
