/*
 * access.h (record): the memory path. Every access is an event of the trace, so there is no fast
 * look: the work is in access.c and atomic.c.
 */
#ifndef SN_ENGINE_ACCESS_H
#define SN_ENGINE_ACCESS_H

#include <stddef.h>
#include <stdint.h>

#include "core/ctx_cache.h"
#include "core/event.h"
#include "core/sys.h"
#include "core/thread.h"
#include "record.h"

void sn_record_read(uintptr_t addr, size_t size, uintptr_t pc);
void sn_record_write(uintptr_t addr, size_t size, uintptr_t pc);

static inline void sn_path_memory(uintptr_t addr, size_t size, int write, uintptr_t pc)
{
    if (write)
        sn_record_write(addr, size, pc);
    else
        sn_record_read(addr, size, pc);
}

#include "runtime/path_memory.h"

/* The tail call keeps rbp the program's. */
static inline __attribute__((always_inline)) void sn_access_func_entry(uintptr_t caller,
                                                                       uintptr_t rsp, uintptr_t rbp)
{
    struct sn_thread *t = sn_self;
    if (SN_UNLIKELY(!t))
        return;
    if (SN_UNLIKELY(sn_rec_of(t)->npairs | sn_exclude_any))
        sn_pair_func_entry(caller, rsp, rbp, (uintptr_t)__builtin_return_address(0));
    else
        sn_call_push(t, caller, rsp, rbp);
}

static inline void sn_access_func_exit(void)
{
    struct sn_thread *t = sn_self;
    if (SN_UNLIKELY(!t))
        return;
    sn_call_pop(t);
    if (SN_UNLIKELY(sn_rec_of(t)->return_at == 1 + (uint32_t)(t->sp - t->frames)))
        sn_pair_go_back(t);
}

/* Around an atomic operation: the order is held from enter to leave. */
struct sn_atomic_scope {
    struct sn_thread *t; /* null: not recorded */
    uintptr_t addr, pc;
    uint64_t old[2];
    uint8_t size, op, order;
};

void sn_atomic_enter(struct sn_atomic_scope *s, uintptr_t addr, unsigned size, enum sn_event_op op,
                     int order, uintptr_t pc);
int sn_atomic_leave(struct sn_atomic_scope *s, int stored, int fail_order);
void sn_atomic_fence(int order, uintptr_t pc);

#endif
