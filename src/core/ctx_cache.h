/*
 * ctx_cache.h: the per-thread cache in front of the context table, inline for the hot paths:
 * function entry and the first look of an access.
 */
#ifndef SN_CORE_CTX_CACHE_H
#define SN_CORE_CTX_CACHE_H

#include "core/ctx.h"
#include "core/sys.h"
#include "core/thread.h"

static inline struct sn_ctx_entry *sn_ctx_slot(struct sn_thread *t, uint32_t parent, uintptr_t pc)
{
    /* Call sites differ in their low bits, parents are small numbers: no multiplication needed. */
    uint32_t p = (uint32_t)pc, h = p ^ p >> 9 ^ parent << 3 ^ parent >> 6;
    return &t->cache[h & (SN_CTX_CACHE - 1)];
}

uint32_t sn_ctx_fill(struct sn_ctx_entry *e, uint32_t parent, uintptr_t pc, int leaf);

/* The child of the current context for a call from pc. */
static inline uint32_t sn_ctx_call(struct sn_thread *t, uintptr_t pc)
{
    struct sn_ctx_entry *e = sn_ctx_slot(t, t->ctx, pc);
    if (SN_LIKELY(e->pc == pc && e->parent == t->ctx))
        return e->node;
    return sn_ctx_fill(e, t->ctx, pc, 0);
}

/* The leaf for an access at pc; 0 when the table is full. */
static inline uint32_t sn_ctx_site(struct sn_thread *t, uintptr_t pc)
{
    struct sn_ctx_entry *e = sn_ctx_slot(t, t->ctx, pc);
    if (SN_LIKELY(e->pc == pc && e->parent == t->ctx))
        return e->node;
    return sn_ctx_fill(e, t->ctx, pc, 1);
}

/* The rare half of sn_call_push(): a new context, or no room. */
void sn_call_push_slow(struct sn_thread *t, uintptr_t caller, uintptr_t rsp, uintptr_t rbp);

/* __tsan_func_entry and __tsan_func_exit. */
static inline void sn_call_push(struct sn_thread *t, uintptr_t caller, uintptr_t rsp, uintptr_t rbp)
{
    struct sn_call_frame *f = t->sp;
    uint32_t ctx = t->ctx;
    struct sn_ctx_entry *e = sn_ctx_slot(t, ctx, caller);
    if (SN_UNLIKELY(f == t->frames_end || e->pc != caller || e->parent != ctx)) {
        sn_call_push_slow(t, caller, rsp, rbp);
        return;
    }
    f->rsp = rsp;
    f->rbp = rbp;
    f->ctx = ctx;
    t->sp = f + 1;
    t->ctx = e->node;
}

static inline void sn_call_pop(struct sn_thread *t)
{
    if (SN_UNLIKELY(t->frames_lost)) {
        t->frames_lost--;
        return;
    }
    if (SN_UNLIKELY(t->sp == t->frames))
        return;
    t->sp--;
    t->ctx = t->sp->ctx;
}

#endif
