/*
 * tell.c: what to say of a prediction. The whole witness goes along as runs; the steps that are
 * shown are its last ones that matter: synchronisation, and accesses to memory that another thread
 * of the witness accesses too.
 */
#include "predict/tell.h"

#include <string.h>

#include "store/xalloc.h"

static struct sn_told tell_event(const struct sn_window *w, uint32_t event)
{
    const struct sn_wevent *e = &w->ev[event];
    return (struct sn_told){.number = w->first + event,
                            .addr = e->addr,
                            .size = e->size,
                            .value = e->value,
                            .thread = w->thread[e->thread],
                            .site = e->site,
                            .op = e->op,
                            .has_value = e->has_value};
}

static void tell_runs(const struct sn_window *w, const struct sn_reordering *o,
                      struct sn_predicted *out)
{
    out->run = sn_xcalloc(o->n, sizeof *out->run);
    for (uint32_t i = 0; i < o->n; i++) {
        uint32_t thread = w->thread[w->ev[o->event[i]].thread];
        if (out->nruns == 0 || out->run[out->nruns - 1].thread != thread)
            out->run[out->nruns++].thread = thread;
        out->run[out->nruns - 1].events++;
    }
    out->run = sn_xrealloc(out->run, out->nruns, sizeof *out->run);
}

/* Memory words that more than one thread of the witness accesses, in a table of bits by hash: a
 * collision only shows a step too many. */
#define WORD_SLOTS 65536

static void note_words(const struct sn_window *w, const struct sn_reordering *o, uint32_t *owner)
{
    for (uint32_t i = 0; i < o->n; i++) {
        const struct sn_wevent *e = &w->ev[o->event[i]];
        uint32_t *slot = &owner[(e->addr / 8 * 0x9e3779b97f4a7c15ull >> 40) % WORD_SLOTS];
        if (!sn_trace_is_access(e->op))
            continue;
        if (*slot == 0)
            *slot = e->thread + 1;
        else if (*slot != e->thread + 1)
            *slot = UINT32_MAX;
    }
}

static bool matters(const struct sn_wevent *e, const uint32_t *owner)
{
    if (sn_trace_is_access(e->op))
        return owner[(e->addr / 8 * 0x9e3779b97f4a7c15ull >> 40) % WORD_SLOTS] == UINT32_MAX;
    return e->op != SN_EV_ALLOC && e->op != SN_EV_MAP && e->op != SN_EV_YIELD;
}

static void tell_steps(const struct sn_window *w, const struct sn_reordering *o,
                       const struct sn_meeting *meet, struct sn_predicted *out)
{
    uint32_t *owner = sn_xcalloc(WORD_SLOTS, sizeof *owner), n = SN_TELL_STEPS;
    note_words(w, o, owner);
    out->step = sn_xcalloc(SN_TELL_STEPS + SN_MAX_MEET, sizeof *out->step);
    for (uint32_t i = o->n; i-- > 0 && n > 0;)
        if (matters(&w->ev[o->event[i]], owner))
            out->step[--n] = tell_event(w, o->event[i]);
    out->nsteps = SN_TELL_STEPS - n;
    memmove(out->step, out->step + n, out->nsteps * sizeof *out->step);
    for (uint32_t i = 0; i < meet->n; i++)
        out->step[out->nsteps++] = tell_event(w, meet->event[i]);
    free(owner);
}

/* The locks that the thread of `event` holds then, oldest first. */
static void tell_locks(const struct sn_window *w, uint32_t who, uint32_t event,
                       struct sn_predicted *out)
{
    uint32_t thread = w->ev[event].thread, from = out->nlocks;
    for (uint32_t i = 0; i < w->nheld; i++)
        if (w->held[i].thread == thread) {
            out->lock = sn_xrealloc(out->lock, out->nlocks + 1, sizeof *out->lock);
            out->lock[out->nlocks++] =
                (struct sn_told_lock){w->held[i].addr, who, w->held[i].site, w->held[i].shared};
        }
    for (uint32_t i = 0; i < event; i++) {
        const struct sn_wevent *e = &w->ev[i];
        if (e->thread != thread)
            continue;
        if (e->op == SN_EV_LOCK || e->op == SN_EV_RDLOCK) {
            out->lock = sn_xrealloc(out->lock, out->nlocks + 1, sizeof *out->lock);
            out->lock[out->nlocks++] =
                (struct sn_told_lock){e->addr, who, e->site, e->op == SN_EV_RDLOCK};
        }
        if (e->op != SN_EV_UNLOCK && e->op != SN_EV_RDUNLOCK)
            continue;
        for (uint32_t k = out->nlocks; k-- > from;)
            if (out->lock[k].addr == e->addr) {
                memmove(out->lock + k, out->lock + k + 1, (--out->nlocks - k) * sizeof *out->lock);
                break;
            }
    }
}

void sn_tell(const struct sn_window *w, uint64_t window, const struct sn_prediction *p,
             struct sn_predicted *out)
{
    *out = (struct sn_predicted){.deadlock = p->deadlock,
                                 .means = p->means,
                                 .key = p->key,
                                 .window = window,
                                 .addr = p->addr,
                                 .size = p->size,
                                 .nmeet = p->meet.n,
                                 .first = w->first};
    for (uint32_t i = 0; i < p->meet.n; i++) {
        out->meet[i] = tell_event(w, p->meet.event[i]);
        tell_locks(w, i, p->meet.event[i], out);
    }
    if (p->means == SN_BY_CLOCKS)
        return;
    tell_runs(w, &p->order, out);
    tell_steps(w, &p->order, &p->meet, out);
}

void sn_told_free(struct sn_predicted *p)
{
    free(p->lock);
    free(p->step);
    free(p->run);
}
