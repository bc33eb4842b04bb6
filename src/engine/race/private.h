/*
 * private.h: what a thread keeps for itself of its accesses to a granule that has a cell (cell.h).
 * Readers under a read-write lock and users of an atomic would each write their new epoch into the
 * cell and take its cache line from each other. Once a cell is calm they keep such accesses in a
 * table of their own; the cell knows which bytes and which threads. An access that might conflict
 * gathers them first and gives the cell another version, so that theirs are void.
 */
#ifndef SN_RACE_PRIVATE_H
#define SN_RACE_PRIVATE_H

#include <stdint.h>

#include "clock.h"
#include "links.h"
#include "readset.h"
#include "shadow.h"
#include "word.h"

extern uint8_t sn_private_calm; /* so many plain reads without a plain write, and it pays; tests
                                   want less */

/* The thread keeps its accesses to these bytes for itself: writes to the cell would drag its cache
 * line from one processor to the other, and nobody looks at them before a conflicting access comes
 * and gathers them. Only done where all that might conflict is known. 0: it does not do that here.
 */
int sn_private_put(struct sn_race_thread *r, uint64_t name, uintptr_t base, uint64_t me,
                   unsigned kind);
/* The same where the first word last had an access of that kind to these bytes, or nothing. */
static inline __attribute__((always_inline)) int
sn_private_try(struct sn_race_thread *r, uint64_t name, uintptr_t base, uint64_t me, unsigned kind)
{
    struct sn_private *e = sn_private_at(r->sets, base);
    unsigned mask = sn_word_mask(me);
    e += e->name != name;
    if (e->name != name || e->kind[0] != kind || (mask & ~(unsigned)e->fine[kind]) ||
        (sn_word_mask(e->word[0]) & ~mask) || (kind == SN_PLAIN_READ && sn_clock_is_long(r)))
        return sn_private_put(r, name, base, me, kind);
    __atomic_store_n(&e->word[0], me, __ATOMIC_RELAXED);
    return 1;
}

/* Private words that an access of that kind might conflict with are of these bytes. */
static inline unsigned sn_private_bytes(const struct sn_link *l, unsigned kind)
{
    return kind == SN_PLAIN_READ    ? l->atomics
           : kind == SN_PLAIN_WRITE ? l->atomics | l->reads
                                    : l->reads;
}

/* Does it pay to keep such accesses private? Reads that are followed by writes would be gathered
 * each time; whoever accesses bytes atomically goes on to do so. */
static inline int sn_private_pays(const struct sn_link *l, unsigned kind)
{
    return kind == SN_PLAIN_READ ? l->calm == sn_private_calm
                                 : kind != SN_PLAIN_WRITE && l->calm != SN_LINK_MIXED;
}

static inline void sn_private_count(struct sn_link *l, unsigned kind)
{
    if (kind == SN_PLAIN_READ && l->calm < sn_private_calm)
        l->calm++;
    else if (kind == SN_PLAIN_WRITE && l->calm && l->calm != SN_LINK_MIXED)
        l->calm = 0;
}

/* The place is calm, and the thread does not keep such accesses for itself yet. */
static inline int sn_private_wanted(struct sn_race_thread *r, const struct sn_link *l,
                                    uint64_t name, uintptr_t base, unsigned mask, unsigned kind)
{
    if (!sn_private_pays(l, kind))
        return 0;
    const struct sn_private *e = sn_private_of(r->sets, base, name);
    return !e || (mask & ~e->fine[kind]);
}

/* Makes room for private words, while no cell is locked. */
void sn_private_make_place(struct sn_race_thread *r, uint64_t name, uintptr_t base);
/* The cell h is locked and nothing in it conflicts with `me`: the thread keeps it for itself. 0: it
 * does not. */
int sn_private_keep(struct sn_race_thread *r, uint32_t h, uintptr_t base, uint64_t me,
                    unsigned kind);
/* What threads keep for themselves comes to the cell, which is locked. */
void sn_private_gather(struct sn_granule *g, uint32_t h, uintptr_t base);
/* The same, if it may matter to an access of that kind. */
void sn_private_look(const struct sn_race_thread *r, struct sn_granule *g, uint32_t h,
                     uintptr_t base, unsigned mask, unsigned kind);
/* The thread has ended: what it kept comes to the cells. */
void sn_private_thread_gone(struct sn_race_thread *r);

#endif
