/*
 * cell.h: expanded granules. When two shadow words are not enough (bytes accessed at different
 * times, several readers, atomics, a race) the granule gets a cell: a list of accesses, each kept
 * until one comes that happens after it, covers its bytes and conflicts with whatever it conflicts
 * with. So nothing is evicted.
 *
 * A list whose accesses would fit into fields (fields.h) becomes fields again, after it has served
 * for a while: threads have all read a struct, then each works on its own part.
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

extern uint8_t
    sn_cell_turns; /* so many accesses to a list, then fields are tried; tests want less */

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
/* Its fields become a list. */
void sn_cell_of_fields(struct sn_granule *g, uintptr_t base);
/* The granule's memory is gone. */
void sn_cell_give_up(struct sn_granule *g, uintptr_t addr);

#endif
