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
#include "predict/solver.h"

#include <string.h>
#include <time.h>

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
    s->choice = SN_NEW(a, struct sn_choice, c->v.n);
    s->at = SN_NEW(a, int64_t, m->n);
    s->have = SN_NEW(a, uint32_t, m->nthreads);
    s->looked = SN_NEW(a, uint32_t, m->nthreads);
    s->serves = SN_NEW(a, uint32_t, c->v.n);
    s->memory = SN_NEW(a, uint32_t, c->v.nvars);
    mark_relevant(s);
    return s;
}

static uint32_t pose(struct sn_solver *s, const struct sn_question *q)
{
    uint32_t asked = sn_smt_truth(s->smt);
    for (uint32_t i = 0; i < q->n; i++)
        for (uint32_t k = 0; k < q->count[i]; k++)
            sn_want_event(s, q->event[i][k]);
    sn_bring_into_play(s);
    for (uint32_t i = 0; i < q->n; i++) {
        uint32_t first = SN_NONE;
        for (uint32_t k = 0; k < q->count[i]; k++) {
            uint32_t here = sn_smt_truth(s->smt), o = s->order[q->event[i][k]];
            first = first == SN_NONE ? here : first;
            sn_give_literal(s, sn_truth(here, false));
            sn_give_literal(s, sn_not_less(o, s->cut));
            sn_give_clause(s);
            sn_give_literal(s, sn_truth(here, false));
            sn_give_literal(s, sn_not_less(s->cut, o));
            sn_give_clause(s);
        }
        sn_give_literal(s, sn_truth(asked, false));
        for (uint32_t k = 0; k < q->count[i]; k++)
            sn_give_literal(s, sn_truth(first + k, true));
        sn_give_clause(s);
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
        if (answer != SN_YES || sn_try_proposal(s, q, meet, o))
            break;
    }
    sn_assert(answer != SN_YES || !sn_witness_check(s->c, o, meet));
    sn_give_literal(
        s, sn_truth(asked, false)); /* the question is answered: it binds nobody any more */
    sn_give_clause(s);
    return answer;
}
