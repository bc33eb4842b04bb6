/*
 * walk.h: visits the DIEs of a unit, parents before children, within bounds that a sound file never
 * meets: nested so deep, and every DIE behind the one before it, so that the DIEs of broken debug
 * information, which can overlap or lead back, are not visited again and again.
 */
#ifndef SN_SYMBOL_WALK_H
#define SN_SYMBOL_WALK_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* Nested scopes that we follow; compilers give up at some hundreds. */
#define SN_WALK_DEPTH 512

struct sn_walk {
    int depth;        /* of the DIE that is visited; the unit's own is 0 */
    int functions;    /* how many of its parents are functions */
    const char *last; /* where the DIE is that was visited last */
};

/* False: do not visit the children. */
typedef bool sn_walk_visit(Dwarf_Die *die, const struct sn_walk *walk, void *arg);

/* All DIEs below `top`, a unit's or a function's. */
void sn_walk(Dwarf_Die *top, sn_walk_visit *visit, void *arg);

/* The DIEs that enclose `die`, outermost (the unit) first, without itself. Returns how many; 0 when
 * it cannot be told. */
int sn_walk_parents(Dwarf_Die *die, Dwarf_Die parents[SN_WALK_DEPTH]);

#endif
