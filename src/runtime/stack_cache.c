/*
 * stack_cache.c: see stack_cache.h. An entry belongs to a call's site and its place on the stack,
 * so that threads rarely share one. A lost or overwritten entry costs a walk, nothing else.
 *
 * Compiled with -mgeneral-regs-only in engines whose fast half asks.
 */
#include "runtime/stack_cache.h"

#include <stdbool.h>

#include "core/spin.h"
#include "core/thread.h"

enum { BITS = 8, ENTRIES = 1 << BITS };

static struct entry {
    uint32_t lock; /* guards the entry */
    uint32_t n, where;
    uintptr_t pc, frame;
    uintptr_t slot[SN_CACHED_FRAMES], ret[SN_CACHED_FRAMES];
} entries[ENTRIES];

static struct entry *entry_for(const struct sn_call *c)
{
    uint64_t h = (c->pc ^ (uint64_t)(uintptr_t)c << 20) * 0x9e3779b97f4a7c15ull;
    return &entries[h >> (64 - BITS)];
}

/* Under the entry's lock. The places lie further up the stack on which the call stands. */
static bool is_same(const struct entry *e, const struct sn_call *c)
{
    bool same = e->pc == c->pc && e->frame == (uintptr_t)c && e->where;
    for (uint32_t i = 0; i < e->n && same; i++)
        same = *(const uintptr_t *)e->slot[i] == e->ret[i];
    return same;
}

uint32_t sn_stack_cache_find(const struct sn_call *c, const struct sn_thread *t)
{
    struct entry *e = entry_for(c);
    uint32_t where = 0;
    sn_spin_lock(&e->lock);
    bool mine = !e->n || (e->slot[e->n - 1] < t->stack_high && e->frame >= t->stack_low);
    if (mine && is_same(e, c))
        where = e->where;
    sn_spin_unlock(&e->lock);
    return where;
}

void sn_stack_cache_put(const struct sn_call *c, const uintptr_t *slot, unsigned n, uint32_t where)
{
    struct entry *e = entry_for(c);
    sn_spin_lock(&e->lock);
    e->pc = c->pc;
    e->frame = (uintptr_t)c;
    e->where = where;
    e->n = n;
    for (unsigned i = 0; i < n; i++) {
        e->slot[i] = slot[i];
        e->ret[i] = *(const uintptr_t *)slot[i];
    }
    sn_spin_unlock(&e->lock);
}
