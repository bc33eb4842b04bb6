// A seq_cst fence is release and acquire in one.
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
    FIX(atomic_thread_fence(memory_order_seq_cst));
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
}

static void second(void)
{
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    seen = data; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
