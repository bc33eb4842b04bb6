// Fences make relaxed accesses order what is around them.
// EXPECT: data-race DATA/write USE/read
#include "../twin.h"

#include <stdatomic.h>

static int data, seen;
static atomic_int ready;

static void *producer(void *arg)
{
    data = 1; // DATA
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return arg;
}

static void *consumer(void *arg)
{
    if (atomic_load_explicit(&ready, memory_order_relaxed)) {
        FIX(atomic_thread_fence(memory_order_acquire));
        seen = data; // USE
    }
    return arg;
}

int main(void)
{
    run_two(producer, consumer);
    return seen;
}
