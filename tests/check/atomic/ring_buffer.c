// One producer, one consumer, a ring; the buggy index is relaxed.
// EXPECT: data-race PUT/write GET/read
#include "../twin.h"

#include <stdatomic.h>

#define SIZE 4
static int ring[SIZE], total;
static atomic_uint head, tail;

static void *producer(void *arg)
{
    for (int i = 1; i <= 3; i++) {
        unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
        ring[t % SIZE] = i; // PUT
        atomic_store_explicit(&tail, t + 1, PICK(memory_order_relaxed, memory_order_release));
    }
    return arg;
}

static void *consumer(void *arg)
{
    for (int tries = 0; tries < 12; tries++) {
        unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
        if (h == atomic_load_explicit(&tail, memory_order_acquire))
            continue;
        total += ring[h % SIZE]; // GET
        atomic_store_explicit(&head, h + 1, memory_order_release);
    }
    return arg;
}

int main(void)
{
    run_two(producer, consumer);
    return total;
}
