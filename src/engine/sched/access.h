/*
 * access.h (sched): the memory path. Most accesses are no scheduling points: one look at a small
 * filter by program counter, and one countdown, so that a loop that only reads memory comes to a
 * point now and then.
 */
#ifndef SN_ENGINE_ACCESS_H
#define SN_ENGINE_ACCESS_H

#include <stddef.h>
#include <stdint.h>

#include "core/event.h"
#include "core/sys.h"
#include "plan.h"
#include "runtime/path_calls.h"

extern int64_t sn_sched_budget; /* accesses until the next forced point; running thread only */

void sn_sched_access(uintptr_t addr, size_t size, int write, uintptr_t pc);

static inline __attribute__((always_inline)) void sn_path_memory(uintptr_t addr, size_t size,
                                                                 int write, uintptr_t pc)
{
    if (SN_UNLIKELY(sn_plan_filter[pc % SN_PLAN_FILTER] || --sn_sched_budget < 0))
        sn_sched_access(addr, size, write, pc);
}

#include "runtime/path_memory.h"

struct sn_atomic_scope {
    char nothing;
};

void sn_sched_atomic(uintptr_t addr, unsigned size, enum sn_event_op op, uintptr_t pc);
void sn_sched_cas_failed(void);

static inline void sn_atomic_enter(struct sn_atomic_scope *s, uintptr_t addr, unsigned size,
                                   enum sn_event_op op, int order, uintptr_t pc)
{
    (void)s, (void)order;
    sn_sched_atomic(addr, size, op, pc);
}

static inline int sn_atomic_leave(struct sn_atomic_scope *s, int stored, int fail_order)
{
    (void)s, (void)fail_order;
    if (!stored)
        sn_sched_cas_failed();
    return 1;
}

static inline void sn_atomic_fence(int order, uintptr_t pc)
{
    (void)order, (void)pc;
}

#endif
