/*
 * path_no_atomic.h: atomic operations for the access.h of an engine to which they mean nothing.
 */
#ifndef SN_PATH_NO_ATOMIC_H
#define SN_PATH_NO_ATOMIC_H

#include <stdint.h>

#include "core/event.h"

/* Around an atomic operation. enter() may lock the object; between the two the real operation is
 * done. leave() gives 0 when a load must be done again (it may have missed a store). */
struct sn_atomic_scope {
    char nothing;
};

static inline void sn_atomic_enter(struct sn_atomic_scope *s, uintptr_t addr, unsigned size,
                                   enum sn_event_op op, int order, uintptr_t pc)
{
    (void)s, (void)addr, (void)size, (void)op, (void)order, (void)pc;
}

/* stored: 0 when a compare-exchange failed, and fail_order is then its order. */
static inline int sn_atomic_leave(struct sn_atomic_scope *s, int stored, int fail_order)
{
    (void)s, (void)stored, (void)fail_order;
    return 1;
}

static inline void sn_atomic_fence(int order, uintptr_t pc)
{
    (void)order, (void)pc;
}

#endif
