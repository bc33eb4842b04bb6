/*
 * closure.c: sync-preserving reorderings (Mathur, Pavlogiannis and Viswanathan, "Optimal Prediction
 * of Synchronization-Preserving Races", POPL 2021): those that keep the order of critical sections
 * and in which every read reads from the same write.
 *
 * The smallest candidate is a closure: everything that the events wait for, and whenever two
 * sections of a lock are begun in it, the end of the earlier one. It has a first part of each
 * thread, so it is one number per thread. If it has none of the events themselves, running it in
 * the order of the trace is a witness. No solver, and time linear in the window.
 */
#include "predict/causal.h"

#include <string.h>

struct closure {
    const struct sn_causal *c;
    uint32_t *have; /* thread -> events in the closure */
    uint32_t *last; /* thread -> newest section of the lock at hand; SN_NONE */
    uint32_t *last_exclusive;
};

/* The newest section of each thread in lock `l` that the closure has begun, and the newest that is
 * not shared. */
static uint32_t newest_sections(struct closure *k, const struct sn_lock *l)
{
    const struct sn_model *m = k->c->m;
    uint32_t found = 0;
    memset(k->last, 0xff, m->nthreads * sizeof *k->last);
    memset(k->last_exclusive, 0xff, m->nthreads * sizeof *k->last_exclusive);
    for (uint32_t i = l->first; i < l->first + l->n; i++) {
        const struct sn_section *s = &m->section[i];
        if (s->acquire != SN_NONE && k->have[s->thread] <= m->pos[s->acquire])
            continue;
        found += k->last[s->thread] == SN_NONE;
        k->last[s->thread] = i;
        if (!s->shared)
            k->last_exclusive[s->thread] = i;
    }
    return found;
}

/* Includes the end of section `i`. False: it has none. */
static bool add_end(struct closure *k, uint32_t i, bool *grown)
{
    const struct sn_model *m = k->c->m;
    const struct sn_section *s = &m->section[i];
    if (s->release == SN_NONE)
        return false;
    if (k->have[s->thread] > m->pos[s->release])
        return true;
    sn_clock_join(k->have, sn_clock(&k->c->seen, s->release), m->nthreads);
    *grown = true;
    return true;
}

static bool close_lock(struct closure *k, const struct sn_lock *l, bool *grown)
{
    const struct sn_model *m = k->c->m;
    if (newest_sections(k, l) < 2)
        return true;
    for (uint32_t a = 0; a < m->nthreads; a++) {
        for (uint32_t b = 0; b < m->nthreads; b++) {
            uint32_t early = k->last[a], late;
            if (early == SN_NONE || a == b)
                continue;
            late = m->section[early].shared ? k->last_exclusive[b] : k->last[b];
            if (late != SN_NONE && early < late && !add_end(k, early, grown))
                return false;
        }
    }
    return true;
}

/* The first event of `meet` that is in the closure; SN_CLOSURE_FOUND when none is. */
static int has_any(const struct closure *k, const struct sn_meeting *meet)
{
    const struct sn_model *m = k->c->m;
    for (uint32_t i = 0; i < meet->n; i++)
        if (k->have[sn_thread_of(m, meet->event[i])] > m->pos[meet->event[i]])
            return (int)i;
    return SN_CLOSURE_FOUND;
}

static int close_all(struct closure *k, const struct sn_meeting *meet)
{
    const struct sn_model *m = k->c->m;
    bool grown = true;
    int any = has_any(k, meet);
    while (grown && any == SN_CLOSURE_FOUND) {
        grown = false;
        for (uint32_t i = 0; i < m->nlocks; i++)
            if (m->lock[i].contested && !close_lock(k, &m->lock[i], &grown))
                return SN_CLOSURE_NEVER;
        any = has_any(k, meet);
    }
    return any;
}

static void write_order(const struct closure *k, struct sn_reordering *o)
{
    const struct sn_model *m = k->c->m;
    o->n = 0;
    o->event = SN_NEW(m->arena, uint32_t, m->n);
    for (uint32_t e = 0; e < m->n; e++)
        if (k->have[sn_thread_of(m, e)] > m->pos[e])
            o->event[o->n++] = e;
}

int sn_closure_meets(const struct sn_causal *c, const struct sn_meeting *meet,
                     struct sn_reordering *o)
{
    const struct sn_model *m = c->m;
    struct closure k = {c, c->scratch, c->scratch + m->nthreads, c->scratch + 2 * m->nthreads};
    memset(k.have, 0, m->nthreads * sizeof *k.have);
    for (uint32_t i = 0; i < meet->n; i++)
        sn_clock_before(m, &c->seen, &c->seen_in, meet->event[i], k.have);
    int r = close_all(&k, meet);
    if (r == SN_CLOSURE_FOUND)
        write_order(&k, o);
    return r;
}
