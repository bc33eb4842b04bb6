/* give.c: the constraints that solve.c speaks of, given on demand. */
#include "predict/solver.h"

void sn_give_literal(struct sn_solver *s, struct sn_literal l)
{
    SN_PUSH(s->c->m->arena, s->clause, s->nclause, s->cap_clause, l);
}

void sn_give_clause(struct sn_solver *s)
{
    sn_smt_clause(s->smt, s->clause, s->nclause);
    s->nclause = 0;
}

/* True the first time. */
static bool pair_add(struct sn_solver *s, uint64_t key)
{
    struct sn_pair_set *p = &s->given;
    if (2 * p->n >= p->cap) {
        struct sn_pair_set old = *p;
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

/* Bringing events into play: each gets its variable, its place in program order, its edges. */

static void new_variable(struct sn_solver *s, uint32_t e)
{
    uint32_t t = sn_thread_of(s->c->m, e);
    s->order[e] = sn_smt_number(s->smt);
    if (s->last[t] != SN_NONE) {
        sn_give_literal(s, sn_less(s->order[s->last[t]], s->order[e]));
        sn_give_clause(s);
    }
    s->last[t] = e;
}

void sn_want_event(struct sn_solver *s, uint32_t event)
{
    sn_assert(s->relevant[event]);
    SN_PUSH(s->c->m->arena, s->todo, s->ntodo, s->cap_todo, event);
}

static void edges_of(struct sn_solver *s, uint32_t e)
{
    const struct sn_edges_in *in = &s->c->in;
    for (uint32_t i = in->first[e]; i < in->first[e + 1]; i++) {
        if (in->e[i].kind == SN_EDGE_SOFT)
            sn_give_literal(s, sn_not_less(s->order[e], s->cut));
        sn_give_literal(s, sn_less(s->order[in->e[i].from], s->order[e]));
        sn_give_clause(s);
    }
}

void sn_bring_into_play(struct sn_solver *s)
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

bool sn_give_lock_pair(struct sn_solver *s, uint32_t a, uint32_t b)
{
    const struct sn_section *x = &s->c->m->section[a], *y = &s->c->m->section[b];
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    if (!pair_add(s, 1ull << 63 | (uint64_t)low << 31 | high))
        return false;
    const uint32_t event[4] = {x->acquire, x->release, y->acquire, y->release};
    for (int i = 0; i < 4; i++)
        if (event[i] != SN_NONE)
            sn_want_event(s, event[i]);
    sn_bring_into_play(s);
    if (x->acquire != SN_NONE)
        sn_give_literal(s, sn_not_less(s->order[x->acquire], s->cut));
    if (y->acquire != SN_NONE)
        sn_give_literal(s, sn_not_less(s->order[y->acquire], s->cut));
    if (x->release != SN_NONE && y->acquire != SN_NONE)
        sn_give_literal(s, sn_less(s->order[x->release], s->order[y->acquire]));
    if (y->release != SN_NONE && x->acquire != SN_NONE)
        sn_give_literal(s, sn_less(s->order[y->release], s->order[x->acquire]));
    sn_give_clause(s);
    return true;
}

void sn_give_choice(struct sn_solver *s, uint32_t read)
{
    const struct sn_values *v = &s->c->v;
    const struct sn_access *r = &v->access[read];
    struct sn_choice *k = &s->choice[read];
    k->start = v->var[r->var].start == r->value;
    k->n = v->write_first[r->value + 1] - v->write_first[r->value] + k->start;
    for (uint32_t i = v->write_first[r->value]; i < v->write_first[r->value + 1]; i++)
        sn_want_event(s, v->access[v->writes[i]].event);
    sn_bring_into_play(s);
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t served = sn_smt_truth(s->smt);
        k->first = i ? k->first : served;
        if (i == k->n - 1 && k->start)
            continue;
        uint32_t w = v->access[v->writes[v->write_first[r->value] + i]].event;
        sn_give_literal(s, sn_truth(served, false));
        if (w != r->event)
            sn_give_literal(s, sn_less(s->order[w], s->order[r->event]));
        sn_give_clause(s);
    }
    sn_give_literal(s, sn_not_less(s->order[r->event], s->cut));
    for (uint32_t i = 0; i < k->n; i++)
        sn_give_literal(s, sn_truth(k->first + i, true));
    sn_give_clause(s);
}

bool sn_give_interference(struct sn_solver *s, uint32_t served, uint32_t read_event, uint32_t w,
                          uint32_t other)
{
    if (!pair_add(s, (uint64_t)(served + 1) << 32 | other))
        return false;
    sn_want_event(s, other);
    sn_bring_into_play(s);
    sn_give_literal(s, sn_truth(served, false));
    if (w != SN_NONE && w != other)
        sn_give_literal(s, sn_less(s->order[other], s->order[w]));
    if (read_event != other)
        sn_give_literal(s, sn_less(s->order[read_event], s->order[other]));
    sn_give_clause(s);
    return true;
}
