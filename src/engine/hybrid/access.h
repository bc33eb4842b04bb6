/*
 * access.h (hybrid): the memory path, inline: the filter. An access that the granule's history has
 * already, from the same site in the same concurrency context, can add no candidate (access.c says
 * why). Everything else is behind one call.
 */
#ifndef SN_ENGINE_ACCESS_H
#define SN_ENGINE_ACCESS_H

#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "core/ctx_cache.h"
#include "core/event.h"
#include "core/runfile.h"
#include "core/sys.h"
#include "core/thread.h"
#include "record.h"
#include "runtime/path_calls.h"
#include "shadow.h"

/* The thread's concurrency context; SN_KEY_NONE while it is not followed, or with --filter none. */
extern __thread uint64_t sn_hybrid_key __attribute__((tls_model("initial-exec")));

void sn_hybrid_access(uintptr_t addr, unsigned size, uintptr_t tagged_pc, unsigned kind);
void sn_hybrid_range(uintptr_t addr, size_t size, uintptr_t tagged_pc, unsigned kind);

/* The bytes are in one granule. */
static inline __attribute__((always_inline)) void sn_hybrid_look(uintptr_t addr, unsigned size,
                                                                 uintptr_t pc, unsigned kind)
{
    uintptr_t bias = sn_shadow_bias(addr);
    if (SN_LIKELY(bias != 0)) {
        const struct sn_granule *g = sn_granule_at(bias, addr);
        unsigned mask = sn_mask(addr & 7, size);
        uint64_t key = sn_hybrid_key;
        for (int i = 0; i < 2; i++) {
            if (!sn_record_has(__atomic_load_n(&g->a[i], __ATOMIC_ACQUIRE), key, mask))
                continue;
            struct sn_thread *t = sn_self;
            if (SN_LIKELY(t != 0) && g->b[i] == sn_record_place(sn_ctx_site(t, pc), kind)) {
                sn_hybrid_of(t)->skipped++;
                return;
            }
        }
    }
    sn_hybrid_access(addr, size, pc, kind);
}

static inline __attribute__((always_inline)) void sn_access_read(uintptr_t addr, unsigned size,
                                                                 uintptr_t pc)
{
    if (size == 16)
        sn_hybrid_range(addr, 16, pc | SN_CTX_TAG(SN_OP_READ, 16), SN_READ);
    else
        sn_hybrid_look(addr, size, pc | SN_CTX_TAG(SN_OP_READ, size), SN_READ);
}

static inline __attribute__((always_inline)) void sn_access_write(uintptr_t addr, unsigned size,
                                                                  uintptr_t pc)
{
    if (size == 16)
        sn_hybrid_range(addr, 16, pc | SN_CTX_TAG(SN_OP_WRITE, 16), SN_WRITE);
    else
        sn_hybrid_look(addr, size, pc | SN_CTX_TAG(SN_OP_WRITE, size), SN_WRITE);
}

static inline void sn_access_read_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    sn_hybrid_range(addr, size, pc | SN_CTX_TAG(SN_OP_READ, size), SN_READ);
}

static inline void sn_access_write_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    sn_hybrid_range(addr, size, pc | SN_CTX_TAG(SN_OP_WRITE, size), SN_WRITE);
}

/* Around an atomic operation: it makes no edge (clock.h), so only the access is noted, afterwards.
 */
struct sn_atomic_scope {
    uintptr_t addr, pc;
    unsigned size;
    enum sn_event_op op;
};

static inline void sn_atomic_enter(struct sn_atomic_scope *s, uintptr_t addr, unsigned size,
                                   enum sn_event_op op, int order, uintptr_t pc)
{
    (void)order;
    *s = (struct sn_atomic_scope){addr, pc, size, op};
}

static inline int sn_atomic_leave(struct sn_atomic_scope *s, int stored, int fail_order)
{
    unsigned kind = s->op != SN_EV_ATOMIC_LOAD && stored ? SN_ATOMIC | SN_WRITE : SN_ATOMIC;
    (void)fail_order;
    uintptr_t pc = s->pc | SN_CTX_TAG(SN_OP_ATOMIC, s->size);
    if (SN_LIKELY((s->addr & 7) + s->size <= 8))
        sn_hybrid_look(s->addr, s->size, pc, kind);
    else
        sn_hybrid_range(s->addr, s->size, pc, kind);
    return 1;
}

static inline void sn_atomic_fence(int order, uintptr_t pc)
{
    (void)order, (void)pc;
}

#endif
