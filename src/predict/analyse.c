/*
 * analyse.c: asks about every pair of groups in turn, cheapest means first.
 *
 * hb and cp: clocks tell at once. mc and rdit: the sync-preserving closure finds most of what there
 * is; pairs that it cannot bring together are kept until all are through it, because two sites
 * often meet in several cells; what is then still open, and not refuted by the order that every
 * reordering keeps, goes to the solver. Each is sound: the closure and the solver give a witness,
 * the order filter only drops what the solver would answer with "no".
 */
#include "predict/analyse.h"

#include <string.h>

#include "core/sys.h"
#include "predict/deadlock.h"
#include "predict/keys.h"
#include "predict/pairs.h"
#include "predict/solve.h"

struct open_pair {
    struct sn_group_pair pair;
    uint64_t key;
};

struct analysis {
    struct sn_arena *arena;
    const struct sn_analyse_options *o;
    struct sn_model m;
    struct sn_causal c;
    struct sn_clocks clocks;
    struct sn_smt *smt;
    struct sn_solver *solver;
    struct sn_predictions *out;
    struct sn_analyse_stats *stats;
    struct open_pair *open;
    uint32_t nopen, cap_open;
    struct sn_keys found, asked;
};

static bool is_found(struct analysis *x, uint64_t key)
{
    return sn_keys_get(x->arena, &x->found, key) || (x->o->known && x->o->known(x->o->arg, key));
}

static void report(struct analysis *x, const struct sn_group_pair *p, uint64_t key,
                   enum sn_means means, const struct sn_meeting *meet,
                   const struct sn_reordering *order)
{
    const struct sn_cell *c = &x->m.cell[p->cell];
    struct sn_prediction f = {
        .means = means, .key = key, .addr = c->addr, .size = c->size, .meet = *meet};
    if (order)
        f.order = *order;
    sn_keys_add(x->arena, &x->found, key);
    SN_PUSH(x->arena, x->out->p, x->out->n, x->out->cap, f);
}

/* One question, if the pair of sites has any left. */
static enum sn_answer ask_solver(struct analysis *x, uint64_t key, const struct sn_question *q,
                                 struct sn_meeting *meet, struct sn_reordering *order)
{
    if (x->o->questions && sn_keys_get(x->arena, &x->asked, key) >= x->o->questions) {
        x->stats->skipped++;
        return SN_UNKNOWN;
    }
    sn_keys_add(x->arena, &x->asked, key);
    if (!x->smt)
        return SN_UNKNOWN;
    if (!x->solver)
        x->solver = sn_solver_new(&x->c, x->smt);
    return sn_solver_ask(x->solver, q, x->o->limit_ms, meet, order);
}

static void count_answer(struct analysis *x, enum sn_answer answer, enum sn_means means)
{
    switch (answer) {
    case SN_YES:
        *(means == SN_BY_CLOSURE ? &x->stats->by_closure : &x->stats->by_solver) += 1;
        break;
    case SN_NO:
        x->stats->refuted++;
        break;
    case SN_UNKNOWN:
        x->stats->unknown++;
    }
}

/* hb and cp: some event of `a` and some of `b` that the clocks do not order. For an event of b, the
 * first of `a` that is not before it is the one that is least likely to be after it. */
static bool unordered(const struct analysis *x, const struct sn_group_pair *p,
                      struct sn_meeting *meet)
{
    const struct sn_model *m = &x->m;
    uint32_t i = 0;
    for (uint32_t k = 0; k < p->b.n; k++) {
        uint32_t b = p->b.event[k];
        while (i < p->a.n && sn_ordered(m, &x->clocks, p->a.event[i], b))
            i++;
        if (i == p->a.n)
            return false;
        if (!sn_ordered(m, &x->clocks, b, p->a.event[i])) {
            *meet = (struct sn_meeting){{p->a.event[i], b}, 2};
            return true;
        }
    }
    return false;
}

static void visit_clocks(void *arg, const struct sn_group_pair *p)
{
    struct analysis *x = arg;
    struct sn_meeting meet;
    uint64_t key = sn_pair_key(p->a.site, p->b.site);
    x->stats->pairs++;
    if (!is_found(x, key) && unordered(x, p, &meet))
        report(x, p, key, SN_BY_CLOCKS, &meet, NULL);
}

/* For each event of `g`, how many events of thread t are executed before it can be next. */
static uint32_t *needs(const struct analysis *x, const struct sn_group *g, uint32_t t)
{
    const struct sn_model *m = &x->m;
    uint32_t *need = SN_NEW(x->arena, uint32_t, g->n), *clock = x->c.scratch;
    for (uint32_t i = 0; i < g->n; i++) {
        memset(clock, 0, m->nthreads * sizeof *clock);
        sn_clock_before(m, &x->c.must, &x->c.in, g->event[i], clock);
        need[i] = clock[t];
    }
    return need;
}

/* Some sync-preserving reordering brings an event of `a` and one of `b` together. What must precede
 * an event only grows along its thread, so neither index ever goes back: time is linear. */
static bool closure_finds(struct analysis *x, const struct sn_group_pair *p,
                          struct sn_meeting *meet, struct sn_reordering *order)
{
    uint32_t i = 0, k = 0;
    while (i < p->a.n && k < p->b.n) {
        uint32_t a = p->a.event[i], b = p->b.event[k];
        *meet = (struct sn_meeting){{a, b}, 2};
        int r = sn_closure_meets(&x->c, meet, order);
        if (r < 0)
            return r == SN_CLOSURE_FOUND;
        i += r == 0;
        k += r == 1;
    }
    return false;
}

static void visit_closure(void *arg, const struct sn_group_pair *p)
{
    struct analysis *x = arg;
    struct sn_meeting meet;
    struct sn_reordering order;
    uint64_t key = sn_pair_key(p->a.site, p->b.site);
    x->stats->pairs++;
    if (is_found(x, key))
        return;
    if (!x->o->only_solver && closure_finds(x, p, &meet, &order)) {
        sn_assert(!sn_witness_check(&x->c, &order, &meet));
        count_answer(x, SN_YES, SN_BY_CLOSURE);
        report(x, p, key, SN_BY_CLOSURE, &meet, &order);
        return;
    }
    SN_PUSH(x->arena, x->open, x->nopen, x->cap_open, (struct open_pair){*p, key});
}

/* The events of `g` that some event of `other` may meet: neither needs the other before it, and the
 * locks that they hold do not exclude each other. */
static uint32_t *candidates(struct analysis *x, const struct sn_group *g,
                            const struct sn_group *other, uint32_t *n)
{
    const struct sn_model *m = &x->m;
    uint32_t *list = SN_NEW(x->arena, uint32_t, g->n);
    uint32_t *mine = needs(x, g, other->thread), *theirs = needs(x, other, g->thread);
    uint32_t k = 0;
    *n = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t e = g->event[i];
        while (k < other->n && m->pos[other->event[k]] < mine[i])
            k++; /* needs only grow along a thread */
        bool good = x->o->only_solver;
        for (uint32_t j = k; j < other->n && theirs[j] <= m->pos[e] && !good; j++)
            good = !sn_locksets_exclude(m, m->lockset_of[e], m->lockset_of[other->event[j]]);
        if (good)
            list[(*n)++] = e;
    }
    return list;
}

static enum sn_answer ask(struct analysis *x, const struct open_pair *p, struct sn_meeting *meet,
                          struct sn_reordering *order)
{
    struct sn_question q = {.n = 2};
    q.event[0] = candidates(x, &p->pair.a, &p->pair.b, &q.count[0]);
    q.event[1] = candidates(x, &p->pair.b, &p->pair.a, &q.count[1]);
    if (q.count[0] == 0 || q.count[1] == 0)
        return SN_NO;
    return ask_solver(x, p->key, &q, meet, order);
}
static void ask_open(struct analysis *x)
{
    struct sn_meeting meet;
    struct sn_reordering order;
    for (uint32_t i = 0; i < x->nopen; i++) {
        const struct open_pair *p = &x->open[i];
        if (is_found(x, p->key))
            continue;
        enum sn_answer answer = ask(x, p, &meet, &order);
        count_answer(x, answer, SN_BY_SOLVER);
        if (answer == SN_YES)
            report(x, &p->pair, p->key, SN_BY_SOLVER, &meet, &order);
    }
}

/* Deadlocks: the same two means, for the requests of a cycle. */

static bool closure_finds_cycle(struct analysis *x, const struct sn_cycle *c,
                                struct sn_meeting *meet, struct sn_reordering *order)
{
    uint32_t at[SN_MAX_MEET] = {0};
    meet->n = c->n;
    for (;;) {
        for (uint32_t i = 0; i < c->n; i++)
            meet->event[i] = c->request[i]->event[at[i]];
        int r = sn_closure_meets(&x->c, meet, order);
        if (r < 0)
            return r == SN_CLOSURE_FOUND;
        if (++at[r] == c->request[r]->n)
            return false;
    }
}

static enum sn_answer ask_cycle(struct analysis *x, const struct sn_cycle *c,
                                struct sn_meeting *meet, struct sn_reordering *order)
{
    struct sn_question q = {.n = c->n};
    for (uint32_t i = 0; i < c->n; i++) {
        q.event[i] = c->request[i]->event;
        q.count[i] = c->request[i]->n;
    }
    return ask_solver(x, c->key, &q, meet, order);
}

static void visit_cycle(void *arg, const struct sn_cycle *c)
{
    struct analysis *x = arg;
    struct sn_prediction f = {.deadlock = true, .key = c->key, .means = SN_BY_CLOSURE};
    enum sn_answer answer = SN_YES;
    if (is_found(x, c->key))
        return;
    x->stats->cycles++;
    if (x->o->only_solver || !closure_finds_cycle(x, c, &f.meet, &f.order)) {
        answer = ask_cycle(x, c, &f.meet, &f.order);
        f.means = SN_BY_SOLVER;
    }
    count_answer(x, answer, f.means);
    if (answer != SN_YES)
        return;
    sn_assert(!sn_witness_check(&x->c, &f.order, &f.meet));
    sn_keys_add(x->arena, &x->found, c->key);
    SN_PUSH(x->arena, x->out->p, x->out->n, x->out->cap, f);
}

void sn_analyse(struct sn_arena *a, const struct sn_window *w, const struct sn_analyse_options *o,
                struct sn_smt *smt, struct sn_predictions *out, struct sn_analyse_stats *stats)
{
    struct analysis x = {.arena = a, .o = o, .smt = smt, .out = out, .stats = stats};
    stats->events += w->n;
    stats->unseen_pairs += o->algorithm == SN_RDIT ? 0 : w->npairs;
    bool values = o->algorithm == SN_MC || o->algorithm == SN_RDIT;
    sn_model_build(&x.m, a, w, values && !o->only_solver, o->algorithm == SN_RDIT);
    if (!values) {
        sn_model_sync(&x.m);
        x.clocks = o->algorithm == SN_HB ? sn_hb_clocks(&x.m) : sn_cp_clocks(&x.m);
        sn_pairs_each(&x.m, o->site_key, o->arg, visit_clocks, &x);
        return;
    }
    if (o->algorithm == SN_RDIT)
        sn_rdit_build(&x.m, &x.c);
    else
        sn_mc_build(&x.m, &x.c);
    sn_pairs_each(&x.m, o->site_key, o->arg, visit_closure, &x);
    ask_open(&x);
    if (o->deadlocks && !sn_cycles_each(&x.m, o->site_key, o->arg, visit_cycle, &x))
        stats->skipped++;
}
