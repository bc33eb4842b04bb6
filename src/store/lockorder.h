/*
 * lockorder.h: potential deadlocks from the lock edges of one process.
 */
#ifndef SN_STORE_LOCKORDER_H
#define SN_STORE_LOCKORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "store/runreader.h"

#define SN_LOCK_CYCLE_MAX 6

/* edge[i]->to is edge[i + 1]->from, and the last one's is the first one's. */
struct sn_lock_cycle {
    const struct sn_run_edge *edge[SN_LOCK_CYCLE_MAX];
    unsigned n;
};

/* Calls fn for every cycle that differs in its stacks, shortest first. Returns false when the bound
 * on work or on cycles was reached and some may be missing. */
bool sn_lock_order(const struct sn_run_edge *edges, size_t n,
                   void (*fn)(void *arg, const struct sn_lock_cycle *c), void *arg);

#endif
