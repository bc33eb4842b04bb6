/* cell.c: expanded granules: exact histories for the few places that need them. */
#include "cell.h"

#include "core/count.h"
#include "core/ctx.h"
#include "core/spin.h"
#include "core/sys.h"
#include "fields.h"
#include "links.h"
#include "private.h"
#include "readset.h"
#include "word.h"

enum { MOST_LINKS = 8, MOST_IN_FIELDS = 16 };

uint8_t sn_cell_turns = 8;

/* Two accesses to common bytes, not ordered: is that a race? */
static inline int conflicts(unsigned a, unsigned b)
{
    return ((a | b) & SN_PLAIN_WRITE) && /* not two reads */
           !(a & b & SN_ATOMIC_READ);    /* not both atomic */
}

/* `older` happens before `newer` and its bytes are covered: may it be forgotten? Only if whatever
 * conflicts with the older conflicts with the newer too. */
static inline int gives_way(unsigned older, unsigned newer)
{
    /* bits: newer, from the least significant: plain read, plain write, atomic read, atomic write
     */
    static const uint8_t to[] = {[SN_PLAIN_READ] = 0x3,
                                 [SN_PLAIN_WRITE] = 0x2,
                                 [SN_ATOMIC_READ] = 0xf,
                                 [SN_ATOMIC_WRITE] = 0xa};
    return to[older] >> newer & 1;
}

/* The access is in the cell of the granule at base. What it makes superfluous: see gives_way(). */
static inline void remember(struct sn_race_thread *r, uintptr_t base, uint64_t me, unsigned kind)
{
    static const uint32_t spread[] = {[SN_PLAIN_READ] = 0x00010001,
                                      [SN_PLAIN_WRITE] = 0x01010101,
                                      [SN_ATOMIC_READ] = 0x00010000,
                                      [SN_ATOMIC_WRITE] = 0x01010000};
    struct sn_recent *e = sn_recent_at(r->sets, base);
    uint32_t has = sn_word_mask(me) * spread[kind], old;
    base |= sn_clock_is_long(r);
    if (e->base == base && e->epoch == r->epoch) {
        __builtin_memcpy(&old, e->has, sizeof old);
        has |= old;
    }
    e->base = base;
    e->epoch = r->epoch;
    if (r->sets->recent_epoch != r->epoch)
        r->sets->recent_areas = 0;
    r->sets->recent_epoch = r->epoch;
    r->sets->recent_areas |= sn_recent_area(base);
    __builtin_memcpy(e->has, &has, sizeof has);
}

/* Of the four bytes of a link's kinds or masks: 1 where it holds. */
enum { ONES = 0x01010101 };
_Static_assert(SN_PER_LINK == 4, "as many as bytes of a number");

static inline uint32_t not_zero(uint32_t bytes)
{
    return (((bytes & 0x7f * ONES) + 0x7f * ONES) | bytes) >> 7 & ONES;
}

static inline uint32_t four(const uint8_t *bytes)
{
    uint32_t x;
    __builtin_memcpy(&x, bytes, sizeof x);
    return x;
}

/* It may conflict with an access of that kind to the same bytes. */
static inline uint32_t clashing(uint32_t kinds, unsigned kind)
{
    switch (kind) {
    case SN_PLAIN_READ:
        return kinds & ONES; /* writes */
    case SN_PLAIN_WRITE:
        return ONES;
    case SN_ATOMIC_READ:
        return kinds & ~(kinds >> 1) & ONES; /* plain writes */
    default:
        return ~(kinds >> 1) & ONES; /* what is plain */
    }
}

/* The access `me` among those of one link. 0: there is one that conflicts. *place: of one of its
 * kind and bytes that it may replace, and *old what is there. */
static inline int look_through(const struct sn_race_thread *r, struct sn_link *l, uint64_t me,
                               unsigned kind, uint64_t **place, uint64_t *old)
{
    uint32_t n = l->n, kinds = four(l->kind), masks = four(l->mask);
    uint32_t valid = n == SN_PER_LINK ? ONES : ((1u << 8 * n) - 1) & ONES, mask = sn_word_mask(me);
    uint32_t clash = clashing(kinds, kind) & not_zero(masks & mask * ONES) & valid;
    uint32_t same = ~not_zero((masks ^ mask * ONES) | (kinds ^ kind * ONES)) & valid;
    for (uint32_t b = clash | (*place ? 0 : same); b; b &= b - 1) {
        uint64_t *p = &l->word[__builtin_ctz(b) >> 3], w = __atomic_load_n(p, __ATOMIC_RELAXED);
        if (!sn_clock_knows(r, sn_word_epoch(w))) {
            if (clash & b & -b)
                return 0;
        } else if (same & b & -b && sn_word_mask(w) == mask) {
            *old = w;
            *place = p;
        }
    }
    return 1;
}

int sn_cell_quick(struct sn_race_thread *r, uint64_t name, uintptr_t base, uint64_t me,
                  unsigned kind)
{
    struct sn_link *l = sn_link_at(sn_word_epoch(name));
    unsigned mask = sn_word_mask(me);
    uint64_t old = 0, *place = 0;
    if (sn_link_may_go(r, l) || l->turns >= sn_cell_turns || (mask & sn_private_bytes(l, kind)) ||
        sn_private_wanted(r, l, name, base, mask, kind))
        return 0;
    for (int hops = 0; hops < MOST_LINKS; hops++) {
        if (l->n > SN_PER_LINK || !look_through(r, l, me, kind, &place, &old))
            return 0;
        if (!l->next) {
            if (!place || !__atomic_compare_exchange_n(place, &old, me, 0, __ATOMIC_ACQ_REL,
                                                       __ATOMIC_RELAXED))
                return 0;
            sn_private_count(sn_link_at(sn_word_epoch(name)), kind);
            sn_link_at(sn_word_epoch(name))->turns++;
            remember(r, base, me, kind);
            return 1;
        }
        l = sn_link_at(l->next);
    }
    return 0;
}

static void remove_at(struct sn_link *l, unsigned i)
{
    l->n--;
    sn_link_set(l, i, l->word[l->n], l->kind[l->n]);
}

/* Looks at every remembered access: conflicts are told, what gives way is trimmed or makes room for
 * `me`. 1: me is in. */
static int sweep(struct sn_race_thread *r, uint32_t first, uint64_t me, unsigned kind,
                 struct sn_conflicts *found)
{
    unsigned mask = sn_word_mask(me);
    int in = 0;
    for (struct sn_link *l = sn_link_at(first);; l = sn_link_at(l->next)) {
        for (unsigned i = 0; i < l->n;) {
            uint64_t w = l->word[i];
            unsigned k = l->kind[i];
            if (!sn_clock_knows(r, sn_word_epoch(w))) {
                if ((sn_word_mask(w) & mask) && conflicts(k, kind))
                    sn_conflict_add(found, w, k);
            } else if (k == kind && !in && sn_word_epoch(w) == sn_word_epoch(me) &&
                       sn_word_where(w) == sn_word_where(me)) {
                sn_link_set(l, i, w | mask, kind);
                in = 1;
            } else if ((sn_word_mask(w) & mask) && gives_way(k, kind)) {
                uint64_t rest = w & ~(uint64_t)mask;
                if (sn_word_mask(rest)) {
                    sn_link_set(l, i, rest, k);
                } else if (!in) {
                    sn_link_set(l, i, me, kind);
                    in = 1;
                } else {
                    remove_at(l, i);
                    continue;
                }
            }
            i++;
        }
        if (!l->next)
            return in;
    }
}

/* Fields side by side mostly have parts of the same access. */
static void append_field(void *first, uint64_t word, unsigned kind)
{
    struct sn_link *l = sn_link_at(*(uint32_t *)first);
    for (unsigned i = 0; i < l->n; i++)
        if (l->kind[i] == kind && !((l->word[i] ^ word) & ~0xffull)) {
            sn_link_set(l, i, l->word[i] | word, kind);
            return;
        }
    sn_link_append(*(uint32_t *)first, word, kind);
}

/* The granule's fields become a cell, locked; 0: it has others now, or there is no room. */
static uint32_t cell_of_fields(struct sn_granule *g, uintptr_t base, uint64_t name)
{
    uint32_t h = sn_link_take();
    if (h && !sn_fields_dissolve(g, base, name, sn_link_name(h), append_field, &h)) {
        sn_link_give(h);
        h = 0;
    }
    return h;
}

/* The granule's cell, locked; made from what there is if there is none yet. */
static uint32_t lock_cell(struct sn_granule *g, uintptr_t addr)
{
    for (;;) {
        uint64_t w = __atomic_load_n(&g->w, __ATOMIC_ACQUIRE);
        if (sn_word_is_fields(w)) {
            uint32_t h = cell_of_fields(g, addr, w);
            if (h || __atomic_load_n(&g->w, __ATOMIC_RELAXED) == w)
                return h;
            continue;
        }
        if (sn_word_is_cell(w)) {
            uint32_t h = sn_word_epoch(w);
            sn_spin_lock(&sn_link_at(h)->lock);
            if (__atomic_load_n(&g->w, __ATOMIC_RELAXED) == w)
                return h;
            sn_spin_unlock(&sn_link_at(h)->lock);
            continue;
        }
        uint32_t h = sn_link_take();
        if (!h)
            return 0;
        if (w)
            sn_link_append(h, w, SN_PLAIN_WRITE);
        if (__atomic_compare_exchange_n(&g->w, &w, sn_link_name(h), 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            sn_shadow_cells_add(addr, 1);
            sn_count(CELLS);
            return h;
        }
        sn_link_give(h);
    }
}

/* One plain write at most, and readers that one word can name: the cell is not needed any more. */
static int back_to_words(struct sn_granule *g, uintptr_t addr, uint32_t h, struct sn_race_thread *t)
{
    uint64_t reads[SN_SET_MAX], w = 0, r = 0;
    unsigned n = 0, writes = 0;
    if (sn_link_at(h)->reads | sn_link_at(h)->atomics)
        return 0;
    if ((sn_link_at(h)->n && sn_link_at(h)->kind[0] & SN_ATOMIC_READ) ||
        (sn_link_at(h)->n > 2 && !sn_clock_is_long(t)))
        return 0; /* the two common reasons, before anything is counted */
    for (struct sn_link *l = sn_link_at(h);; l = sn_link_at(l->next)) {
        for (unsigned i = 0; i < l->n; i++) {
            if (l->kind[i] == SN_PLAIN_WRITE && writes++ == 0)
                w = l->word[i];
            else if (l->kind[i] == SN_PLAIN_READ && n < SN_SET_MAX)
                reads[n++] = l->word[i];
            else
                return 0;
        }
        if (!l->next)
            break;
    }
    if (n > 1 && !sn_clock_is_long(t))
        return 0;
    if (n && !(r = sn_set_of(t->sets, reads, n)))
        return 0;
    __atomic_store_n(&g->r, r, __ATOMIC_RELEASE);
    __atomic_store_n(&g->w, w, __ATOMIC_RELEASE);
    sn_shadow_cells_add(addr, -1);
    sn_link_give(h);
    return 1;
}

/* No byte has more than one write, nor readers that need a list, and none is atomic. */
static int back_to_fields(struct sn_granule *g, uint32_t h, struct sn_race_thread *r)
{
    uint64_t word[MOST_IN_FIELDS], name;
    unsigned n = 0;
    struct sn_link *l = sn_link_at(h);
    if (++l->turns < sn_cell_turns)
        return 0;
    l->turns = 0;
    if (l->reads | l->atomics)
        return 0;
    for (;; l = sn_link_at(l->next)) {
        for (unsigned i = 0; i < l->n; i++) {
            if (n == MOST_IN_FIELDS || (l->kind[i] & SN_ATOMIC_READ))
                return 0;
            word[n++] = l->word[i] | (l->kind[i] == SN_PLAIN_WRITE ? SN_WORD_WRITE : 0);
        }
        if (!l->next)
            break;
    }
    if (!(name = sn_fields_of(r, word, n)))
        return 0;
    __atomic_store_n(&g->w, name, __ATOMIC_RELEASE);
    sn_link_give(h);
    return 1;
}

void sn_cell_access(struct sn_thread *t, struct sn_granule *g, uintptr_t addr, uint64_t me,
                    unsigned kind, struct sn_conflicts *found)
{
    uint64_t w = __atomic_load_n(&g->w, __ATOMIC_ACQUIRE);
    if ((!sn_word_is_cell(w) || sn_word_is_fields(w)) && !(kind & SN_ATOMIC_READ) &&
        sn_fields_access(sn_race_of(t), g, addr, me, kind == SN_PLAIN_WRITE))
        return;
    w = __atomic_load_n(&g->w, __ATOMIC_ACQUIRE);
    if (sn_word_is_list(w) && !__atomic_load_n(&g->r, __ATOMIC_RELAXED) &&
        (sn_private_try(sn_race_of(t), w, addr, me, kind) ||
         sn_cell_quick(sn_race_of(t), w, addr, me, kind)))
        return;
    if (sn_word_is_list(w) && sn_private_pays(sn_link_at(sn_word_epoch(w)), kind))
        sn_private_make_place(sn_race_of(t), w, addr);
    uint32_t h = lock_cell(g, addr);
    if (!h)
        return;
    /* The read word, now or from a thread that had not seen the expansion yet. */
    uint64_t readers[SN_SET_MAX];
    unsigned n = 0;
    if (__atomic_load_n(&g->r, __ATOMIC_RELAXED))
        n = sn_set_list(__atomic_exchange_n(&g->r, 0, __ATOMIC_ACQ_REL), readers, SN_SET_MAX);
    for (unsigned i = 0; i < n; i++)
        sn_link_append(h, readers[i] & ~SN_WORD_WRITE,
                       sn_word_is_write(readers[i]) ? SN_PLAIN_WRITE : SN_PLAIN_READ);
    if (n && sn_link_at(h)->atomics)
        sn_private_gather(g, h, addr);
    sn_private_look(sn_race_of(t), g, h, addr, sn_word_mask(me), kind);
    int in = sweep(sn_race_of(t), h, me, kind, found);
    if (!found->n && kind != SN_PLAIN_WRITE && sn_private_keep(sn_race_of(t), h, addr, me, kind))
        in = 1;
    if (!in)
        sn_link_append(h, me, kind);
    sn_private_count(sn_link_at(h), kind);
    if (sn_link_at(h)->next)
        sn_link_tidy(h);
    if (!back_to_words(g, addr, h, sn_race_of(t)) && !back_to_fields(g, h, sn_race_of(t))) {
        sn_link_at(h)->stays = sn_clock_is_long(sn_race_of(t));
        sn_spin_unlock(&sn_link_at(h)->lock);
        remember(sn_race_of(t), addr, me, kind);
    }
}

void sn_cell_of_fields(struct sn_granule *g, uintptr_t base)
{
    uint32_t h =
        sn_word_is_fields(__atomic_load_n(&g->w, __ATOMIC_RELAXED)) ? lock_cell(g, base) : 0;
    if (h)
        sn_spin_unlock(&sn_link_at(h)->lock);
}

void sn_cell_give_up(struct sn_granule *g, uintptr_t addr)
{
    uint64_t w = __atomic_load_n(&g->w, __ATOMIC_ACQUIRE);
    for (; sn_word_is_fields(w); w = __atomic_load_n(&g->w, __ATOMIC_ACQUIRE))
        if (sn_fields_dissolve(g, addr, w, 0, 0, 0)) {
            sn_shadow_cells_add(addr, -1);
            return;
        }
    if (!sn_word_is_cell(w))
        return;
    uint32_t h = sn_word_epoch(w);
    sn_spin_lock(&sn_link_at(h)->lock);
    if (__atomic_compare_exchange_n(&g->w, &w, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        sn_shadow_cells_add(addr, -1);
        sn_link_give(h);
        return;
    }
    sn_spin_unlock(&sn_link_at(h)->lock);
}
