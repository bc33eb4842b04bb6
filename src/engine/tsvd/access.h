/*
 * access.h (tsvd): a memory access of instrumented code is a point too: a call on the object at its
 * address. Atomic operations are none: they may overlap.
 */
#ifndef SN_ENGINE_ACCESS_H
#define SN_ENGINE_ACCESS_H

#include <stddef.h>
#include <stdint.h>

#include "core/ctx_cache.h"
#include "core/event.h"
#include "core/sys.h"
#include "core/thread.h"

void sn_tsvd_memory(uintptr_t addr, size_t size, int write, uintptr_t pc);

static inline void sn_access_read(uintptr_t addr, unsigned size, uintptr_t pc)
{
    sn_tsvd_memory(addr, size, 0, pc);
}

static inline void sn_access_write(uintptr_t addr, unsigned size, uintptr_t pc)
{
    sn_tsvd_memory(addr, size, 1, pc);
}

static inline void sn_access_read_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    sn_tsvd_memory(addr, size, 0, pc);
}

static inline void sn_access_write_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    sn_tsvd_memory(addr, size, 1, pc);
}

static inline void sn_access_func_entry(uintptr_t caller, uintptr_t rsp, uintptr_t rbp)
{
    struct sn_thread *t = sn_self;
    if (SN_LIKELY(t != 0))
        sn_call_push(t, caller, rsp, rbp);
}

static inline void sn_access_func_exit(void)
{
    struct sn_thread *t = sn_self;
    if (SN_LIKELY(t != 0))
        sn_call_pop(t);
}

struct sn_atomic_scope {
    char nothing;
};

static inline void sn_atomic_enter(struct sn_atomic_scope *s, uintptr_t addr, unsigned size,
                                   enum sn_event_op op, int order, uintptr_t pc)
{
    (void)s, (void)addr, (void)size, (void)op, (void)order, (void)pc;
}

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
