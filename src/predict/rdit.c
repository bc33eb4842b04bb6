/*
 * rdit.c: the maximal causal model of a trace with missing events (chapter 4 of the RDIT paper,
 * Algorithms 5 and 6). A BarrierPair is a call whose inside is not in the trace; it may do anything
 * to what it can reach (D). A point of a pair is its begin, its end, or an observed event of its
 * thread in between.
 *
 * From the paper:
 *   1. points of pairs that have an address in common keep their observed order (Caveats 1, 4);
 *   2. so does an observed event on an address of D with all the points of the pair (Caveats 2, 3).
 *      "On an address" is wider than Read and Write: locks, conditions, thread objects too.
 *
 * That is not yet enough: unseen code also depends on what observed events do among themselves. Two
 * traces in tests/trace show false alarms without the following (rdit-order-of-writes,
 * rdit-hidden-relay, and the oracle test finds many more):
 *   3. while a pair is open, the observed events on its D and its points keep their order all
 *      together, and pairs that overlap in time and share an address do so as one (a cluster):
 *      what one thread's unseen code sees may travel through another's;
 *   4. when a pair begins, every cell of its D has the value that it had in the trace: the begin
 *      counts as a read of it;
 *   5. what a cell holds after a pair is not what it held before: reads after the pair are not
 *      served by writes before it. A cell is one variable between two pairs, another one after.
 *
 * And one thing can be weaker than in the paper without harm: an event that is about to happen need
 * not wait for points before it, only an event that happens does (the edge is soft). Of what comes
 * after it in the trace nothing has been executed.
 */
#include "predict/causal.h"

#include <stdlib.h>
#include <string.h>

/* Addresses with the same pairs around them. */
struct segment {
    uint64_t addr, end;
    uint32_t set;
};

/* Pairs that share an address, and their points in trace order. */
struct pair_list {
    uint32_t *pair; /* sorted */
    uint32_t n;
    uint32_t *point;
    uint32_t npoints;
};

struct rdit {
    struct sn_model *m;
    const struct sn_window *w;
    struct segment *segment; /* by address, disjoint */
    uint32_t nsegments, cap_segments;
    struct pair_list *set;
    uint32_t nsets, cap_sets;
    uint32_t *set_slot; /* hash -> 1 + set */
    uint32_t cap_set_slots;
    uint32_t *cluster;   /* pair -> representative */
    uint64_t *edge_slot; /* edges already there: from << 32 | to << 1 | soft, plus 1 */
    uint32_t nedges, cap_edge_slots;
    struct inside *inside; /* observed events in clusters */
    uint32_t ninside, cap_inside;
};

struct inside {
    uint32_t cluster, event;
    bool point;
};

/* Edges, each once. */

static bool first_time(struct rdit *r, uint64_t key)
{
    if (2 * r->nedges >= r->cap_edge_slots) {
        uint64_t *old = r->edge_slot;
        uint32_t cap = r->cap_edge_slots;
        r->cap_edge_slots = cap ? cap * 2 : 1024;
        r->edge_slot = SN_NEW(r->m->arena, uint64_t, r->cap_edge_slots);
        r->nedges = 0;
        for (uint32_t i = 0; i < cap; i++)
            if (old[i])
                first_time(r, old[i]);
    }
    uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32) & (r->cap_edge_slots - 1);
    for (; r->edge_slot[i]; i = (i + 1) & (r->cap_edge_slots - 1))
        if (r->edge_slot[i] == key)
            return false;
    r->edge_slot[i] = key;
    r->nedges++;
    return true;
}

static void edge(struct rdit *r, uint32_t from, uint32_t to, enum sn_edge_kind kind)
{
    if (sn_thread_of(r->m, from) == sn_thread_of(r->m, to))
        return;
    if (first_time(r, (uint64_t)from << 32 | (uint64_t)to << 1 | (kind == SN_EDGE_SOFT)))
        sn_edge_add(r->m, &r->m->edges, from, to, kind);
}

/* Sets of pairs. */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void add_points(struct rdit *r, struct pair_list *s, uint32_t *cap)
{
    const struct sn_model *m = r->m;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct sn_wpair *p = &r->w->pair[s->pair[i]];
        uint32_t first = p->begin < 0 ? 0 : m->pos[p->begin];
        for (uint32_t k = first; k < m->length[p->thread] && m->list[p->thread][k] <= p->end; k++)
            SN_PUSH(m->arena, s->point, s->npoints, *cap, m->list[p->thread][k]);
    }
    if (s->npoints)
        qsort(s->point, s->npoints, sizeof *s->point, by_number);
    uint32_t kept = 0; /* nested pairs have points in common */
    for (uint32_t i = 0; i < s->npoints; i++)
        if (kept == 0 || s->point[kept - 1] != s->point[i])
            s->point[kept++] = s->point[i];
    s->npoints = kept;
}

static void grow_sets(struct rdit *r)
{
    if (2 * r->nsets < r->cap_set_slots)
        return;
    r->cap_set_slots = r->cap_set_slots ? r->cap_set_slots * 2 : 256;
    r->set_slot = SN_NEW(r->m->arena, uint32_t, r->cap_set_slots);
    for (uint32_t s = 0; s < r->nsets; s++) {
        uint64_t h = r->set[s].n;
        for (uint32_t i = 0; i < r->set[s].n; i++)
            h = (h ^ r->set[s].pair[i]) * 0x9e3779b97f4a7c15ull;
        uint32_t i = (uint32_t)(h >> 32) & (r->cap_set_slots - 1);
        while (r->set_slot[i])
            i = (i + 1) & (r->cap_set_slots - 1);
        r->set_slot[i] = s + 1;
    }
}

static uint32_t intern_set(struct rdit *r, const uint32_t *pair, uint32_t n)
{
    uint64_t h = n;
    uint32_t cap = 0;
    grow_sets(r);
    for (uint32_t i = 0; i < n; i++)
        h = (h ^ pair[i]) * 0x9e3779b97f4a7c15ull;
    uint32_t i = (uint32_t)(h >> 32) & (r->cap_set_slots - 1);
    for (; r->set_slot[i]; i = (i + 1) & (r->cap_set_slots - 1)) {
        const struct pair_list *s = &r->set[r->set_slot[i] - 1];
        if (s->n == n && memcmp(s->pair, pair, n * sizeof *pair) == 0)
            return r->set_slot[i] - 1;
    }
    struct pair_list s = {.pair = SN_NEW(r->m->arena, uint32_t, n), .n = n};
    memcpy(s.pair, pair, n * sizeof *pair);
    add_points(r, &s, &cap);
    SN_PUSH(r->m->arena, r->set, r->nsets, r->cap_sets, s);
    r->set_slot[i] = r->nsets;
    return r->nsets - 1;
}

/* Segments: a sweep over the ends of all ranges. */

struct bound {
    uint64_t addr;
    uint32_t pair;
    bool opens;
};

/* At one address what opens comes before what closes. */
static int by_bound(const void *a, const void *b)
{
    const struct bound *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    return (int)y->opens - (int)x->opens;
}

static uint64_t range_end(const struct sn_trace_range *g)
{
    return g->size > UINT64_MAX - g->addr ? UINT64_MAX : g->addr + g->size;
}

static struct bound *all_bounds(struct rdit *r, uint32_t *n)
{
    struct bound *b = SN_NEW(r->m->arena, struct bound, 2 * r->w->nranges);
    *n = 0;
    for (uint32_t p = 0; p < r->w->npairs; p++)
        for (uint32_t i = 0; i < r->w->pair[p].nranges; i++) {
            const struct sn_trace_range *g = &r->w->range[r->w->pair[p].first_range + i];
            if (g->size == 0)
                continue;
            b[(*n)++] = (struct bound){g->addr, p, true};
            b[(*n)++] = (struct bound){range_end(g), p, false};
        }
    if (*n)
        qsort(b, *n, sizeof *b, by_bound);
    return b;
}

/* The pairs that are open at the current address, sorted. */
struct active {
    uint32_t *pair, n;
    uint32_t *depth; /* by pair: ranges of one pair may overlap */
};

static void set_active(struct active *a, const struct bound *b)
{
    uint32_t low = 0, high = a->n;
    a->depth[b->pair] += b->opens ? 1 : -1;
    if (a->depth[b->pair] != (b->opens ? 1 : 0))
        return;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (a->pair[mid] < b->pair)
            low = mid + 1;
        else
            high = mid;
    }
    uint32_t *at = a->pair + low;
    if (b->opens) {
        memmove(at + 1, at, (a->n++ - low) * sizeof *at);
        *at = b->pair;
    } else {
        memmove(at, at + 1, (--a->n - low) * sizeof *at);
    }
}

static void sweep(struct rdit *r)
{
    uint32_t n;
    struct bound *b = all_bounds(r, &n);
    struct active a = {.pair = SN_NEW(r->m->arena, uint32_t, r->w->npairs),
                       .depth = SN_NEW(r->m->arena, uint32_t, r->w->npairs)};
    for (uint32_t i = 0; i < n;) {
        uint64_t at = b[i].addr;
        for (; i < n && b[i].addr == at; i++)
            set_active(&a, &b[i]);
        if (a.n)
            SN_PUSH(r->m->arena, r->segment, r->nsegments, r->cap_segments,
                    (struct segment){at, b[i].addr, intern_set(r, a.pair, a.n)});
    }
}

/* The first segment that ends above `addr`. */
static uint32_t segment_at(const struct rdit *r, uint64_t addr)
{
    uint32_t low = 0, high = r->nsegments;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (r->segment[mid].end <= addr)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static uint32_t unite(struct rdit *r, uint32_t a, uint32_t b)
{
    const struct pair_list *x = &r->set[a], *y = &r->set[b];
    uint32_t *both = SN_NEW(r->m->arena, uint32_t, x->n + y->n), n = 0, i = 0, k = 0;
    while (i < x->n || k < y->n) {
        bool left = k == y->n || (i < x->n && x->pair[i] <= y->pair[k]);
        bool right = i == x->n || (k < y->n && y->pair[k] <= x->pair[i]);
        both[n++] = left ? x->pair[i] : y->pair[k];
        i += left;
        k += right;
    }
    return intern_set(r, both, n);
}

/* The pairs that can reach any byte of a cell; SN_NONE: none. */
static uint32_t set_of_cell(struct rdit *r, const struct sn_cell *c)
{
    uint32_t set = SN_NONE;
    for (uint32_t i = segment_at(r, c->addr);
         i < r->nsegments && r->segment[i].addr < c->addr + c->size; i++)
        set = set == SN_NONE ? r->segment[i].set : unite(r, set, r->segment[i].set);
    return set;
}

/* Clusters: pairs that overlap in time and share an address. */

static uint32_t cluster_of(struct rdit *r, uint32_t pair)
{
    while (r->cluster[pair] != pair)
        pair = r->cluster[pair] = r->cluster[r->cluster[pair]];
    return pair;
}

/* Pairs are numbered by their begin. */
static void join_clusters(struct rdit *r, const struct pair_list *s)
{
    uint32_t open = 0;
    for (uint32_t i = 1; i < s->n; i++) {
        const struct sn_wpair *p = &r->w->pair[s->pair[i]];
        if (p->begin < (int64_t)r->w->pair[s->pair[open]].end)
            r->cluster[cluster_of(r, s->pair[i])] = cluster_of(r, s->pair[open]);
        if (p->end > r->w->pair[s->pair[open]].end)
            open = i;
    }
}

/* Steps 1 and 2. */

static void chain_points(struct rdit *r, const struct pair_list *s)
{
    for (uint32_t i = 1; i < s->npoints; i++)
        edge(r, s->point[i - 1], s->point[i], SN_EDGE_KEEP);
}

/* The first point that is not before `event`. */
static uint32_t point_at(const struct pair_list *s, uint32_t event)
{
    uint32_t low = 0, high = s->npoints;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (s->point[mid] < event)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool is_open(const struct sn_wpair *p, uint32_t event)
{
    return p->begin < (int64_t)event && event < p->end;
}

static void note_inside(struct rdit *r, uint32_t event, const struct pair_list *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (is_open(&r->w->pair[s->pair[i]], event))
            SN_PUSH(r->m->arena, r->inside, r->ninside, r->cap_inside,
                    (struct inside){cluster_of(r, s->pair[i]), event, false});
}

static void order_with(struct rdit *r, uint32_t event, const struct pair_list *s)
{
    uint32_t i = point_at(s, event);
    if (i > 0)
        edge(r, s->point[i - 1], event, SN_EDGE_SOFT);
    if (i < s->npoints && s->point[i] == event)
        i++;
    if (i < s->npoints)
        edge(r, event, s->point[i], SN_EDGE_KEEP);
    note_inside(r, event, s);
}

static void order_event(struct rdit *r, uint32_t event, uint64_t addr, uint64_t size)
{
    uint64_t end = addr + (size ? size : 1);
    uint32_t last = SN_NONE;
    for (uint32_t i = segment_at(r, addr); i < r->nsegments && r->segment[i].addr < end; i++) {
        if (r->segment[i].set != last)
            order_with(r, event, &r->set[r->segment[i].set]);
        last = r->segment[i].set;
    }
}

static void order_events(struct rdit *r)
{
    for (uint32_t e = 0; e < r->m->n; e++) {
        const struct sn_wevent *x = &r->w->ev[e];
        if (x->addr)
            order_event(r, e, x->addr, x->size);
        if (x->flags & SN_EF_COND && x->value)
            order_event(r, e, x->value, 1);
    }
}

/* Step 3. */

static int by_cluster(const void *a, const void *b)
{
    const struct inside *x = a, *y = b;
    if (x->cluster != y->cluster)
        return x->cluster < y->cluster ? -1 : 1;
    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    return (int)y->point - (int)x->point; /* an event that is both counts as a point */
}

static void chain_clusters(struct rdit *r)
{
    for (uint32_t p = 0; p < r->w->npairs; p++) {
        uint32_t cap = 0;
        struct pair_list one = {.pair = &p, .n = 1};
        add_points(r, &one, &cap);
        for (uint32_t i = 0; i < one.npoints; i++)
            SN_PUSH(r->m->arena, r->inside, r->ninside, r->cap_inside,
                    (struct inside){cluster_of(r, p), one.point[i], true});
    }
    if (r->ninside)
        qsort(r->inside, r->ninside, sizeof *r->inside, by_cluster);
    uint32_t last = 0;
    for (uint32_t i = 1; i < r->ninside; i++) {
        const struct inside *x = &r->inside[last], *y = &r->inside[i];
        if (x->cluster == y->cluster && x->event == y->event)
            continue;
        if (x->cluster == y->cluster)
            edge(r, x->event, y->event, y->point ? SN_EDGE_KEEP : SN_EDGE_SOFT);
        last = i;
    }
}

/* Steps 4 and 5: variables. */

struct epochs {
    struct rdit *r;
    struct sn_values_plan plan;
    uint32_t *var;  /* by touch */
    uint32_t *cell; /* by variable */
    uint32_t ncells, cap_cells;
    bool *later;
    uint32_t nlater, cap_later;
    struct sn_look *look;
    uint32_t nlooks, cap_looks;
};

/* Pairs of `s` that have begun before `event`; SN_NONE while one is open. */
static uint32_t epoch_of(const struct rdit *r, const struct pair_list *s, uint32_t event)
{
    uint32_t begun = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct sn_wpair *p = &r->w->pair[s->pair[i]];
        if (is_open(p, event) || event == p->end || p->begin == (int64_t)event)
            return SN_NONE;
        begun += p->begin < (int64_t)event;
    }
    return begun;
}

/* The begin that ends an epoch; SN_NONE for the last. */
static uint32_t epoch_end(const struct rdit *r, const struct pair_list *s, uint32_t epoch)
{
    return epoch < s->n ? (uint32_t)r->w->pair[s->pair[epoch]].begin : SN_NONE;
}

/* Touches first … last of a cell are one epoch: a variable if threads can disagree in it. */
static void close_epoch(struct epochs *x, uint32_t cell, const uint32_t *touch, uint32_t n,
                        const struct pair_list *s, uint32_t epoch)
{
    struct rdit *r = x->r;
    bool shared = false, written = false;
    for (uint32_t i = 0; i < n; i++) {
        const struct sn_touch *t = &r->m->touch[touch[i]], *first = &r->m->touch[touch[0]];
        shared |= sn_thread_of(r->m, t->event) != sn_thread_of(r->m, first->event);
        written |= t->kind & SN_TOUCH_WRITE;
    }
    if (!shared || !written)
        return;
    uint32_t var = x->ncells, end = s ? epoch_end(r, s, epoch) : SN_NONE;
    SN_PUSH(r->m->arena, x->cell, x->ncells, x->cap_cells, cell);
    SN_PUSH(r->m->arena, x->later, x->nlater, x->cap_later, epoch > 0);
    for (uint32_t i = 0; i < n; i++)
        x->var[touch[i]] = var;
    if (end != SN_NONE)
        SN_PUSH(r->m->arena, x->look, x->nlooks, x->cap_looks, (struct sn_look){end, var});
}

static void cut_epochs(struct epochs *x, uint32_t cell)
{
    struct rdit *r = x->r;
    const struct sn_cell *c = &r->m->cell[cell];
    const uint32_t *touch = r->m->cell_touch + c->first;
    uint32_t set = set_of_cell(r, c), first = 0, current = SN_NONE;
    if (set == SN_NONE) {
        close_epoch(x, cell, touch, c->n, NULL, 0);
        return;
    }
    for (uint32_t i = 0; i <= c->n; i++) {
        const struct pair_list *s = &r->set[set];
        uint32_t epoch = i < c->n ? epoch_of(r, s, r->m->touch[touch[i]].event) : SN_NONE;
        if (epoch == current)
            continue;
        if (current != SN_NONE)
            close_epoch(x, cell, touch + first, i - first, s, current);
        first = i;
        current = epoch;
    }
}

static int by_look(const void *a, const void *b)
{
    const struct sn_look *x = a, *y = b;
    return x->event != y->event ? (x->event > y->event) - (x->event < y->event)
                                : (x->var > y->var) - (x->var < y->var);
}

static void variables(struct rdit *r, struct sn_values *v)
{
    struct epochs x = {.r = r, .var = SN_NEW(r->m->arena, uint32_t, r->m->ntouches)};
    memset(x.var, 0xff, r->m->ntouches * sizeof *x.var);
    for (uint32_t c = 0; c < r->m->ncells; c++)
        cut_epochs(&x, c);
    if (x.nlooks)
        qsort(x.look, x.nlooks, sizeof *x.look, by_look);
    x.plan = (struct sn_values_plan){.nvars = x.ncells,
                                     .var = x.var,
                                     .cell = x.cell,
                                     .later = x.later,
                                     .look = x.look,
                                     .nlooks = x.nlooks};
    sn_values_build(r->m, &x.plan, v);
}

void sn_rdit_build(struct sn_model *m, struct sn_causal *c)
{
    struct rdit r = {.m = m, .w = m->w, .cluster = SN_NEW(m->arena, uint32_t, m->w->npairs)};
    sn_model_sync(m);
    for (uint32_t p = 0; p < m->w->npairs; p++)
        r.cluster[p] = p;
    sweep(&r);
    for (uint32_t i = 0; i < r.nsets; i++) {
        join_clusters(&r, &r.set[i]);
        chain_points(&r, &r.set[i]);
    }
    order_events(&r);
    chain_clusters(&r);
    variables(&r, &c->v);
    sn_causal_finish(m, c);
}
