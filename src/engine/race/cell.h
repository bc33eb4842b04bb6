/*
 * cell.h: expanded granules. When two shadow words are not enough (bytes accessed at different times,
 * several readers, atomics, a race) the granule gets a cell: a list of accesses, each kept until one
 * comes that happens after it, covers its bytes and conflicts with whatever it conflicts with. So
 * nothing is evicted.
 *
 * A cell is locked by its first link's lock. The granule's write word names it; whoever has locked a
 * cell looks again whether the granule still does.
 */
#ifndef SN_RACE_CELL_H
#define SN_RACE_CELL_H

#include <stdint.h>

#include "clock.h"
#include "shadow.h"

enum sn_access_kind { SN_PLAIN_READ = 0, SN_PLAIN_WRITE = 1, SN_ATOMIC_READ = 2, SN_ATOMIC_WRITE = 3 };

/* The earlier accesses that one access clashes with; more than these on eight bytes are not told. */
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

/* Has the thread done the same or more in this epoch already? No lock: only that thread writes words
 * of its epoch, so a yes is certain. w names the cell. */
int sn_cell_seen(uint64_t w, const struct sn_race_thread *r, unsigned mask, unsigned kind);
/* The access (kind, the bytes and place of `me`) to the granule of addr, by t, whose epoch is me's.
 * Expands the granule if it is not. */
void sn_cell_access(struct sn_thread *t, struct sn_granule *g, uintptr_t addr, uint64_t me,
                    unsigned kind, struct sn_conflicts *found);
/* The granule's memory is gone. */
void sn_cell_give_up(struct sn_granule *g, uintptr_t addr);

#endif
