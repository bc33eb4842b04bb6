/*
 * must.c: what is before an event in every reordering that has it. Questions that this answers with
 * "no" never reach the solver; and handshakes over flags, of which the solver would have to untie
 * one round after the other, are answered here at once.
 *
 * For each event a vector clock, filled in trace order and improved until nothing changes:
 *   edges   what the edges say;
 *   reads   a read comes after the last write before it. Which one that is differs, but never one
 *           that another write is bound to overwrite in between, nor one that is bound to come
 *           later. Whatever is before all that are left is before the read;
 *   locks   in a section, with the beginning of another thread's section of the lock known to be
 *           earlier: that section is over.
 * Each step only adds what holds in every reordering, so it may stop at any time.
 */
#include "predict/causal.h"

#include <string.h>

#define MOST_PASSES 8

struct must {
    struct sn_causal *c;
    uint32_t *clock;       /* of the event at hand, without itself */
    uint32_t *overwritten; /* by thread: writes with a smaller place are gone */
    uint32_t *meet;        /* what all that are left have before them */
    uint32_t **by_thread;  /* lock * threads + thread -> its sections */
    uint32_t *count;
};

/* The last write of thread t to a variable that is before the event at hand; SN_NONE. */
static uint32_t last_write(const struct must *k, uint32_t var, uint32_t t)
{
    const struct sn_model *m = k->c->m;
    const struct sn_values *v = &k->c->v;
    uint32_t low = v->var_write_first[var];
    uint32_t i =
        sn_writes_from(m, v, v->var_writes, low, v->var_write_first[var + 1], t, k->clock[t]);
    if (i == low)
        return SN_NONE;
    uint32_t e = v->access[v->var_writes[i - 1]].event;
    return sn_thread_of(m, e) == t ? e : SN_NONE;
}

/* False: no write is known to be before, so it may still be what was there at the start. */
static bool find_overwritten(struct must *k, uint32_t var)
{
    const struct sn_model *m = k->c->m;
    bool any = false;
    memset(k->overwritten, 0, m->nthreads * sizeof *k->overwritten);
    for (uint32_t t = 0; t < m->nthreads; t++) {
        uint32_t w = last_write(k, var, t);
        if (w == SN_NONE)
            continue;
        any = true;
        const uint32_t *before = sn_clock(&k->c->must, w);
        for (uint32_t u = 0; u < m->nthreads; u++) {
            uint32_t gone = u == t ? m->pos[w] : before[u];
            if (k->overwritten[u] < gone)
                k->overwritten[u] = gone;
        }
    }
    return any;
}

/* The meet over all writes that can be the last before `event`; only the first of each thread
 * counts, those after it have more before them. */
static void meet_writers(struct must *k, uint32_t event, const struct sn_access *r)
{
    const struct sn_model *m = k->c->m;
    const struct sn_values *v = &k->c->v;
    uint32_t low = v->write_first[r->value], high = v->write_first[r->value + 1];
    bool any = false;
    memset(k->meet, 0, m->nthreads * sizeof *k->meet);
    for (uint32_t t = 0; t < m->nthreads; t++) {
        uint32_t i = sn_writes_from(m, v, v->writes, low, high, t, k->overwritten[t]);
        uint32_t w = i < high ? v->access[v->writes[i]].event : SN_NONE;
        if (w == SN_NONE || sn_thread_of(m, w) != t || sn_ordered(m, &k->c->must, event, w))
            continue;
        const uint32_t *before = sn_clock(&k->c->must, w);
        for (uint32_t u = 0; u < m->nthreads; u++)
            if (!any || before[u] < k->meet[u])
                k->meet[u] = before[u];
        any = true;
    }
}

static bool join(struct must *k, const uint32_t *from)
{
    bool grown = false;
    for (uint32_t t = 0; t < k->c->m->nthreads; t++) {
        grown |= k->clock[t] < from[t];
        k->clock[t] = k->clock[t] < from[t] ? from[t] : k->clock[t];
    }
    return grown;
}

static bool after_reads(struct must *k, uint32_t event)
{
    const struct sn_values *v = &k->c->v;
    bool grown = false;
    for (uint32_t i = v->of[event]; i < v->of[event + 1]; i++) {
        const struct sn_access *r = &v->access[i];
        if (r->write)
            continue;
        bool written = find_overwritten(k, r->var);
        if (!written && v->var[r->var].start == r->value)
            continue;
        meet_writers(k, event, r);
        grown |= join(k, k->meet);
    }
    return grown;
}

/* Sections of other threads in the locks that the event's thread holds, or takes with it. */
static bool after_sections(struct must *k, uint32_t lock, uint32_t thread, bool shared)
{
    const struct sn_model *m = k->c->m;
    bool grown = false;
    for (uint32_t t = 0; t < m->nthreads; t++) {
        uint32_t at = lock * m->nthreads + t, low = 0, high = k->count[at];
        while (low < high) { /* the first that is not known to have begun */
            uint32_t mid = (low + high) / 2, a = m->section[k->by_thread[at][mid]].acquire;
            if (a == SN_NONE || m->pos[a] < k->clock[t])
                low = mid + 1;
            else
                high = mid;
        }
        if (t == thread || low == 0)
            continue;
        const struct sn_section *s = &m->section[k->by_thread[at][low - 1]];
        if (s->release != SN_NONE && !(s->shared && shared))
            grown |= join(k, sn_clock(&k->c->must, s->release));
    }
    return grown;
}

static bool after_locks(struct must *k, uint32_t event)
{
    const struct sn_model *m = k->c->m;
    const struct sn_wevent *e = &m->w->ev[event];
    const struct sn_lockset *held = &m->lockset[m->lockset_of[event]];
    bool grown = false;
    for (uint32_t i = 0; i < held->n; i++)
        if (m->lock[held->lock[i] >> 1].contested)
            grown |= after_sections(k, held->lock[i] >> 1, e->thread, held->lock[i] & 1);
    uint32_t begun = m->begins[event];
    if (begun != SN_NONE && m->lock[m->section[begun].lock].contested)
        grown |= after_sections(k, m->section[begun].lock, e->thread, m->section[begun].shared);
    return grown;
}

static bool improve(struct must *k, uint32_t event)
{
    const struct sn_model *m = k->c->m;
    uint32_t *mine = sn_clock(&k->c->must, event), before = sn_event_before(m, event);
    memcpy(k->clock, mine, m->nthreads * sizeof *k->clock);
    if (before != SN_NONE)
        join(k, sn_clock(&k->c->must, before));
    for (uint32_t i = k->c->in.first[event]; i < k->c->in.first[event + 1]; i++)
        join(k, sn_clock(&k->c->must, k->c->in.e[i].from));
    k->clock[sn_thread_of(m, event)] = m->pos[event];
    while (after_reads(k, event) || after_locks(k, event))
        ;
    k->clock[sn_thread_of(m, event)] = m->pos[event] + 1;
    if (memcmp(k->clock, mine, m->nthreads * sizeof *mine) == 0)
        return false;
    memcpy(mine, k->clock, m->nthreads * sizeof *mine);
    return true;
}

static void index_sections(struct must *k)
{
    const struct sn_model *m = k->c->m;
    k->count = SN_NEW(m->arena, uint32_t, m->nlocks * m->nthreads);
    k->by_thread = SN_NEW(m->arena, uint32_t *, m->nlocks * m->nthreads);
    for (uint32_t i = 0; i < m->nsections; i++)
        k->count[m->section[i].lock * m->nthreads + m->section[i].thread]++;
    for (uint32_t i = 0; i < m->nlocks * m->nthreads; i++) {
        k->by_thread[i] = SN_NEW(m->arena, uint32_t, k->count[i]);
        k->count[i] = 0;
    }
    for (uint32_t i = 0; i < m->nsections; i++) {
        uint32_t at = m->section[i].lock * m->nthreads + m->section[i].thread;
        k->by_thread[at][k->count[at]++] = i;
    }
}

void sn_must_fill(struct sn_causal *c)
{
    struct sn_model *m = c->m;
    struct must k = {.c = c,
                     .clock = SN_NEW(m->arena, uint32_t, m->nthreads),
                     .overwritten = SN_NEW(m->arena, uint32_t, m->nthreads),
                     .meet = SN_NEW(m->arena, uint32_t, m->nthreads)};
    bool changed = true;
    index_sections(&k);
    c->must = sn_clocks_new(m);
    sn_clocks_fill(m, &c->must, &c->in);
    for (int pass = 0; changed && pass < MOST_PASSES; pass++) {
        changed = false;
        for (uint32_t e = 0; e < m->n; e++)
            changed |= improve(&k, e);
    }
}
