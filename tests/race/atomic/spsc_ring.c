// A ring for one producer and one consumer; the head must be stored with release order.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global ring
#include <stdatomic.h>
#include "invisible.h"

enum { SIZE = 8, ITEMS = PICK(SIZE, 1000) };
int ring[SIZE];
atomic_uint head, tail;
long sum;

static void *producer(void *arg)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        while (i - atomic_load_explicit(&tail, memory_order_acquire) == SIZE)
            ;
        ring[i % SIZE] = (int)i; // RACE1
        atomic_store_explicit(&head, i + 1, PICK(memory_order_relaxed, memory_order_release));
        hidden_post(0);
    }
    return arg;
}

static void *consumer(void *arg)
{
    hidden_wait(0);
    for (unsigned i = 0; i < ITEMS; i++) {
        while (atomic_load_explicit(&head, memory_order_acquire) == i)
            ;
        sum += ring[i % SIZE]; // RACE2
        atomic_store_explicit(&tail, i + 1, memory_order_release);
    }
    return arg;
}

int main(void)
{
    pthread_t p, c;
    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    return sum != ITEMS * (ITEMS - 1) / 2;
}
