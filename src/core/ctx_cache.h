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
    /* Call sites differ in their low bits, parents are small numbers: nothing better is needed. */
    return &t->cache[((uint32_t)pc ^ parent * 9) & (SN_CTX_CACHE - 1)];
}

uint32_t sn_ctx_fill(struct sn_ctx_entry *e, uint32_t parent, uintptr_t pc, int leaf);

/* The context of a function whose caller has asked for none yet. */
uint32_t sn_ctx_here_slow(struct sn_thread *t);

/* The current calling context. It is worked out when somebody asks, not at every call. */
static inline uint32_t sn_ctx_here(struct sn_thread *t)
{
    if (SN_UNLIKELY(t->sp == t->frames))
        return 0;
    uint32_t ctx = t->sp[-1].ctx;
    return SN_LIKELY(ctx != 0) ? ctx : sn_ctx_here_slow(t);
}

/* The leaf for an access at pc; 0 when the table is full. */
static inline uint32_t sn_ctx_site(struct sn_thread *t, uintptr_t pc)
{
    uint32_t ctx = sn_ctx_here(t);
    struct sn_ctx_entry *e = sn_ctx_slot(t, ctx, pc);
    if (SN_LIKELY(e->pc == pc && e->parent == ctx))
        return e->node;
    /* Outside of all calls: not kept, so that who finds a leaf there need not look for that. */
    return SN_LIKELY(ctx != 0) ? sn_ctx_fill(e, ctx, pc, 1) : sn_ctx_leaf(0, pc);
}

/* The cache's entry for it; null: it has none. */
static inline const struct sn_ctx_entry *sn_ctx_site_cached(struct sn_thread *t, uintptr_t pc)
{
    uint32_t ctx = t->sp[-1].ctx; /* 0: not worked out yet, or outside of all calls: not there */
    const struct sn_ctx_entry *e = sn_ctx_slot(t, ctx, pc);
    return SN_LIKELY(e->pc == pc && e->parent == ctx) ? e : 0;
}

/* Where the cache has the node for two places, and what it is known by there. */
static inline struct sn_ctx_entry *sn_ctx_slot_both(struct sn_thread *t, uint32_t older,
                                                    uint32_t newer, unsigned newer_mask)
{
    return &t->cache[(older * 3 ^ newer ^ newer_mask << 4) & (SN_CTX_CACHE - 1)];
}

static inline int sn_ctx_is_both(const struct sn_ctx_entry *e, uint32_t older, uint32_t newer,
                                 unsigned newer_mask)
{
    return e->pc == ((uintptr_t)older | (uintptr_t)newer_mask << 32) &&
           e->parent == (SN_CTX_COMPOSITE | newer);
}

/* One node for bytes of an 8-byte granule that were accessed at two places: the bytes of newer_mask
 * by `newer`, the others by `older`. sn_ctx_for_byte() takes it apart again. */
static inline uint32_t sn_ctx_both(struct sn_thread *t, uint32_t older, uint32_t newer,
                                   unsigned newer_mask)
{
    struct sn_ctx_entry *e = sn_ctx_slot_both(t, older, newer, newer_mask);
    if (SN_LIKELY(sn_ctx_is_both(e, older, newer, newer_mask)))
        return e->node;
    return sn_ctx_fill(e, SN_CTX_COMPOSITE | newer, (uintptr_t)older | (uintptr_t)newer_mask << 32,
                       1);
}

/* The same, if the cache has it; else 0. */
static inline uint32_t sn_ctx_both_cached(struct sn_thread *t, uint32_t older, uint32_t newer,
                                          unsigned newer_mask)
{
    const struct sn_ctx_entry *e = sn_ctx_slot_both(t, older, newer, newer_mask);
    return sn_ctx_is_both(e, older, newer, newer_mask) ? e->node : 0;
}

/* Out of room. Always a tail call: whoever inlines sn_call_push() must not need a frame of its own,
 * since rbp is the program's. */
void sn_call_push_slow(struct sn_thread *t, uintptr_t caller, uintptr_t rsp, uintptr_t rbp);

/* __tsan_func_entry and __tsan_func_exit. */
static inline void sn_call_push(struct sn_thread *t, uintptr_t caller, uintptr_t rsp, uintptr_t rbp)
{
    struct sn_call_frame *f = t->sp;
    if (SN_UNLIKELY(f == t->frames_end)) {
        sn_call_push_slow(t, caller, rsp, rbp);
        return;
    }
    f->rsp = rsp;
    f->rbp = rbp;
    f->pc = caller;
    f->ctx = 0;
    t->sp = f + 1;
}

void sn_call_pop_slow(struct sn_thread *t);

static inline void sn_call_pop(struct sn_thread *t)
{
    if (SN_LIKELY(t->sp != t->low))
        t->sp--;
    else
        sn_call_pop_slow(t);
}

#endif
