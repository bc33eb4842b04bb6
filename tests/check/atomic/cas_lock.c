// A lock by compare and exchange, with the right and the wrong order.
// EXPECT: data-race WORK/write WORK
#include "../twin.h"

#include <stdatomic.h>

static atomic_int held;
static int n;

static void *work(void *arg)
{
    int free_value = 0;
    while (!atomic_compare_exchange_weak_explicit(&held, &free_value, 1, memory_order_acquire, memory_order_relaxed))
        free_value = 0;
    n++; // WORK
    atomic_store_explicit(&held, 0, PICK(memory_order_relaxed, memory_order_release));
    return arg;
}

int main(void)
{
    run_two(work, work);
    return n;
}
