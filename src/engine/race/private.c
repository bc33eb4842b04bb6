/* private.c: accesses that threads keep for themselves. */
#include "private.h"

#include "core/spin.h"
#include "core/sys.h"
#include "kept.h"

uint8_t sn_private_calm = 32;

/* An older access of some thread comes to the cell, which is locked. */
static void file(uint32_t first, uint64_t word, unsigned kind)
{
    uint32_t slot = sn_batch_slot[sn_word_epoch(word) >> SN_BATCH_BITS];
    for (struct sn_link *l = sn_link_at(first);; l = sn_link_at(l->next)) {
        for (unsigned i = 0; i < l->n; i++) {
            uint64_t w = l->word[i];
            if (l->kind[i] == kind && !(sn_word_mask(w) & ~sn_word_mask(word)) &&
                sn_batch_slot[sn_word_epoch(w) >> SN_BATCH_BITS] == slot &&
                sn_word_epoch(w) <= sn_word_epoch(word)) {
                sn_link_set(l, i, word, kind);
                return;
            }
        }
        if (!l->next)
            break;
    }
    sn_link_append(first, word, kind);
}

static void file_all(const struct sn_private *e, uint32_t first)
{
    for (unsigned i = 0; i < 2; i++)
        if (e->word[i])
            file(first, e->word[i], e->kind[i]);
}

/* The place is needed for another granule, or the thread ends. */
static void evict(struct sn_private *e)
{
    uint32_t h = sn_word_epoch(e->name);
    if (!h)
        return;
    sn_spin_lock(&sn_link_at(h)->lock);
    if (sn_link_name(h) == e->name)
        file_all(e, h);
    e->name = 0;
    sn_spin_unlock(&sn_link_at(h)->lock);
}

SN_NOINLINE void sn_private_gather(struct sn_granule *g, uint32_t h, uintptr_t base)
{
    struct sn_link *l = sn_link_at(h);
    for (uint32_t slot = 0, n = sn_clock_slots; slot < n; slot++) {
        struct sn_set_cache *c = sn_slot_sets[slot];
        const struct sn_private *e = 0;
        if (c && (l->members >> (slot & 7) & 1))
            e = sn_private_of(c, base, sn_link_name(h));
        if (e)
            file_all(e, h);
    }
    l->reads = l->atomics = l->members = 0;
    l->version++;
    __atomic_store_n(&g->w, sn_link_name(h), __ATOMIC_RELEASE);
}

/* A place among the private words for `me`; -1: none. Words of other bytes stay. */
static inline int private_place(const struct sn_private *e, uint64_t *me, unsigned kind)
{
    for (int i = 0; i < 2; i++) {
        uint64_t w = e->word[i];
        if (sn_word_epoch(w) == sn_word_epoch(*me) && e->kind[i] == kind &&
            sn_word_covers(w, sn_word_mask(*me))) {
            *me = w;
            return i;
        }
        if (!w || (e->kind[i] == kind && !(sn_word_mask(w) & ~sn_word_mask(*me))))
            return i;
        if (e->kind[i] == kind && !((w ^ *me) & ~0xffull)) {
            *me |= w;
            return i;
        }
    }
    return -1;
}

static inline void put(struct sn_private *e, int i, uint64_t me, unsigned kind)
{
    e->kind[i] = (uint8_t)kind;
    __atomic_store_n(&e->word[i], me, __ATOMIC_RELAXED);
}

int sn_private_put(struct sn_race_thread *r, uint64_t name, uintptr_t base, uint64_t me,
                   unsigned kind)
{
    struct sn_private *e = sn_private_of(r->sets, base, name);
    int i;
    if (!e || (sn_word_mask(me) & ~e->fine[kind]) ||
        (kind == SN_PLAIN_READ && sn_link_may_go(r, sn_link_at(sn_word_epoch(name)))) ||
        (i = private_place(e, &me, kind)) < 0)
        return 0;
    put(e, i, me, kind);
    return 1;
}

void sn_private_make_place(struct sn_race_thread *r, uint64_t name, uintptr_t base)
{
    struct sn_private *e = sn_private_at(r->sets, base);
    if (!e[0].name || !e[1].name || sn_private_of(r->sets, base, name))
        return;
    evict(&e[e[0].word[0] > e[1].word[0]]);
}

/* The thread's private words in this cell, which is locked; null: no room. */
static struct sn_private *private_words(struct sn_race_thread *r, uint32_t h, uintptr_t base)
{
    struct sn_private *e = sn_private_of(r->sets, base, sn_link_name(h));
    if (e)
        return e;
    e = sn_private_at(r->sets, base);
    if (e->name && e[1].name)
        return 0;
    e += e->name != 0;
    *e = (struct sn_private){.name = sn_link_name(h)};
    r->sets->privates = 1;
    return e;
}

int sn_private_keep(struct sn_race_thread *r, uint32_t h, uintptr_t base, uint64_t me,
                    unsigned kind)
{
    struct sn_link *l = sn_link_at(h);
    struct sn_private *e = sn_private_pays(l, kind) ? private_words(r, h, base) : 0;
    unsigned mask = sn_word_mask(me);
    if (!e)
        return 0;
    e->fine[kind] |= (uint8_t)mask;
    *(kind == SN_PLAIN_READ ? &l->reads : &l->atomics) |= (uint8_t)mask;
    l->members |= (uint8_t)(1u << (r->slot & 7));
    int i = private_place(e, &me, kind);
    if (i >= 0)
        put(e, i, me, kind);
    return i >= 0;
}

void sn_private_thread_gone(struct sn_race_thread *r)
{
    sn_kept_thread_gone(r);
    if (!r->sets->privates)
        return;
    for (struct sn_private *e = r->sets->private; e < r->sets->private + SN_PRIVATE; e++)
        evict(e);
    r->sets->privates = 0;
}

void sn_private_look(const struct sn_race_thread *r, struct sn_granule *g, uint32_t h,
                     uintptr_t base, unsigned mask, unsigned kind)
{
    struct sn_link *l = sn_link_at(h);
    if (mask & sn_private_bytes(l, kind)) {
        sn_private_gather(g, h, base);
        if (kind != SN_PLAIN_WRITE)
            l->calm = SN_LINK_MIXED;
    } else if (kind == SN_PLAIN_READ && l->reads && !l->atomics && sn_link_may_go(r, l)) {
        sn_private_gather(g, h, base); /* long epochs: a set of readers may do */
    }
}
