/*
 * Atomics, one to one: pairs of threads pass SCALE thousand numbers through a ring of 1024 places
 * with acquire and release only; full and empty are waited for with sched_yield().
 */
#include <sched.h>
#include <stdatomic.h>
#include "work.h"

#define PLACES 1024

struct ring {
    _Alignas(64) atomic_ulong head; /* next to take; release by the consumer */
    _Alignas(64) atomic_ulong tail; /* next to fill; release by the producer */
    _Alignas(64) uint64_t places[PLACES];
    uint64_t sum; /* consumer only, until joined */
};

static struct ring rings[WORK_THREADS_MAX / 2];
static unsigned long scale;

static void produce(struct ring *ring, uint64_t seed)
{
    for (unsigned long i = 0; i < scale * 1000; i++) {
        while (i - atomic_load_explicit(&ring->head, memory_order_acquire) == PLACES)
            sched_yield();
        ring->places[i % PLACES] = work_random(&seed);
        atomic_store_explicit(&ring->tail, i + 1, memory_order_release);
    }
}

static void consume(struct ring *ring)
{
    uint64_t sum = 0;

    for (unsigned long i = 0; i < scale * 1000; i++) {
        while (atomic_load_explicit(&ring->tail, memory_order_acquire) == i)
            sched_yield();
        sum = work_mix(sum + ring->places[i % PLACES]);
        atomic_store_explicit(&ring->head, i + 1, memory_order_release);
    }
    ring->sum = sum;
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;
    struct ring *ring = &rings[self / 2];

    if (self % 2)
        consume(ring);
    else
        produce(ring, self + 1);
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 2, 3000);
    unsigned pairs = (args.threads + 1) / 2;
    uint64_t sum = 0;

    scale = args.scale;
    work_run(pairs * 2, worker);
    for (unsigned i = 0; i < pairs; i++)
        sum += rings[i].sum;
    return work_print("ring", sum);
}
