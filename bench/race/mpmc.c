/*
 * Atomics, many to many: a bounded queue whose places carry sequence numbers. Half of the threads
 * fill it, half empty it; places are claimed by compare-and-exchange, SCALE thousand per producer.
 */
#include <sched.h>
#include <stdatomic.h>
#include "work.h"

#define PLACES 1024

struct place {
    atomic_ulong turn; /* == position: free; == position + 1: filled */
    uint64_t value;    /* whoever holds the turn */
};

static struct place places[PLACES];
static _Alignas(64) atomic_ulong fill_at;
static _Alignas(64) atomic_ulong take_at;
static unsigned producers, consumers;
static unsigned long scale;
static uint64_t sums[WORK_THREADS_MAX];

/* Claims the next position whose place has reached its turn plus `ahead`. */
static unsigned long claim(atomic_ulong *next, unsigned long ahead)
{
    unsigned long at = atomic_load_explicit(next, memory_order_relaxed);

    for (;;) {
        struct place *place = &places[at % PLACES];
        unsigned long turn = atomic_load_explicit(&place->turn, memory_order_acquire);
        long lead = (long)(turn - (at + ahead));

        if (lead == 0 && atomic_compare_exchange_weak_explicit(
                             next, &at, at + 1, memory_order_relaxed, memory_order_relaxed))
            return at;
        if (lead < 0)
            sched_yield();
        if (lead != 0)
            at = atomic_load_explicit(next, memory_order_relaxed);
    }
}

static void produce(uint64_t seed)
{
    for (unsigned long i = 0; i < scale * 1000; i++) {
        unsigned long at = claim(&fill_at, 0);
        struct place *place = &places[at % PLACES];

        place->value = work_random(&seed);
        atomic_store_explicit(&place->turn, at + 1, memory_order_release);
    }
}

static uint64_t consume(unsigned long share)
{
    uint64_t sum = 0;

    for (unsigned long i = 0; i < share; i++) {
        unsigned long at = claim(&take_at, 1);
        struct place *place = &places[at % PLACES];

        sum += work_mix(place->value);
        atomic_store_explicit(&place->turn, at + PLACES, memory_order_release);
    }
    return sum;
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;

    if (self < producers) {
        produce(self + 1);
    } else {
        unsigned long total = scale * 1000 * producers, share = total / consumers;

        if (self == producers)
            share += total % consumers;
        sums[self] = consume(share);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 1500);
    unsigned threads = args.threads < 2 ? 2 : args.threads;
    uint64_t sum = 0;

    scale = args.scale;
    producers = threads / 2;
    consumers = threads - producers;
    for (unsigned long i = 0; i < PLACES; i++)
        atomic_init(&places[i].turn, i);
    work_run(threads, worker);
    for (unsigned i = 0; i < threads; i++)
        sum += sums[i];
    return work_print("mpmc", sum);
}
