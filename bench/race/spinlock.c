/*
 * Locks made of atomics: 16 spin locks (exchange with acquire, store with release) guard small
 * counters; SCALE thousand rounds per thread.
 */
#include <sched.h>
#include <stdatomic.h>
#include "work.h"

#define LOCKS 16

struct guarded {
    _Alignas(64) atomic_uint taken;
    uint32_t rounds;
    uint64_t total;
};

static struct guarded guarded[LOCKS];
static unsigned long scale;

static void take(struct guarded *cell)
{
    while (atomic_exchange_explicit(&cell->taken, 1, memory_order_acquire))
        while (atomic_load_explicit(&cell->taken, memory_order_relaxed))
            sched_yield();
}

static void give(struct guarded *cell)
{
    atomic_store_explicit(&cell->taken, 0, memory_order_release);
}

static void *worker(void *arg)
{
    uint64_t seed = (uintptr_t)arg + 1;

    for (unsigned long i = 0; i < scale * 1000; i++) {
        uint64_t random = work_random(&seed);
        struct guarded *cell = &guarded[random % LOCKS];

        take(cell);
        cell->rounds++;
        cell->total += random >> 32;
        give(cell);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 2500);
    uint64_t sum = 0;

    scale = args.scale;
    work_run(args.threads, worker);
    for (int i = 0; i < LOCKS; i++)
        sum = work_mix(sum + guarded[i].total + guarded[i].rounds);
    return work_print("spinlock", sum);
}
