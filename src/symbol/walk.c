/*
 * walk.c: see walk.h. DIEs lie in the file in the order of the walk.
 */
#include "symbol/walk.h"

#include <dwarf.h>

static void walk_children(Dwarf_Die *die, struct sn_walk *walk, sn_walk_visit *visit, void *arg)
{
    Dwarf_Die child;
    bool function = dwarf_tag(die) == DW_TAG_subprogram;
    if (walk->depth + 1 >= SN_WALK_DEPTH || dwarf_child(die, &child) != 0)
        return;
    walk->depth++;
    walk->functions += function;
    do {
        if ((const char *)child.addr <= walk->last)
            break;
        walk->last = child.addr;
        if (visit(&child, walk, arg))
            walk_children(&child, walk, visit, arg);
    } while (dwarf_siblingof(&child, &child) == 0);
    walk->functions -= function;
    walk->depth--;
}

void sn_walk(Dwarf_Die *top, sn_walk_visit *visit, void *arg)
{
    struct sn_walk walk = {.last = top->addr};
    walk_children(top, &walk, visit, arg);
}

/* The child of `die` that is, or encloses, the DIE at `addr`. */
static bool child_towards(Dwarf_Die *die, const char *addr, Dwarf_Die *found)
{
    Dwarf_Die child;
    const char *last = die->addr;
    if (dwarf_child(die, &child) != 0)
        return false;
    do {
        if ((const char *)child.addr <= last || (const char *)child.addr > addr)
            break;
        last = child.addr;
        *found = child;
    } while (dwarf_siblingof(&child, &child) == 0);
    return last != die->addr;
}

int sn_walk_parents(Dwarf_Die *die, Dwarf_Die parents[SN_WALK_DEPTH])
{
    Dwarf_Die at;
    if (!dwarf_diecu(die, &at, NULL, NULL))
        return 0;
    for (int n = 0; n < SN_WALK_DEPTH; n++) {
        if (at.addr == die->addr)
            return n;
        parents[n] = at;
        if (!child_towards(&parents[n], die->addr, &at))
            return 0;
    }
    return 0;
}
