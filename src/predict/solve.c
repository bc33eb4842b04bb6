/*
 * solve.c: the constraints of the maximal causal model, given to the solver piece by piece.
 *
 * Every event has an order variable, and there is one more, the cut: the events before it are the
 * reordering, the events that are to meet stand at it. The constraints are those of the paper:
 *   program order, edges   O(from) < O(to)                                     Algorithms 5 to 8
 *   locks                  sections that are both begun before the cut: one ends before the other
 *                          begins                                              Algorithm 9
 *   reads                  a read before the cut has a write of its value before it, and no other
 *                          write between                                       Algorithm 10
 * with one difference that makes the answer exact: locks and reads bind only events before the cut.
 * The paper's formula wants all of the trace consistent, and so misses races that are only possible
 * before something that could not follow.
 *
 * All of them at once are cubic in the window. Nearly all are true by themselves, so they are added
 * on demand: the solver proposes an order; as much of it as the meeting events need is replayed; a
 * lock or read that goes wrong adds its constraint, with the variables it speaks of; and again.
 * Every constraint is one of the model's, so "no" is final; a proposal that replays is a witness.
 */
#include "predict/solve.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/sys.h"

/* A read that has its constraint: truth values `first` … say which write serves it, in the order of
 * sn_values.writes, and the last one that the start does. */
struct choice {
    uint32_t first, n; /* n == 0: none yet */
    bool start;        /* the start is one of them */
};

struct pair_set {
    uint64_t *key; /* 0: free */
    uint32_t n, cap;
};

struct sn_solver {
    const struct sn_causal *c;
    struct sn_smt *smt;
    uint32_t cut;
    uint32_t *order;       /* event -> its variable; SN_NONE: not in play */
    bool *relevant;        /* event -> something depends on its place */
    uint32_t *in_play;     /* thread -> events in play */
    uint32_t *last;        /* thread -> last event with a variable; SN_NONE */
    struct choice *choice; /* by access */
    struct pair_set given; /* lock and interference constraints that were added */
    uint32_t *todo;        /* events to bring into play */
    uint32_t ntodo, cap_todo;
    /* one proposal */
    int64_t *at;      /* event -> place */
    uint32_t *have;   /* thread -> events needed */
    uint32_t *looked; /* thread -> events whose needs were followed */
    uint32_t *serves; /* access -> event that the proposal lets it read from; SN_NONE: start */
    uint32_t *memory, *writer; /* by variable */
    uint32_t *row;
    struct sn_literal *clause;
    uint32_t nclause, cap_clause;
};

static struct sn_literal less(uint32_t a, uint32_t b)
{
    return (struct sn_literal){SN_LESS, a, b};
}

static struct sn_literal not_less(uint32_t a, uint32_t b)
{
    return (struct sn_literal){SN_NOT_LESS, a, b};
}

static struct sn_literal truth(uint32_t a, bool value)
{
    return (struct sn_literal){value ? SN_TRUE : SN_FALSE, a, 0};
}

static void say(struct sn_solver *s, struct sn_literal l)
{
    SN_PUSH(s->c->m->arena, s->clause, s->nclause, s->cap_clause, l);
}

static void end_clause(struct sn_solver *s)
{
    sn_smt_clause(s->smt, s->clause, s->nclause);
    s->nclause = 0;
}

/* True the first time. */
static bool pair_add(struct sn_solver *s, uint64_t key)
{
    struct pair_set *p = &s->given;
    if (2 * p->n >= p->cap) {
        struct pair_set old = *p;
        p->cap = old.cap ? old.cap * 2 : 256;
        p->key = SN_NEW(s->c->m->arena, uint64_t, p->cap);
        p->n = 0;
        for (uint32_t i = 0; i < old.cap; i++)
            if (old.key[i])
                pair_add(s, old.key[i]);
    }
    uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32) & (p->cap - 1);
    for (; p->key[i]; i = (i + 1) & (p->cap - 1))
        if (p->key[i] == key)
            return false;
    p->key[i] = key;
    p->n++;
    return true;
}

/* What constraints or questions can speak of; the rest just goes with the event before it. */
static void mark_relevant(struct sn_solver *s)
{
    const struct sn_model *m = s->c->m;
    const struct sn_values *v = &s->c->v;
    for (uint32_t i = 0; i < v->n; i++)
        s->relevant[v->access[i].event] = true;
    for (uint32_t i = 0; i < m->ntouches; i++)
        s->relevant[m->touch[i].event] = true;
    for (uint32_t i = 0; i < m->edges.n; i++)
        s->relevant[m->edges.e[i].from] = s->relevant[m->edges.e[i].to] = true;
    for (uint32_t i = 0; i < m->nguards; i++)
        s->relevant[m->guard[i].guard] = s->relevant[m->guard[i].from] =
            s->relevant[m->guard[i].to] = true;
    for (uint32_t i = 0; i < m->nsections; i++) {
        const struct sn_section *x = &m->section[i];
        if (!m->lock[x->lock].contested)
            continue;
        if (x->acquire != SN_NONE)
            s->relevant[x->acquire] = true;
        if (x->release != SN_NONE)
            s->relevant[x->release] = true;
    }
}

struct sn_solver *sn_solver_new(const struct sn_causal *c, struct sn_smt *smt)
{
    const struct sn_model *m = c->m;
    struct sn_arena *a = m->arena;
    struct sn_solver *s = SN_NEW(a, struct sn_solver, 1);
    s->c = c;
    s->smt = smt;
    sn_smt_reset(smt);
    s->cut = sn_smt_number(smt);
    s->order = SN_NEW(a, uint32_t, m->n);
    memset(s->order, 0xff, m->n * sizeof *s->order);
    s->relevant = SN_NEW(a, bool, m->n);
    s->in_play = SN_NEW(a, uint32_t, m->nthreads);
    s->last = SN_NEW(a, uint32_t, m->nthreads);
    memset(s->last, 0xff, m->nthreads * sizeof *s->last);
    s->choice = SN_NEW(a, struct choice, c->v.n);
    s->at = SN_NEW(a, int64_t, m->n);
    s->have = SN_NEW(a, uint32_t, m->nthreads);
    s->looked = SN_NEW(a, uint32_t, m->nthreads);
    s->serves = SN_NEW(a, uint32_t, c->v.n);
    s->memory = SN_NEW(a, uint32_t, c->v.nvars);
    s->writer = SN_NEW(a, uint32_t, c->v.nvars);
    s->row = SN_NEW(a, uint32_t, m->n);
    mark_relevant(s);
    return s;
}

/* Bringing events into play: each gets its variable, its place in program order, its edges. */

static void new_variable(struct sn_solver *s, uint32_t e)
{
    uint32_t t = sn_thread_of(s->c->m, e);
    s->order[e] = sn_smt_number(s->smt);
    if (s->last[t] != SN_NONE) {
        say(s, less(s->order[s->last[t]], s->order[e]));
        end_clause(s);
    }
    s->last[t] = e;
}

static void want(struct sn_solver *s, uint32_t event)
{
    sn_assert(s->relevant[event]);
    SN_PUSH(s->c->m->arena, s->todo, s->ntodo, s->cap_todo, event);
}

static void edges_of(struct sn_solver *s, uint32_t e)
{
    const struct sn_edges_in *in = &s->c->in;
    for (uint32_t i = in->first[e]; i < in->first[e + 1]; i++) {
        if (in->e[i].kind == SN_EDGE_SOFT)
            say(s, not_less(s->order[e], s->cut));
        say(s, less(s->order[in->e[i].from], s->order[e]));
        end_clause(s);
    }
}

/* Everything in `todo`, what comes before it in its thread, and what that waits for. */
static void bring_into_play(struct sn_solver *s)
{
    const struct sn_model *m = s->c->m;
    uint32_t first = sn_smt_numbers(s->smt); /* the new ones are not below it */
    while (s->ntodo) {
        uint32_t event = s->todo[--s->ntodo], t = sn_thread_of(m, event);
        for (; s->in_play[t] <= m->pos[event]; s->in_play[t]++) {
            uint32_t e = m->list[t][s->in_play[t]];
            if (!s->relevant[e])
                continue;
            new_variable(s, e);
            for (uint32_t i = s->c->in.first[e]; i < s->c->in.first[e + 1]; i++)
                SN_PUSH(m->arena, s->todo, s->ntodo, s->cap_todo, s->c->in.e[i].from);
        }
    }
    for (uint32_t t = 0; t < m->nthreads; t++)
        for (uint32_t p = s->in_play[t]; p-- > 0;) {
            uint32_t e = m->list[t][p];
            if (s->order[e] == SN_NONE)
                continue;
            if (s->order[e] < first)
                break;
            edges_of(s, e);
        }
}

/* Constraints on demand. */

static bool give_lock_pair(struct sn_solver *s, uint32_t a, uint32_t b)
{
    const struct sn_section *x = &s->c->m->section[a], *y = &s->c->m->section[b];
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    if (!pair_add(s, 1ull << 63 | (uint64_t)low << 31 | high))
        return false;
    const uint32_t event[4] = {x->acquire, x->release, y->acquire, y->release};
    for (int i = 0; i < 4; i++)
        if (event[i] != SN_NONE)
            want(s, event[i]);
    bring_into_play(s);
    if (x->acquire != SN_NONE)
        say(s, not_less(s->order[x->acquire], s->cut));
    if (y->acquire != SN_NONE)
        say(s, not_less(s->order[y->acquire], s->cut));
    if (x->release != SN_NONE && y->acquire != SN_NONE)
        say(s, less(s->order[x->release], s->order[y->acquire]));
    if (y->release != SN_NONE && x->acquire != SN_NONE)
        say(s, less(s->order[y->release], s->order[x->acquire]));
    end_clause(s);
    return true;
}

static void give_choice(struct sn_solver *s, uint32_t read)
{
    const struct sn_values *v = &s->c->v;
    const struct sn_access *r = &v->access[read];
    struct choice *k = &s->choice[read];
    k->start = v->var[r->var].start == r->value;
    k->n = v->write_first[r->value + 1] - v->write_first[r->value] + k->start;
    for (uint32_t i = v->write_first[r->value]; i < v->write_first[r->value + 1]; i++)
        want(s, v->access[v->writes[i]].event);
    bring_into_play(s);
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t served = sn_smt_truth(s->smt);
        k->first = i ? k->first : served;
        if (i == k->n - 1 && k->start)
            continue;
        uint32_t w = v->access[v->writes[v->write_first[r->value] + i]].event;
        say(s, truth(served, false));
        if (w != r->event)
            say(s, less(s->order[w], s->order[r->event]));
        end_clause(s);
    }
    say(s, not_less(s->order[r->event], s->cut));
    for (uint32_t i = 0; i < k->n; i++)
        say(s, truth(k->first + i, true));
    end_clause(s);
}

/* The write `w` (SN_NONE: the start) serves the read by truth value `served`: `other` is not
 * between. */
static bool give_interference(struct sn_solver *s, uint32_t served, uint32_t read_event, uint32_t w,
                              uint32_t other)
{
    if (!pair_add(s, (uint64_t)(served + 1) << 32 | other))
        return false;
    want(s, other);
    bring_into_play(s);
    say(s, truth(served, false));
    if (w != SN_NONE && w != other)
        say(s, less(s->order[other], s->order[w]));
    if (read_event != other)
        say(s, less(s->order[read_event], s->order[other]));
    end_clause(s);
    return true;
}

/* A proposal: what of it the meeting events need. */

static void need_event(struct sn_solver *s, uint32_t event)
{
    uint32_t t = sn_thread_of(s->c->m, event), n = s->c->m->pos[event] + 1;
    if (s->have[t] < n)
        s->have[t] = n;
}

/* Which write the proposal lets the read be served by. */
static void follow_choice(struct sn_solver *s, uint32_t read)
{
    const struct sn_values *v = &s->c->v;
    const struct choice *k = &s->choice[read];
    s->serves[read] = SN_NONE;
    for (uint32_t i = 0; i < k->n; i++) {
        if (!sn_smt_is_true(s->smt, k->first + i))
            continue;
        if (i == k->n - 1 && k->start)
            return;
        uint32_t value = v->access[read].value;
        s->serves[read] = v->access[v->writes[v->write_first[value] + i]].event;
        need_event(s, s->serves[read]);
        return;
    }
}

static void follow(struct sn_solver *s, uint32_t e)
{
    const struct sn_causal *c = s->c;
    for (uint32_t i = c->in.first[e]; i < c->in.first[e + 1]; i++)
        need_event(s, c->in.e[i].from);
    for (uint32_t i = c->v.of[e]; i < c->v.of[e + 1]; i++)
        if (!c->v.access[i].write && s->choice[i].n)
            follow_choice(s, i);
}

static void follow_all(struct sn_solver *s)
{
    const struct sn_model *m = s->c->m;
    bool more = true;
    while (more) {
        more = false;
        for (uint32_t t = 0; t < m->nthreads; t++)
            for (; s->looked[t] < s->have[t]; s->looked[t]++) {
                follow(s, m->list[t][s->looked[t]]);
                more = true;
            }
    }
}

static void read_places(struct sn_solver *s)
{
    const struct sn_model *m = s->c->m;
    for (uint32_t t = 0; t < m->nthreads; t++) {
        int64_t place = INT64_MIN;
        for (uint32_t p = 0; p < s->in_play[t]; p++) {
            uint32_t e = m->list[t][p];
            if (s->order[e] != SN_NONE)
                place = sn_smt_value(s->smt, s->order[e]);
            s->at[e] = place; /* one without a variable goes with the one before it */
        }
    }
}

/* Sections of a lock in the proposal's order, each against those before it. */

struct lock_state {
    uint32_t writer;  /* newest exclusive section; SN_NONE */
    uint32_t *reader; /* shared ones since */
    uint32_t nreaders, cap_readers;
};

static int64_t acquired_at(const struct sn_solver *s, uint32_t section)
{
    uint32_t e = s->c->m->section[section].acquire;
    return e == SN_NONE ? INT64_MIN : s->at[e];
}

struct by_place {
    int64_t at;
    uint32_t event, section;
};

static int compare_places(const void *a, const void *b)
{
    const struct by_place *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

/* The earlier section must be over when the later one begins. 1: it is; 0: a constraint was missing
 * and was added. */
static bool over_before(struct sn_solver *s, uint32_t early, uint32_t late, bool *added)
{
    const struct sn_section *x = &s->c->m->section[early], *y = &s->c->m->section[late];
    if (x->thread == y->thread || (x->shared && y->shared))
        return true;
    bool known = x->release != SN_NONE && s->in_play[x->thread] > s->c->m->pos[x->release] &&
                 s->order[x->release] != SN_NONE;
    if (known && s->at[x->release] < acquired_at(s, late)) {
        need_event(s, x->release);
        return true;
    }
    *added |= give_lock_pair(s, early, late);
    return false;
}

static bool check_section(struct sn_solver *s, struct lock_state *l, uint32_t section, bool *added)
{
    bool good = true;
    if (l->writer != SN_NONE)
        good &= over_before(s, l->writer, section, added);
    if (s->c->m->section[section].shared) {
        SN_PUSH(s->c->m->arena, l->reader, l->nreaders, l->cap_readers, section);
        return good;
    }
    for (uint32_t i = 0; i < l->nreaders; i++)
        good &= over_before(s, l->reader[i], section, added);
    l->writer = section;
    l->nreaders = 0;
    return good;
}

static bool check_lock(struct sn_solver *s, const struct sn_lock *lock, bool *added)
{
    const struct sn_model *m = s->c->m;
    struct by_place *begun = NULL;
    uint32_t n = 0, cap = 0;
    struct lock_state l = {.writer = SN_NONE};
    bool good = true;
    for (uint32_t i = lock->first; i < lock->first + lock->n; i++) {
        uint32_t e = m->section[i].acquire;
        if (e == SN_NONE || s->have[m->section[i].thread] > m->pos[e])
            SN_PUSH(m->arena, begun, n, cap, (struct by_place){acquired_at(s, i), e, i});
    }
    if (n)
        qsort(begun, n, sizeof *begun, compare_places);
    for (uint32_t i = 0; i < n; i++)
        good &= check_section(s, &l, begun[i].section, added);
    return good;
}

/* Locks, until their needs are followed too. False: constraints were missing. */
static bool check_locks(struct sn_solver *s)
{
    const struct sn_model *m = s->c->m;
    bool added = false, good = true;
    for (;;) {
        uint32_t before = 0, after = 0;
        for (uint32_t t = 0; t < m->nthreads; t++)
            before += s->have[t];
        for (uint32_t i = 0; i < m->nlocks; i++)
            if (m->lock[i].contested)
                good &= check_lock(s, &m->lock[i], &added);
        if (!good) {
            sn_assert(added);
            return false;
        }
        follow_all(s);
        for (uint32_t t = 0; t < m->nthreads; t++)
            after += s->have[t];
        if (before == after)
            return true;
    }
}

/* Guards of executed events. False: one was broken, and its constraint was added. */
static bool check_guards(struct sn_solver *s)
{
    const struct sn_model *m = s->c->m;
    bool good = true;
    for (uint32_t i = 0; i < m->nguards; i++) {
        const struct sn_guard *g = &m->guard[i];
        if (s->have[sn_thread_of(m, g->guard)] <= m->pos[g->guard] || s->at[g->from] < s->at[g->to])
            continue;
        say(s, not_less(s->order[g->guard], s->cut));
        say(s, less(s->order[g->from], s->order[g->to]));
        end_clause(s);
        good = false;
    }
    return good;
}

/* Every write between the one that should serve and the read, in the proposal's order. */
static bool blame(struct sn_solver *s, const struct sn_reordering *o, uint32_t upto, uint32_t read)
{
    const struct sn_values *v = &s->c->v;
    const struct sn_access *r = &v->access[read];
    uint32_t w = s->serves[read], served = s->choice[read].first;
    bool added = false;
    while (!sn_smt_is_true(s->smt, served))
        served++;
    for (uint32_t i = upto + 1; i-- > 0;) {
        uint32_t e = o->event[i];
        for (uint32_t k = v->of[e]; k < v->of[e + 1]; k++) {
            const struct sn_access *x = &v->access[k];
            if (x->write && x->var == r->var && x->value != r->value && (e != r->event || k < read))
                added |= give_interference(s, served, r->event, w, e);
        }
        if (e == w)
            break;
    }
    return added;
}

struct missing {
    uint32_t *read, *place;
    uint32_t n, cap, cap_place;
};

/* Replays the values. Reads that go wrong are collected: constraints are added afterwards, because
 * that needs the proposal too. */
static void replay(struct sn_solver *s, const struct sn_reordering *o, struct missing *wrong)
{
    const struct sn_values *v = &s->c->v;
    for (uint32_t i = 0; i < v->nvars; i++)
        s->memory[i] = v->var[i].start;
    for (uint32_t i = 0; i < o->n; i++) {
        uint32_t e = o->event[i];
        for (uint32_t k = v->of[e]; k < v->of[e + 1]; k++) {
            const struct sn_access *x = &v->access[k];
            if (x->write) {
                s->memory[x->var] = x->value;
            } else if (s->memory[x->var] != x->value) {
                uint32_t n = wrong->n;
                SN_PUSH(s->c->m->arena, wrong->read, wrong->n, wrong->cap, k);
                SN_PUSH(s->c->m->arena, wrong->place, n, wrong->cap_place, i);
            }
        }
    }
}

static bool check_values(struct sn_solver *s, const struct sn_reordering *o)
{
    struct missing wrong = {0};
    bool added = false;
    replay(s, o, &wrong);
    /* First those with a choice: they look at the proposal, which new variables do not disturb. */
    for (uint32_t i = 0; i < wrong.n; i++)
        if (s->choice[wrong.read[i]].n)
            added |= blame(s, o, wrong.place[i], wrong.read[i]);
    for (uint32_t i = 0; i < wrong.n; i++)
        if (!s->choice[wrong.read[i]].n) {
            give_choice(s, wrong.read[i]);
            added = true;
        }
    sn_assert(wrong.n == 0 || added);
    return wrong.n == 0;
}

static void write_order(struct sn_solver *s, struct sn_reordering *o)
{
    const struct sn_model *m = s->c->m;
    struct by_place *all = SN_NEW(m->arena, struct by_place, m->n);
    o->n = 0;
    for (uint32_t t = 0; t < m->nthreads; t++)
        for (uint32_t p = 0; p < s->have[t]; p++) {
            uint32_t e = m->list[t][p];
            all[o->n++] = (struct by_place){s->at[e], e, 0};
        }
    if (o->n)
        qsort(all, o->n, sizeof *all, compare_places);
    o->event = SN_NEW(m->arena, uint32_t, o->n);
    for (uint32_t i = 0; i < o->n; i++)
        o->event[i] = all[i].event;
}

static void chosen(struct sn_solver *s, const struct sn_question *q, struct sn_meeting *meet)
{
    int64_t cut = sn_smt_value(s->smt, s->cut);
    meet->n = q->n;
    for (uint32_t i = 0; i < q->n; i++) {
        meet->event[i] = SN_NONE;
        for (uint32_t k = 0; k < q->count[i] && meet->event[i] == SN_NONE; k++)
            if (s->at[q->event[i][k]] == cut)
                meet->event[i] = q->event[i][k];
        sn_assert(meet->event[i] != SN_NONE);
    }
}

/* A proposal is good, or has taught the solver something. */
static bool try_proposal(struct sn_solver *s, const struct sn_question *q, struct sn_meeting *meet,
                         struct sn_reordering *o)
{
    const struct sn_model *m = s->c->m;
    read_places(s);
    chosen(s, q, meet);
    memset(s->have, 0, m->nthreads * sizeof *s->have);
    memset(s->looked, 0, m->nthreads * sizeof *s->looked);
    for (uint32_t i = 0; i < meet->n; i++) {
        uint32_t e = meet->event[i], before = sn_event_before(m, e);
        if (before != SN_NONE)
            need_event(s, before);
        for (uint32_t k = s->c->in.first[e]; k < s->c->in.first[e + 1]; k++)
            if (s->c->in.e[k].kind != SN_EDGE_SOFT)
                need_event(s, s->c->in.e[k].from);
    }
    follow_all(s);
    if (!check_locks(s) || !check_guards(s))
        return false;
    write_order(s, o);
    return check_values(s, o);
}

static uint32_t pose(struct sn_solver *s, const struct sn_question *q)
{
    uint32_t asked = sn_smt_truth(s->smt);
    for (uint32_t i = 0; i < q->n; i++)
        for (uint32_t k = 0; k < q->count[i]; k++)
            want(s, q->event[i][k]);
    bring_into_play(s);
    for (uint32_t i = 0; i < q->n; i++) {
        uint32_t first = SN_NONE;
        for (uint32_t k = 0; k < q->count[i]; k++) {
            uint32_t here = sn_smt_truth(s->smt), o = s->order[q->event[i][k]];
            first = first == SN_NONE ? here : first;
            say(s, truth(here, false));
            say(s, not_less(o, s->cut));
            end_clause(s);
            say(s, truth(here, false));
            say(s, not_less(s->cut, o));
            end_clause(s);
        }
        say(s, truth(asked, false));
        for (uint32_t k = 0; k < q->count[i]; k++)
            say(s, truth(first + k, true));
        end_clause(s);
    }
    return asked;
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

enum sn_answer sn_solver_ask(struct sn_solver *s, const struct sn_question *q, unsigned limit_ms,
                             struct sn_meeting *meet, struct sn_reordering *o)
{
    int64_t end = now_ms() + limit_ms;
    uint32_t asked = pose(s, q);
    enum sn_answer answer;
    for (;;) {
        int64_t left = limit_ms ? end - now_ms() : 0;
        if (limit_ms && left <= 0) {
            answer = SN_UNKNOWN;
            break;
        }
        answer = sn_smt_check(s->smt, asked, (unsigned)left);
        if (answer != SN_YES || try_proposal(s, q, meet, o))
            break;
    }
    sn_assert(answer != SN_YES || !sn_witness_check(s->c, o, meet));
    say(s, truth(asked, false)); /* the question is answered: it binds nobody any more */
    end_clause(s);
    return answer;
}
