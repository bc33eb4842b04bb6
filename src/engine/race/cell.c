/* cell.c: expanded granules: exact histories for the few places that need them. */
#include "cell.h"

#include "core/count.h"
#include "core/ctx.h"
#include "core/slab.h"
#include "core/spin.h"
#include "core/sys.h"
#include "fields.h"
#include "readset.h"
#include "word.h"

enum { PER_LINK = 4, MOST_LINKS = 8, MIXED = 255 };

/* One cache line; a cell is a chain of them. `lock` guards the chain; this and all that says so is
 * of the first link only. */
struct link {
    union {
        uint32_t free_link; /* the slab's own */
        struct {            /* what threads keep for themselves; written under the lock only */
            uint8_t reads, atomics; /* bytes that they read, or access atomically */
            uint8_t members;        /* who: a bit per slot (modulo 8) */
        };
    };
    uint32_t lock;
    uint32_t next;
    uint8_t n;
    uint8_t stays; /* two words would not do, nothing was added since */
    uint8_t calm;  /* plain reads since the last plain write, up to sn_cell_calm; MIXED: nothing is
                      kept private; a late visitor may write it when the link is free */
    uint8_t pad;
    uint32_t version;       /* private words of an older one are void; only grows */
    uint8_t kind[PER_LINK]; /* of the words; this and the next are looked at as one number */
    uint8_t mask[PER_LINK]; /* theirs */
    uint32_t pad2;
    uint64_t word[PER_LINK];
};
_Static_assert(sizeof(struct link) == 64, "one cache line");

enum { CHUNK_BITS = 12 };
/* 64 M links are 4 GiB: by then the machine has other worries; beyond it accesses are counted lost.
 */
SN_SLAB(links, struct link, CHUNK_BITS, 1u << 26);

uint8_t sn_cell_calm = 32;

static inline void set_word(struct link *l, unsigned i, uint64_t word, unsigned kind)
{
    l->kind[i] = (uint8_t)kind;
    l->mask[i] = (uint8_t)sn_word_mask(word);
    l->word[i] = word;
}

static struct link *at(uint32_t h)
{
    return (struct link *)links_chunks[h >> CHUNK_BITS] + (h & ((1u << CHUNK_BITS) - 1));
}

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

/* Two words may do again, and it pays. */
static int may_go(const struct sn_race_thread *r, const struct link *first)
{
    return sn_clock_is_long(r) && !first->stays;
}

static int append(uint32_t first, uint64_t word, unsigned kind);

/* An older access of some thread comes to the cell, which is locked. */
static void file(uint32_t first, uint64_t word, unsigned kind)
{
    uint32_t slot = sn_batch_slot[sn_word_epoch(word) >> SN_BATCH_BITS];
    for (struct link *l = at(first);; l = at(l->next)) {
        for (unsigned i = 0; i < l->n; i++) {
            uint64_t w = l->word[i];
            if (l->kind[i] == kind && !(sn_word_mask(w) & ~sn_word_mask(word)) &&
                sn_batch_slot[sn_word_epoch(w) >> SN_BATCH_BITS] == slot &&
                sn_word_epoch(w) <= sn_word_epoch(word)) {
                set_word(l, i, word, kind);
                return;
            }
        }
        if (!l->next)
            break;
    }
    append(first, word, kind);
}

static void file_all(const struct sn_private *e, uint32_t first)
{
    for (unsigned i = 0; i < 2; i++)
        if (e->word[i])
            file(first, e->word[i], e->kind[i]);
}

static uint64_t name_of(uint32_t h)
{
    return sn_word_cell(h, at(h)->version);
}

/* The place is needed for another granule, or the thread ends. */
static void evict(struct sn_private *e)
{
    uint32_t h = sn_word_epoch(e->name);
    if (!h)
        return;
    sn_spin_lock(&at(h)->lock);
    if (name_of(h) == e->name)
        file_all(e, h);
    e->name = 0;
    sn_spin_unlock(&at(h)->lock);
}

/* What threads keep for themselves comes to the cell, which is locked. */
static SN_NOINLINE void gather(struct sn_granule *g, uint32_t h, uintptr_t base)
{
    struct link *l = at(h);
    for (uint32_t slot = 0, n = sn_clock_slots; slot < n; slot++) {
        struct sn_set_cache *c = sn_slot_sets[slot];
        const struct sn_private *e = 0;
        if (c && (l->members >> (slot & 7) & 1))
            e = sn_private_of(c, base, name_of(h));
        if (e)
            file_all(e, h);
    }
    l->reads = l->atomics = l->members = 0;
    l->version++;
    __atomic_store_n(&g->w, name_of(h), __ATOMIC_RELEASE);
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
_Static_assert(PER_LINK == 4, "as many as bytes of a number");

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
static inline int look_through(const struct sn_race_thread *r, struct link *l, uint64_t me,
                               unsigned kind, uint64_t **place, uint64_t *old)
{
    uint32_t n = l->n, kinds = four(l->kind), masks = four(l->mask);
    uint32_t valid = n == PER_LINK ? ONES : ((1u << 8 * n) - 1) & ONES, mask = sn_word_mask(me);
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

/* Private words that an access of that kind might conflict with are of these bytes. */
static inline unsigned private_bytes(const struct link *l, unsigned kind)
{
    return kind == SN_PLAIN_READ    ? l->atomics
           : kind == SN_PLAIN_WRITE ? l->atomics | l->reads
                                    : l->reads;
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

int sn_cell_private_slow(struct sn_race_thread *r, uint64_t name, uintptr_t base, uint64_t me,
                         unsigned kind)
{
    struct sn_private *e = sn_private_of(r->sets, base, name);
    int i;
    if (!e || (sn_word_mask(me) & ~e->fine[kind]) ||
        (kind == SN_PLAIN_READ && may_go(r, at(sn_word_epoch(name)))) ||
        (i = private_place(e, &me, kind)) < 0)
        return 0;
    put(e, i, me, kind);
    return 1;
}

/* Makes room for private words, while no cell is locked. */
static void make_place(struct sn_race_thread *r, uint64_t name, uintptr_t base)
{
    struct sn_private *e = sn_private_at(r->sets, base);
    if (!e[0].name || !e[1].name || sn_private_of(r->sets, base, name))
        return;
    evict(&e[e[0].word[0] > e[1].word[0]]);
}

/* The thread's private words in this cell, which is locked; null: no room. */
static struct sn_private *private_words(struct sn_race_thread *r, uint32_t h, uintptr_t base)
{
    struct sn_private *e = sn_private_of(r->sets, base, name_of(h));
    if (e)
        return e;
    e = sn_private_at(r->sets, base);
    if (e->name && e[1].name)
        return 0;
    e += e->name != 0;
    *e = (struct sn_private){.name = name_of(h)};
    r->sets->privates = 1;
    return e;
}

/* Does it pay to keep such accesses private? Reads that are followed by writes would be gathered
 * each time; whoever accesses bytes atomically goes on to do so. */
static inline int is_calm(const struct link *l, unsigned kind)
{
    return kind == SN_PLAIN_READ ? l->calm == sn_cell_calm
                                 : kind != SN_PLAIN_WRITE && l->calm != MIXED;
}

static inline void count_calm(struct link *l, unsigned kind)
{
    if (kind == SN_PLAIN_READ && l->calm < sn_cell_calm)
        l->calm++;
    else if (kind == SN_PLAIN_WRITE && l->calm && l->calm != MIXED)
        l->calm = 0;
}

/* The cell is locked and nothing in it conflicts with `me`: the thread keeps it for itself. 0: it
 * does not. */
static int keep_private(struct sn_race_thread *r, uint32_t h, uintptr_t base, uint64_t me,
                        unsigned kind)
{
    struct link *l = at(h);
    struct sn_private *e = is_calm(l, kind) ? private_words(r, h, base) : 0;
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

/* The place is calm, and the thread does not keep such accesses for itself yet. */
static inline int wants_private(struct sn_race_thread *r, const struct link *l, uint64_t name,
                                uintptr_t base, unsigned mask, unsigned kind)
{
    if (!is_calm(l, kind))
        return 0;
    const struct sn_private *e = sn_private_of(r->sets, base, name);
    return !e || (mask & ~e->fine[kind]);
}

void sn_cell_thread_gone(struct sn_race_thread *r)
{
    if (!r->sets->privates)
        return;
    for (struct sn_private *e = r->sets->private; e < r->sets->private + SN_PRIVATE; e++)
        evict(e);
    r->sets->privates = 0;
}

int sn_cell_quick(struct sn_race_thread *r, uint64_t name, uintptr_t base, uint64_t me,
                  unsigned kind)
{
    struct link *l = at(sn_word_epoch(name));
    unsigned mask = sn_word_mask(me);
    uint64_t old = 0, *place = 0;
    if (may_go(r, l) || (mask & private_bytes(l, kind)) ||
        wants_private(r, l, name, base, mask, kind))
        return 0;
    for (int hops = 0; hops < MOST_LINKS; hops++) {
        if (l->n > PER_LINK || !look_through(r, l, me, kind, &place, &old))
            return 0;
        if (!l->next) {
            if (!place || !__atomic_compare_exchange_n(place, &old, me, 0, __ATOMIC_ACQ_REL,
                                                       __ATOMIC_RELAXED))
                return 0;
            count_calm(at(sn_word_epoch(name)), kind);
            remember(r, base, me, kind);
            return 1;
        }
        l = at(l->next);
    }
    return 0;
}

static void remove_at(struct link *l, unsigned i)
{
    l->n--;
    set_word(l, i, l->word[l->n], l->kind[l->n]);
}

static int append(uint32_t first, uint64_t word, unsigned kind)
{
    struct link *l = at(first);
    while (l->n == PER_LINK && l->next)
        l = at(l->next);
    if (l->n == PER_LINK) {
        uint32_t h = sn_slab_alloc(&links);
        if (!h) {
            sn_count(LOST_CELL);
            return 0;
        }
        struct link *more = at(h);
        more->next = 0;
        more->n = 0;
        l->next = h;
        l = more;
    }
    set_word(l, l->n, word, kind);
    l->n++;
    at(first)->stays = 0;
    return 1;
}

/* Looks at every remembered access: conflicts are told, what gives way is trimmed or makes room for
 * `me`. 1: me is in. */
static int sweep(struct sn_race_thread *r, uint32_t first, uint64_t me, unsigned kind,
                 struct sn_conflicts *found)
{
    unsigned mask = sn_word_mask(me);
    int in = 0;
    for (struct link *l = at(first);; l = at(l->next)) {
        for (unsigned i = 0; i < l->n;) {
            uint64_t w = l->word[i];
            unsigned k = l->kind[i];
            if (!sn_clock_knows(r, sn_word_epoch(w))) {
                if ((sn_word_mask(w) & mask) && conflicts(k, kind))
                    sn_conflict_add(found, w, k);
            } else if (k == kind && !in && sn_word_epoch(w) == sn_word_epoch(me) &&
                       sn_word_where(w) == sn_word_where(me)) {
                set_word(l, i, w | mask, kind);
                in = 1;
            } else if ((sn_word_mask(w) & mask) && gives_way(k, kind)) {
                uint64_t rest = w & ~(uint64_t)mask;
                if (sn_word_mask(rest)) {
                    set_word(l, i, rest, k);
                } else if (!in) {
                    set_word(l, i, me, kind);
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

/* Empty links behind the first go back. */
static void tidy(uint32_t first)
{
    for (struct link *l = at(first); l->next;) {
        uint32_t h = l->next;
        if (at(h)->n) {
            l = at(h);
            continue;
        }
        l->next = at(h)->next;
        sn_slab_free(&links, h);
    }
}

static uint32_t fresh_cell(void)
{
    uint32_t h = sn_slab_alloc(&links);
    if (!h) {
        sn_count(LOST_CELL);
        return 0;
    }
    struct link *l = at(h);
    sn_spin_lock(&l->lock); /* a late visitor of its former life may hold it for a moment */
    l->next = 0;
    l->n = 0;
    l->stays = 0;
    l->reads = l->atomics = l->members = l->calm = 0;
    l->version++;
    return h;
}

static void give_back(uint32_t first)
{
    uint32_t h = at(first)->next;
    at(first)->next = 0;
    at(first)->n = 0;
    at(first)->version++;
    sn_spin_unlock(&at(first)->lock);
    sn_slab_free(&links, first);
    while (h) {
        uint32_t next = at(h)->next;
        sn_slab_free(&links, h);
        h = next;
    }
}

/* Fields side by side mostly have parts of the same access. */
static void append_field(void *first, uint64_t word, unsigned kind)
{
    struct link *l = at(*(uint32_t *)first);
    for (unsigned i = 0; i < l->n; i++)
        if (l->kind[i] == kind && !((l->word[i] ^ word) & ~0xffull)) {
            set_word(l, i, l->word[i] | word, kind);
            return;
        }
    append(*(uint32_t *)first, word, kind);
}

/* The granule's fields become a cell, locked; 0: it has others now, or there is no room. */
static uint32_t cell_of_fields(struct sn_granule *g, uint64_t name)
{
    uint32_t h = fresh_cell();
    if (h && !sn_fields_dissolve(g, name, name_of(h), append_field, &h)) {
        give_back(h);
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
            uint32_t h = cell_of_fields(g, w);
            if (h || __atomic_load_n(&g->w, __ATOMIC_RELAXED) == w)
                return h;
            continue;
        }
        if (sn_word_is_cell(w)) {
            uint32_t h = sn_word_epoch(w);
            sn_spin_lock(&at(h)->lock);
            if (__atomic_load_n(&g->w, __ATOMIC_RELAXED) == w)
                return h;
            sn_spin_unlock(&at(h)->lock);
            continue;
        }
        uint32_t h = fresh_cell();
        if (!h)
            return 0;
        if (w)
            append(h, w, SN_PLAIN_WRITE);
        if (__atomic_compare_exchange_n(&g->w, &w, name_of(h), 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            sn_shadow_cells_add(addr, 1);
            sn_count(CELLS);
            return h;
        }
        give_back(h);
    }
}

/* One plain write at most, and readers that one word can name: the cell is not needed any more. */
static int back_to_words(struct sn_granule *g, uintptr_t addr, uint32_t h,
                         struct sn_race_thread *t)
{
    uint64_t reads[SN_SET_MAX], w = 0, r = 0;
    unsigned n = 0, writes = 0;
    if (at(h)->reads | at(h)->atomics)
        return 0;
    if ((at(h)->n && at(h)->kind[0] & SN_ATOMIC_READ) ||
        (at(h)->n > 2 && !sn_clock_is_long(t)))
        return 0; /* the two common reasons, before anything is counted */
    for (struct link *l = at(h);; l = at(l->next)) {
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
    give_back(h);
    return 1;
}

/* What others keep for themselves may matter now. */
static void look_at_private(const struct sn_race_thread *r, struct sn_granule *g, uint32_t h,
                            uintptr_t base, unsigned mask, unsigned kind)
{
    struct link *l = at(h);
    if (mask & private_bytes(l, kind)) {
        gather(g, h, base);
        if (kind != SN_PLAIN_WRITE)
            l->calm = MIXED;
    } else if (kind == SN_PLAIN_READ && l->reads && !l->atomics && may_go(r, l)) {
        gather(g, h, base); /* long epochs: a set of readers may do */
    }
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
        (sn_cell_private(sn_race_of(t), w, addr, me, kind) ||
         sn_cell_quick(sn_race_of(t), w, addr, me, kind)))
        return;
    if (sn_word_is_list(w) && is_calm(at(sn_word_epoch(w)), kind))
        make_place(sn_race_of(t), w, addr);
    uint32_t h = lock_cell(g, addr);
    if (!h)
        return;
    /* The read word, now or from a thread that had not seen the expansion yet. */
    uint64_t readers[SN_SET_MAX];
    unsigned n = 0;
    if (__atomic_load_n(&g->r, __ATOMIC_RELAXED))
        n = sn_set_list(__atomic_exchange_n(&g->r, 0, __ATOMIC_ACQ_REL), readers, SN_SET_MAX);
    for (unsigned i = 0; i < n; i++)
        append(h, readers[i] & ~SN_WORD_WRITE,
               sn_word_is_write(readers[i]) ? SN_PLAIN_WRITE : SN_PLAIN_READ);
    if (n && at(h)->atomics)
        gather(g, h, addr);
    look_at_private(sn_race_of(t), g, h, addr, sn_word_mask(me), kind);
    int in = sweep(sn_race_of(t), h, me, kind, found);
    if (!found->n && kind != SN_PLAIN_WRITE && keep_private(sn_race_of(t), h, addr, me, kind))
        in = 1;
    if (!in)
        append(h, me, kind);
    count_calm(at(h), kind);
    if (at(h)->next)
        tidy(h);
    if (!back_to_words(g, addr, h, sn_race_of(t))) {
        at(h)->stays = sn_clock_is_long(sn_race_of(t));
        sn_spin_unlock(&at(h)->lock);
        remember(sn_race_of(t), addr, me, kind);
    }
}

void sn_cell_give_up(struct sn_granule *g, uintptr_t addr)
{
    uint64_t w = __atomic_load_n(&g->w, __ATOMIC_ACQUIRE);
    if (!sn_word_is_cell(w))
        return;
    if (sn_word_is_fields(w)) {
        if (sn_fields_dissolve(g, w, 0, 0, 0))
            sn_shadow_cells_add(addr, -1);
        return;
    }
    uint32_t h = sn_word_epoch(w);
    sn_spin_lock(&at(h)->lock);
    if (__atomic_compare_exchange_n(&g->w, &w, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        sn_shadow_cells_add(addr, -1);
        give_back(h);
        return;
    }
    sn_spin_unlock(&at(h)->lock);
}
