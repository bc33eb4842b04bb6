/*
 * lockorder.c: Goodlock on recorded edges "held `from`, took `to`".
 *
 * A cycle of edges is a potential deadlock when the threads are distinct, each edge can block the
 * one before it (not try-locks, not two readers), no gate lock is held on two of the edges (unless
 * both only read it), and no two edges are ordered by the message clock (create, join, signals, …
 * but not lock edges): then they cannot overlap. Havelund's Goodlock with the gate locks of
 * Bensalem and Havelund, and the happens-before check that removes what joins have separated.
 *
 * Cycles are searched by length, up to SN_LOCK_CYCLE_MAX, from their smallest lock on, so that each
 * is met once. Locks that are not on any cycle are peeled off first. The work is bounded: real
 * programs need a tiny part of the bound, made-up graphs may not finish.
 */
#include "store/lockorder.h"

#include "store/xalloc.h"

#define MAX_STEPS 4000000 /* below a second */
#define MAX_CYCLES 1000   /* with different stacks, in one process */

struct search {
    const struct sn_run_edge **edge; /* sorted by from.id */
    size_t n;
    struct sn_lock_cycle path;
    unsigned want; /* length looked for */
    uint64_t steps;
    uint64_t *seen; /* hashes of cycles that were given out */
    size_t nseen;
    void (*fn)(void *arg, const struct sn_lock_cycle *c);
    void *arg;
};

static uint32_t from_of(const struct sn_run_edge *e)
{
    return e->head->from.id;
}

static uint32_t to_of(const struct sn_run_edge *e)
{
    return e->head->to.id;
}

static bool spent(const struct search *s)
{
    return s->steps >= MAX_STEPS || s->nseen >= MAX_CYCLES;
}

/* a's acquisition happened before b's, by messages alone. Epoch 0: its time was not recorded. */
static bool before(const struct sn_run_edge *a, const struct sn_run_edge *b)
{
    uint32_t slot = a->head->slot;
    return a->head->epoch && slot < b->head->nclock && b->clock[slot] >= a->head->epoch;
}

/* An edge is recorded when `to` is held already; what protects it is what was held before. */
static bool is_gate(const struct sn_run_edge *e, unsigned i)
{
    return e->gates[i].id != e->head->to.id;
}

static bool common_gate(struct search *s, const struct sn_run_edge *a, const struct sn_run_edge *b)
{
    for (unsigned i = 0; i < a->head->ngates; i++) {
        s->steps += b->head->ngates;
        for (unsigned j = 0; j < b->head->ngates; j++) {
            if (a->gates[i].id == b->gates[j].id && is_gate(a, i) && is_gate(b, j) &&
                !(a->gates[i].shared && b->gates[j].shared))
                return true;
        }
    }
    return false;
}

static bool can_overlap(struct search *s, const struct sn_run_edge *a, const struct sn_run_edge *b)
{
    return a->head->thread != b->head->thread && !before(a, b) && !before(b, a) &&
           !common_gate(s, a, b);
}

/* The taker of a's `to` has to wait for the holder of b's `from`. */
static bool blocks(const struct sn_run_edge *a, const struct sn_run_edge *b)
{
    return !(a->head->to.shared && b->head->from.shared);
}

static uint64_t hash_frames(const sn_frame_ref *f, unsigned n)
{
    uint64_t h = 14695981039346656037ull;
    for (unsigned i = 0; i < n; i++)
        h = (h ^ f[i]) * 1099511628211ull;
    return h;
}

/* Sum over the edges: the same wherever the cycle begins. */
static uint64_t hash_cycle(const struct sn_lock_cycle *c)
{
    uint64_t sum = c->n;
    for (unsigned i = 0; i < c->n; i++) {
        const struct sn_run_edge *e = c->edge[i];
        uint64_t h = hash_frames(e->from, e->head->nfrom) * 31 + hash_frames(e->to, e->head->nto);
        sum += (h ^ (h >> 29)) * 0x9e3779b97f4a7c15ull;
    }
    return sum;
}

static void give_out(struct search *s)
{
    uint64_t hash = hash_cycle(&s->path);
    for (size_t i = 0; i < s->nseen; i++) {
        if (s->seen[i] == hash)
            return;
    }
    s->seen[s->nseen++] = hash;
    s->fn(s->arg, &s->path);
}

/* First edge whose from.id is at least id. */
static size_t first_from(const struct search *s, uint32_t id)
{
    size_t low = 0, high = s->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (from_of(s->edge[mid]) < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool fits(struct search *s, const struct sn_run_edge *e)
{
    const struct sn_lock_cycle *p = &s->path;
    if (!blocks(p->edge[p->n - 1], e))
        return false;
    for (unsigned i = 0; i < p->n; i++) {
        if (!can_overlap(s, p->edge[i], e))
            return false;
    }
    return true;
}

static bool on_path(const struct sn_lock_cycle *p, uint32_t lock)
{
    for (unsigned i = 0; i < p->n; i++) {
        if (from_of(p->edge[i]) == lock)
            return true;
    }
    return false;
}

/* Depth is at most SN_LOCK_CYCLE_MAX. */
static void extend(struct search *s)
{
    struct sn_lock_cycle *p = &s->path;
    uint32_t start = from_of(p->edge[0]), at = to_of(p->edge[p->n - 1]);
    bool last = p->n + 1 == s->want;
    for (size_t i = first_from(s, at); i < s->n && from_of(s->edge[i]) == at && !spent(s); i++) {
        const struct sn_run_edge *e = s->edge[i];
        uint32_t to = to_of(e);
        s->steps++;
        if (last ? to != start : to <= start || on_path(p, to))
            continue;
        if (!fits(s, e))
            continue;
        p->edge[p->n++] = e;
        if (!last)
            extend(s);
        else if (blocks(e, p->edge[0]))
            give_out(s);
        p->n--;
    }
}

static int compare_edges(const void *a, const void *b)
{
    const struct sn_run_edge *x = *(const struct sn_run_edge *const *)a;
    const struct sn_run_edge *y = *(const struct sn_run_edge *const *)b;
    if (from_of(x) != from_of(y))
        return from_of(x) < from_of(y) ? -1 : 1;
    if (to_of(x) != to_of(y))
        return to_of(x) < to_of(y) ? -1 : 1;
    return x < y ? -1 : x > y; /* the order of recording */
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Drops edges whose `from` nobody takes while holding something; true when some went. */
static bool peel_unreached(struct search *s, uint32_t *targets)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->n; i++)
        targets[i] = to_of(s->edge[i]);
    qsort(targets, s->n, sizeof *targets, compare_ids);
    for (size_t i = 0; i < s->n; i++) {
        uint32_t from = from_of(s->edge[i]);
        if (bsearch(&from, targets, s->n, sizeof *targets, compare_ids))
            s->edge[kept++] = s->edge[i];
    }
    bool some = kept < s->n;
    s->n = kept;
    return some;
}

/* Drops edges whose `to` is never held while another is taken. */
static bool peel_ends(struct search *s)
{
    size_t kept = 0, n = s->n;
    bool *keep = sn_xcalloc(n, 1);
    for (size_t i = 0; i < n; i++) {
        size_t next = first_from(s, to_of(s->edge[i]));
        keep[i] = next < n && from_of(s->edge[next]) == to_of(s->edge[i]);
    }
    for (size_t i = 0; i < n; i++) {
        if (keep[i])
            s->edge[kept++] = s->edge[i];
    }
    free(keep);
    s->n = kept;
    return kept < n;
}

#define MAX_PEELS 64 /* a long chain of locks is as well left to the search */

static void prepare(struct search *s, const struct sn_run_edge *edges, size_t n)
{
    s->edge = sn_xcalloc(n, sizeof *s->edge);
    for (size_t i = 0; i < n; i++) {
        if (!edges[i].head->try_lock && from_of(&edges[i]) != to_of(&edges[i]))
            s->edge[s->n++] = &edges[i];
    }
    qsort(s->edge, s->n, sizeof *s->edge, compare_edges);
    uint32_t *targets = sn_xcalloc(n, sizeof *targets);
    bool some = s->n > 0;
    for (unsigned i = 0; some && i < MAX_PEELS; i++) {
        some = peel_unreached(s, targets);
        some = peel_ends(s) || some;
    }
    free(targets);
}

bool sn_lock_order(const struct sn_run_edge *edges, size_t n,
                   void (*fn)(void *arg, const struct sn_lock_cycle *c), void *arg)
{
    struct search s = {.fn = fn, .arg = arg};
    if (!n)
        return true;
    prepare(&s, edges, n);
    s.seen = sn_xcalloc(MAX_CYCLES, sizeof *s.seen);
    for (s.want = 2; s.want <= SN_LOCK_CYCLE_MAX; s.want++) {
        for (size_t i = 0; i < s.n && !spent(&s); i++) {
            s.path.edge[0] = s.edge[i];
            s.path.n = 1;
            if (to_of(s.edge[i]) > from_of(s.edge[i]))
                extend(&s);
        }
    }
    bool complete = !spent(&s);
    free(s.seen);
    free(s.edge);
    return complete;
}
