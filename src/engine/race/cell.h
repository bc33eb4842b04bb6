/*
 * cell.h: expanded granules. When two shadow words are not enough (bytes accessed at different
 * times, several readers, atomics, a race) the granule gets a cell: a list of accesses, each kept
 * until one comes that happens after it, covers its bytes and conflicts with whatever it conflicts
 * with. So nothing is evicted.
 *
 * A cell is locked by its first link's lock. The granule's write word names it; whoever has locked
 * a cell looks again whether the granule still does.
 */
#ifndef SN_RACE_CELL_H
#define SN_RACE_CELL_H

#include <stdint.h>

#include "clock.h"
#include "readset.h"
#include "shadow.h"
#include "word.h"

/* The earlier accesses that one access clashes with; more than these on eight bytes are not told.
 */
enum { SN_CONFLICTS = 4 };

struct sn_conflicts {
    unsigned n;
    unsigned kind[SN_CONFLICTS]; /* enum sn_access_kind */
    uint64_t word[SN_CONFLICTS];
};

static inline void sn_conflict_add(struct sn_conflicts *c, uint64_t word, unsigned kind)
{
    if (c->n < SN_CONFLICTS) {
        c->word[c->n] = word;
        c->kind[c->n++] = kind;
    }
}

/* The access (kind, the bytes and place of `me`) to the granule of addr, by t, whose epoch is me's.
 * Expands the granule if it is not. */
void sn_cell_access(struct sn_thread *t, struct sn_granule *g, uintptr_t addr, uint64_t me,
                    unsigned kind, struct sn_conflicts *found);
/* The thread's cache says that this access is in the granule's cell already. */
static inline int sn_cell_has(struct sn_race_thread *r, uintptr_t addr, unsigned mask,
                              unsigned kind)
{
    const struct sn_recent *e = sn_recent_at(r->sets, addr);
    uintptr_t base = (addr & ~(uintptr_t)7) | sn_clock_is_long(r);
    if (e->base != base || e->epoch != r->epoch || (mask & ~(unsigned)e->has[kind]))
        return 0;
    r->in_epoch++;
    return 1;
}

/* Without the lock, by the thread of r, in the cell that `name` names: the thread has done the same
 * or more in this epoch already (only that thread writes words of its epoch, so a yes is certain),
 * or nothing conflicts and `me` takes the place of an older access of its kind. Others that would
 * give way as well may stay: whoever knows `me` knows them. 0: it is not that simple. */
int sn_cell_quick(struct sn_race_thread *r, uint64_t name, uintptr_t base, uint64_t me,
                  unsigned kind);
/* The thread keeps its accesses to these bytes for itself: writes to the cell would drag its cache
 * line from one processor to the other, and nobody looks at them before a conflicting access comes
 * and gathers them. Only done where all that might conflict is known. 0: it does not do that here.
 */
int sn_cell_private_slow(struct sn_race_thread *r, uint64_t name, uintptr_t base, uint64_t me,
                         unsigned kind);
/* e is of that cell, and its word i last had an access of that kind to these bytes, or nothing. */
static inline __attribute__((always_inline)) int
sn_private_takes(const struct sn_race_thread *r, const struct sn_private *e, unsigned i,
                 uint64_t name, uint64_t me, unsigned kind)
{
    unsigned mask = sn_word_mask(me);
    return e->name == name && e->kind[i] == kind && !(mask & ~(unsigned)e->fine[kind]) &&
           !(sn_word_mask(e->word[i]) & ~mask) &&
           !(kind == SN_PLAIN_READ && sn_clock_is_long(r));
}

static inline __attribute__((always_inline)) int
sn_cell_private(struct sn_race_thread *r, uint64_t name, uintptr_t base, uint64_t me, unsigned kind)
{
    struct sn_private *e = sn_private_at(r->sets, base);
    e += e->name != name;
    if (!sn_private_takes(r, e, 0, name, me, kind))
        return sn_cell_private_slow(r, name, base, me, kind);
    __atomic_store_n(&e->word[0], me, __ATOMIC_RELAXED);
    return 1;
}
extern uint8_t
    sn_cell_calm; /* so many plain reads without a plain write, and it pays; tests want less */
/* The thread has ended: what it kept comes to the cells. */
void sn_cell_thread_gone(struct sn_race_thread *r);
/* The granule's memory is gone. */
void sn_cell_give_up(struct sn_granule *g, uintptr_t addr);

#endif
