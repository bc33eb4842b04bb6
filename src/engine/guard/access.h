/*
 * access.h (guard): the memory path: straight to access.c. What makes a guarded program fast is not
 * this path but that most calls of it are gone (`snag guard build`).
 */
#ifndef SN_ENGINE_ACCESS_H
#define SN_ENGINE_ACCESS_H

#include <stddef.h>
#include <stdint.h>

#include "core/event.h"
#include "guard.h"
#include "runtime/path_calls.h"

static inline void sn_access_read(uintptr_t addr, unsigned size, uintptr_t pc)
{
    sn_guard_access(addr, size, pc, SN_TOUCH_READ);
}

static inline void sn_access_write(uintptr_t addr, unsigned size, uintptr_t pc)
{
    sn_guard_access(addr, size, pc, SN_TOUCH_WRITE);
}

static inline void sn_access_read_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    sn_guard_range(addr, size, pc, SN_TOUCH_READ);
}

static inline void sn_access_write_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    sn_guard_range(addr, size, pc, SN_TOUCH_WRITE);
}

struct sn_atomic_scope {
    char nothing;
};

static inline void sn_atomic_enter(struct sn_atomic_scope *s, uintptr_t addr, unsigned size,
                                   enum sn_event_op op, int order, uintptr_t pc)
{
    (void)s, (void)op, (void)order;
    sn_guard_access(addr, size, pc, SN_TOUCH_ATOMIC);
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
