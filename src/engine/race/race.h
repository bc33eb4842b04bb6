/* race.h: what the race engine's files share. */
#ifndef SN_RACE_RACE_H
#define SN_RACE_RACE_H

#include "access.h"
#include "cell.h"
#include "core/event.h"
#include "core/stop.h"

/* The thread's access `me` to the granule at addr clashes with earlier ones. */
void sn_race_report(struct sn_thread *t, uintptr_t addr, uint64_t me, unsigned kind,
                    const struct sn_conflicts *with);
/* An access of these bytes of the granule g, null when it is not known yet, in its full form. */
void sn_race_read_any(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g);
void sn_race_write_any(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g);
/* The same inside the engine, at the granule's address. */
void sn_race_read_granule(struct sn_thread *t, struct sn_granule *g, uintptr_t addr, uint64_t me);
void sn_race_write_granule(struct sn_thread *t, struct sn_granule *g, uintptr_t addr, uint64_t me);
void sn_race_range_any(uintptr_t addr, size_t size, uintptr_t tagged_pc, int write);
/* A range access at a known context, inside the engine. */
void sn_race_range(struct sn_thread *t, uintptr_t addr, size_t size, uint32_t where, int write);
/* The locks that thread `number` held in `epoch`. -1: not known any more. */
int sn_order_held_at(uint32_t number, uint32_t epoch, struct sn_held *out, int max);

/* The engine is entered: false when this thread is not followed, or a signal handler has
 * interrupted the engine itself. */
static inline int sn_race_enter(struct sn_thread *t)
{
    return SN_LIKELY(t && sn_race_hot.epoch) && sn_busy_try(t);
}

static inline void sn_race_leave(struct sn_thread *t)
{
    sn_race_of(t)->in_epoch++;
    sn_busy_leave(t);
}

/* Same epoch, other bytes or another place: one word still tells it all. 0: it does not. */
static inline uint64_t sn_race_united(struct sn_thread *t, uint64_t old, uint64_t me)
{
    if (sn_word_epoch(old) != sn_word_epoch(me))
        return 0;
    if (sn_word_where(old) == sn_word_where(me))
        return old | sn_word_mask(me);
    uint32_t both = sn_ctx_both(t, sn_word_where(old), sn_word_where(me), sn_word_mask(me));
    return both ? sn_word(sn_word_epoch(me), both, sn_word_mask(old) | sn_word_mask(me)) : 0;
}

/* What is left of the older write w beside `me`, for the second word. */
static inline uint64_t sn_race_rest_of(uint64_t w, uint64_t me)
{
    return (w & ~(uint64_t)sn_word_mask(me)) | SN_WORD_WRITE;
}

/* What is left of a second word after a write to the bytes of `mask`; `known` are all its bytes, if
 * its accesses are known, else 0. */
static inline uint64_t sn_race_left_of(uint64_t second, unsigned known, unsigned mask)
{
    if (known && !(known & ~mask))
        return 0;
    return known && !sn_word_is_set(second) ? second & ~(uint64_t)mask : second;
}

#endif
