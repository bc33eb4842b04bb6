/*
 * witness.c: checks a reordering step by step, by its definition (causal.h) and by nothing else.
 * Whatever found it, nothing is reported that does not pass here.
 */
#include "predict/causal.h"

#include <string.h>

struct run {
    const struct sn_causal *c;
    uint32_t *done;                  /* thread -> events executed */
    uint32_t *memory;                /* variable -> value number */
    uint32_t *writers, *readers;     /* lock -> sections open in it */
    uint32_t *begins, *ends;         /* event -> 1 + first section that begins / ends with it */
    uint32_t *next_begin, *next_end; /* section -> 1 + next one */
};

static bool executed(const struct run *r, uint32_t event)
{
    return r->done[sn_thread_of(r->c->m, event)] > r->c->m->pos[event];
}

static void enter(struct run *r, uint32_t section)
{
    const struct sn_section *s = &r->c->m->section[section];
    (s->shared ? r->readers : r->writers)[s->lock]++;
}

static void leave(struct run *r, uint32_t section)
{
    const struct sn_section *s = &r->c->m->section[section];
    (s->shared ? r->readers : r->writers)[s->lock]--;
}

static struct run start(const struct sn_causal *c)
{
    const struct sn_model *m = c->m;
    struct run r = {.c = c,
                    .done = SN_NEW(m->arena, uint32_t, m->nthreads),
                    .memory = SN_NEW(m->arena, uint32_t, c->v.nvars),
                    .writers = SN_NEW(m->arena, uint32_t, m->nlocks),
                    .readers = SN_NEW(m->arena, uint32_t, m->nlocks),
                    .begins = SN_NEW(m->arena, uint32_t, m->n),
                    .ends = SN_NEW(m->arena, uint32_t, m->n),
                    .next_begin = SN_NEW(m->arena, uint32_t, m->nsections),
                    .next_end = SN_NEW(m->arena, uint32_t, m->nsections)};
    for (uint32_t i = 0; i < c->v.nvars; i++)
        r.memory[i] = c->v.var[i].start;
    for (uint32_t i = 0; i < m->nsections; i++) {
        const struct sn_section *s = &m->section[i];
        if (s->acquire == SN_NONE) {
            enter(&r, i);
        } else {
            r.next_begin[i] = r.begins[s->acquire];
            r.begins[s->acquire] = i + 1;
        }
        if (s->release != SN_NONE) {
            r.next_end[i] = r.ends[s->release];
            r.ends[s->release] = i + 1;
        }
    }
    return r;
}

static const char *step_locks(struct run *r, uint32_t event)
{
    const struct sn_model *m = r->c->m;
    for (uint32_t i = r->begins[event]; i; i = r->next_begin[i - 1]) {
        const struct sn_section *s = &m->section[i - 1];
        if (r->writers[s->lock] || (!s->shared && r->readers[s->lock]))
            return "a lock is taken while it is held";
        enter(r, i - 1);
    }
    for (uint32_t i = r->ends[event]; i; i = r->next_end[i - 1])
        leave(r, i - 1);
    return NULL;
}

static const char *step_values(struct run *r, uint32_t event)
{
    const struct sn_values *v = &r->c->v;
    for (uint32_t i = v->of[event]; i < v->of[event + 1]; i++) {
        const struct sn_access *x = &v->access[i];
        if (x->write)
            r->memory[x->var] = x->value;
        else if (r->memory[x->var] != x->value)
            return "a read gets another value";
    }
    return NULL;
}

static const char *step(struct run *r, uint32_t event)
{
    const struct sn_causal *c = r->c;
    uint32_t t = sn_thread_of(c->m, event);
    if (r->done[t] != c->m->pos[event])
        return "program order is broken";
    for (uint32_t i = c->in.first[event]; i < c->in.first[event + 1]; i++)
        if (!executed(r, c->in.e[i].from))
            return "an event comes before one that it waits for";
    const char *why = step_locks(r, event);
    if (!why)
        why = step_values(r, event);
    r->done[t]++;
    return why;
}

static const char *check_guards(const struct run *r, const struct sn_reordering *o)
{
    const struct sn_model *m = r->c->m;
    uint32_t *place = SN_NEW(m->arena, uint32_t, m->n);
    for (uint32_t i = 0; i < o->n; i++)
        place[o->event[i]] = i + 1;
    for (uint32_t i = 0; i < m->nguards; i++) {
        const struct sn_guard *g = &m->guard[i];
        if (executed(r, g->guard) && (!place[g->from] || place[g->from] >= place[g->to]))
            return "a signal comes before the wait that it ended";
    }
    return NULL;
}

static const char *about_to(const struct run *r, uint32_t event)
{
    const struct sn_causal *c = r->c;
    if (r->done[sn_thread_of(c->m, event)] != c->m->pos[event])
        return "an event that should be next is not";
    for (uint32_t i = c->in.first[event]; i < c->in.first[event + 1]; i++)
        if (c->in.e[i].kind != SN_EDGE_SOFT && !executed(r, c->in.e[i].from))
            return "an event that should be next still waits";
    return NULL;
}

const char *sn_witness_check(const struct sn_causal *c, const struct sn_reordering *o,
                             const struct sn_meeting *meet)
{
    struct run r = start(c);
    const char *why = NULL;
    for (uint32_t i = 0; i < o->n && !why; i++)
        why = step(&r, o->event[i]);
    if (!why)
        why = check_guards(&r, o);
    for (uint32_t i = 0; i < meet->n && !why; i++)
        why = about_to(&r, meet->event[i]);
    return why;
}
