/*
 * quick.h: what quick.c and quick_cell.c share: accesses that the first look did not find, in their
 * common forms. The functions end in tail calls, and what they cannot do the engine does
 * (access.c).
 */
#ifndef SN_RACE_QUICK_H
#define SN_RACE_QUICK_H

#include <stdint.h>

#include "access.h"
#include "clock.h"
#include "core/ctx_cache.h"

/* The word of an access at that place, in this epoch. */
static inline uint64_t sn_quick_at(struct sn_thread *t, const struct sn_ctx_entry *place,
                                   unsigned mask)
{
    return sn_race_me(sn_race_of(t)) | (uint64_t)place->node << 8 | mask;
}

/* The same; 0: the thread's cache does not have the place. */
static inline uint64_t sn_quick_word(struct sn_thread *t, uintptr_t tagged_pc, unsigned mask)
{
    const struct sn_ctx_entry *place = sn_ctx_site_cached(t, tagged_pc);
    return SN_LIKELY(place != 0) ? sn_quick_at(t, place, mask) : 0;
}

/* Two words of this epoch as one, if the thread's cache has the place of both; else 0. */
static inline uint64_t sn_quick_united(struct sn_thread *t, uint64_t old, uint64_t me)
{
    if (!((old ^ me) & ~0xffull))
        return old | me;
    uint32_t both = sn_ctx_both_cached(t, sn_word_where(old), sn_word_where(me), sn_word_mask(me));
    return both ? sn_word(sn_word_epoch(me), both, sn_word_mask(old) | sn_word_mask(me)) : 0;
}

/* What tells an access that makes or joins a set from others: see struct sn_set_again. */
static inline uint64_t sn_quick_place(uintptr_t tagged_pc, unsigned mask)
{
    return tagged_pc | (uint64_t)mask << 48;
}

static inline uint64_t sn_quick_context(const struct sn_thread *t)
{
    return sn_race_me(sn_race_of((struct sn_thread *)t)) | t->sp[-1].ctx;
}

/* The granule's first word names a list; fields; one of both. */
void sn_quick_read_list(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g,
                        uint64_t name);
void sn_quick_read_field(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g,
                         uint64_t name);
void sn_quick_write_cell(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g,
                         uint64_t name);

#endif
