/*
 * access.h (none): the memory path of the engine that does nothing. It is also the list of what an
 * engine's access.h provides; each is called by runtime/tsan_abi.c and its siblings.
 */
#ifndef SN_ENGINE_ACCESS_H
#define SN_ENGINE_ACCESS_H

#include <stddef.h>
#include <stdint.h>

#include "core/event.h"

/* 1: entry points do nothing at all; the ABI's functions are compiled empty. */
#define SN_ACCESS_NONE 1

static inline void sn_access_read(uintptr_t addr, unsigned size, uintptr_t pc)
{
    (void)addr, (void)size, (void)pc;
}

static inline void sn_access_write(uintptr_t addr, unsigned size, uintptr_t pc)
{
    (void)addr, (void)size, (void)pc;
}

/* Any size and alignment. */
static inline void sn_access_read_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    (void)addr, (void)size, (void)pc;
}

static inline void sn_access_write_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    (void)addr, (void)size, (void)pc;
}

static inline void sn_access_func_entry(uintptr_t caller, uintptr_t rsp, uintptr_t rbp)
{
    (void)caller, (void)rsp, (void)rbp;
}

static inline void sn_access_func_exit(void)
{
}

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
