// A relaxed flag orders nothing.
// EXPECT: data-race DATA/write USE/read
#include "../twin.h"

#include <stdatomic.h>

static int data, seen;
static atomic_int ready;

static void *producer(void *arg)
{
    data = 1; // DATA
    atomic_store_explicit(&ready, 1, PICK(memory_order_relaxed, memory_order_release));
    return arg;
}

static void *consumer(void *arg)
{
    if (atomic_load_explicit(&ready, PICK(memory_order_relaxed, memory_order_acquire)))
        seen = data; // USE
    return arg;
}

int main(void)
{
    run_two(producer, consumer);
    return seen;
}
