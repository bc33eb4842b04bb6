/*
 * proposal.c: an order that the solver proposes is replayed, as much of it as the meeting events
 * need. What goes wrong adds its constraint.
 */
#include "predict/solver.h"

#include <stdlib.h>
#include <string.h>

/* What of it the meeting events need. */

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
    const struct sn_choice *k = &s->choice[read];
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
    *added |= sn_give_lock_pair(s, early, late);
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
        sn_give_literal(s, sn_not_less(s->order[g->guard], s->cut));
        sn_give_literal(s, sn_less(s->order[g->from], s->order[g->to]));
        sn_give_clause(s);
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
                added |= sn_give_interference(s, served, r->event, w, e);
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
            sn_give_choice(s, wrong.read[i]);
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

bool sn_try_proposal(struct sn_solver *s, const struct sn_question *q, struct sn_meeting *meet,
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
