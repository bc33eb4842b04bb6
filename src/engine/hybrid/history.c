/* history.c: records beyond the first two are in cells of four, chained. Places of records that
 * were given up are empty (a == 0) and filled again; records never move, see sn_history_has(). */
#include "history.h"

#include "clock.h"
#include "core/count.h"
#include "core/ctx.h"
#include "core/slab.h"
#include "core/spin.h"
#include "core/sys.h"
#include "report.h"

enum { IN_CELL = 4, IN_GRANULE = 2 };

struct cell {
    uint32_t free_link; /* the slab's own */
    uint32_t next;
    uint32_t b[IN_CELL];
    uint64_t a[IN_CELL];
};

/* 2 GiB of cells: then shadow memory itself would be some times that. */
SN_SLAB(cells, struct cell, 10, 1u << 25);

/* The places of a history, one run of neighbouring ones at a time. */
struct walk {
    uint64_t *a;
    uint32_t *b;
    uint32_t n, next;
};

static inline struct walk first_places(struct sn_granule *g)
{
    return (struct walk){g->a, g->b, IN_GRANULE, __atomic_load_n(&g->more, __ATOMIC_ACQUIRE)};
}

static inline int next_places(struct walk *w)
{
    if (!w->next)
        return 0;
    struct cell *c = sn_slab_at(&cells, w->next);
    *w = (struct walk){c->a, c->b, IN_CELL, __atomic_load_n(&c->next, __ATOMIC_ACQUIRE)};
    return 1;
}

/* The same site and kind; the calling contexts may differ. */
static inline int same_site(uint32_t p, uint32_t q)
{
    return p == q || (sn_record_kind(p) == sn_record_kind(q) &&
                      sn_ctx_pc(sn_record_where(p)) == sn_ctx_pc(sn_record_where(q)));
}

int sn_history_has(struct sn_hybrid_thread *r, struct sn_granule *g, uint32_t place, unsigned mask)
{
    for (int i = 0; i < IN_GRANULE; i++) /* mostly it is there just so */
        if (sn_record_has(__atomic_load_n(&g->a[i], __ATOMIC_ACQUIRE), r->key, mask) &&
            __atomic_load_n(&g->b[i], __ATOMIC_RELAXED) == place)
            return 1;
    struct walk w = first_places(g);
    do {
        for (uint32_t i = 0; i < w.n; i++) {
            uint64_t a = __atomic_load_n(&w.a[i], __ATOMIC_ACQUIRE);
            if (sn_record_epoch(a) == r->epoch && !(mask & ~(unsigned)a) &&
                same_site(__atomic_load_n(&w.b[i], __ATOMIC_RELAXED), place) &&
                sn_lockset_within(r->cache, sn_record_locks(a), r->locks))
                return 1;
        }
    } while (next_places(&w));
    return 0;
}

static inline void put(uint64_t *a, uint32_t *b, uint64_t value, uint32_t place)
{
    __atomic_store_n(b, place, __ATOMIC_RELAXED);
    __atomic_store_n(a, value, __ATOMIC_RELEASE); /* pairs with sn_history_has() */
}

static inline int clash(unsigned k, unsigned l)
{
    return ((k | l) & SN_WRITE) && !(k & l & SN_ATOMIC);
}

enum { FOUND_AT_ONCE = 8 };

struct access {
    struct sn_hybrid_thread *r;
    uint64_t key;
    uintptr_t addr; /* of the granule */
    uint32_t place;
    unsigned mask;
    int kept;       /* a record stands for it */
    unsigned alike; /* records of the site that differ in their locks only */
    int again;      /* more was found than there is room for */
    unsigned nfound;
    struct sn_candidate found[FOUND_AT_ONCE]; /* told when the granule is unlocked */
};

static SN_NOINLINE void note(struct access *m, unsigned common, uint64_t a, uint32_t b)
{
    struct sn_candidate c = {m->addr + (unsigned)__builtin_ctz(common), m->place, b, a};
    if (m->nfound == FOUND_AT_ONCE)
        m->again = 1;
    else if (sn_hybrid_is_new(&c))
        m->found[m->nfound++] = c;
}

/* A record of the same site and kind that is ordered before the access, or of its own thread. */
static inline void meet_alike(struct access *m, uint64_t *a, uint32_t *b)
{
    uint64_t old = *a;
    uint32_t locks = sn_record_locks(old);
    int mine = sn_record_epoch(old) == sn_record_epoch(m->key);
    if (mine && locks == sn_record_locks(m->key)) {
        *a = old | m->mask;
        m->kept = 1;
    } else if (mine && !(m->mask & ~(unsigned)old) &&
               sn_lockset_within(m->r->cache, locks, sn_record_locks(m->key))) {
        m->kept = 1;
    } else if (!sn_lockset_within(m->r->cache, sn_record_locks(m->key), locks)) {
        m->alike++;
    } else if (sn_record_mask(old) & ~m->mask) {
        *a = old & ~(uint64_t)m->mask;
    } else if (!m->kept) {
        put(a, b, m->key | m->mask, m->place);
        m->kept = 1;
    } else {
        *a = 0;
    }
}

static inline void meet(struct access *m, uint64_t *a, uint32_t *b)
{
    uint64_t old = *a;
    if (sn_clock_knows(m->r, sn_record_epoch(old))) {
        if (same_site(*b, m->place))
            meet_alike(m, a, b);
        return;
    }
    unsigned common = sn_record_mask(old) & m->mask;
    if (common && clash(sn_record_kind(*b), sn_record_kind(m->place)) &&
        sn_lockset_apart(m->r->cache, sn_record_locks(m->key), sn_record_locks(old)))
        note(m, common, old, *b);
}

static SN_NOINLINE uint32_t new_cell(uint32_t *link, uintptr_t addr)
{
    if (!sn_shadow_cell_new(addr, sizeof(struct cell)))
        return 0;
    uint32_t h = sn_slab_alloc(&cells);
    if (!h) {
        sn_shadow_cell_gone(addr, sizeof(struct cell));
        sn_count(LOST_CELL);
        return 0;
    }
    struct cell *c = sn_slab_at(&cells, h);
    *c = (struct cell){0};
    __atomic_store_n(link, h, __ATOMIC_RELEASE);
    return h;
}

static void keep(struct sn_granule *g, uintptr_t addr, uint64_t a, uint32_t b)
{
    struct walk w = first_places(g);
    uint32_t *last = &g->more, n = 0;
    do {
        for (uint32_t i = 0; i < w.n; i++)
            if (!w.a[i]) {
                put(&w.a[i], &w.b[i], a, b);
                return;
            }
        n += w.n;
        if (w.next)
            last = &((struct cell *)sn_slab_at(&cells, w.next))->next;
    } while (next_places(&w));
    if (n >= SN_HISTORY_MAX) {
        sn_count(LOST_CELL);
        return;
    }
    uint32_t h = new_cell(last, addr);
    if (!h)
        return;
    struct cell *c = sn_slab_at(&cells, h);
    put(&c->a[0], &c->b[0], a, b);
}

/* Too many lock sets: one record with what they have in common takes the place of all. */
static SN_NOINLINE void unite(struct access *m, struct sn_granule *g)
{
    uint32_t locks = sn_record_locks(m->key);
    struct walk w = first_places(g);
    do {
        for (uint32_t i = 0; i < w.n; i++) {
            uint64_t old = w.a[i];
            if (!old || !sn_clock_knows(m->r, sn_record_epoch(old)) || !same_site(w.b[i], m->place))
                continue;
            locks = sn_lockset_common(locks, sn_record_locks(old));
            w.a[i] = sn_record_mask(old) & ~m->mask ? old & ~(uint64_t)m->mask : 0;
        }
    } while (next_places(&w));
    keep(g, m->addr, sn_record_key(sn_record_epoch(m->key), locks) | m->mask, m->place);
}

static void meet_all(struct access *m, struct sn_granule *g)
{
    sn_spin_lock(&g->lock);
    struct walk w = first_places(g);
    do {
        for (uint32_t i = 0; i < w.n; i++)
            if (w.a[i])
                meet(m, &w.a[i], &w.b[i]);
    } while (next_places(&w));
    if (SN_UNLIKELY(!m->kept && m->alike > SN_HISTORY_SETS))
        unite(m, g);
    else if (!m->kept)
        keep(g, m->addr, m->key | m->mask, m->place);
    sn_spin_unlock(&g->lock);
}

void sn_history_access(struct sn_thread *t, struct sn_granule *g, uintptr_t addr, uint32_t place,
                       unsigned mask)
{
    struct access m;
    m.r = sn_hybrid_of(t);
    m.key = m.r->key;
    m.addr = addr;
    m.place = place;
    m.mask = mask;
    do {
        m.kept = m.again = 0;
        m.nfound = m.alike = 0;
        meet_all(&m, g);
        for (unsigned i = 0; i < m.nfound; i++)
            sn_hybrid_report(t, &m.found[i]);
    } while (SN_UNLIKELY(m.again));
    m.r->used = 1;
}

void sn_history_clear(struct sn_granule *g, uintptr_t addr)
{
    sn_spin_lock(&g->lock);
    uint32_t h = g->more;
    g->more = 0;
    g->a[0] = g->a[1] = 0;
    while (h) {
        struct cell *c = sn_slab_at(&cells, h);
        uint32_t next = c->next;
        sn_slab_free(&cells, h);
        sn_shadow_cell_gone(addr, sizeof *c);
        h = next;
    }
    sn_spin_unlock(&g->lock);
}
