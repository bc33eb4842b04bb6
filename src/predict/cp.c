/*
 * cp.c: causally-precedes (Smaragdakis, Evans, Sadowski, Yi and Flanagan, "Sound Predictive Race
 * Detection in Polynomial Time", POPL 2012): the smallest relation such that, for sections of one
 * lock of which the first ends before the second begins,
 *   (a) the end of the first precedes the beginning of the second if they have conflicting
 * accesses; (b) likewise if an event of the first precedes one of the second; (c) it is closed
 * under composition with happens-before on either side. Two conflicting accesses race when neither
 * precedes the other nor is before it in the hard order (program order, fork, join and the other
 * synchronisation that is no lock).
 *
 * Its soundness (the first race, or else a deadlock, is real) is for locks that are given back in
 * the reverse order of taking them.
 *
 * By (c) what precedes an event is a first part of each thread, so a vector clock holds it:
 * prec[e]. By (c) again, (b) asks one number: does the beginning of the first section precede the
 * end of the second? Only the newest such section of each thread matters. Rules add to clocks until
 * nothing changes.
 */
#include "predict/analyse.h"

#include <string.h>

struct cp {
    struct sn_model *m;
    struct sn_clocks hb, prec, hard;
    struct sn_edges_in hb_in;
    uint32_t *touched;    /* section * threads + thread -> 1 + newest earlier section in conflict */
    uint32_t **by_thread; /* lock * threads + thread -> its sections */
    uint32_t *count;
};

/* Conflicting accesses of two sections. */

static void *touch_mask(struct cp *p, const struct sn_section *s, uint8_t *mask)
{
    const struct sn_model *m = p->m;
    uint32_t first = s->acquire == SN_NONE ? 0 : m->pos[s->acquire];
    uint32_t last = s->release == SN_NONE ? m->length[s->thread] - 1 : m->pos[s->release];
    for (uint32_t i = first; i <= last && i < m->length[s->thread]; i++) {
        uint32_t e = m->list[s->thread][i];
        for (uint32_t t = m->touch_of[e]; t < m->touch_of[e + 1]; t++)
            if (!(m->touch[t].kind & SN_TOUCH_NEW))
                mask[m->touch[t].cell] |= m->touch[t].kind & (SN_TOUCH_READ | SN_TOUCH_WRITE);
    }
    return mask;
}

static bool conflicts(struct cp *p, const struct sn_section *s, const uint8_t *mask)
{
    const struct sn_model *m = p->m;
    uint32_t first = s->acquire == SN_NONE ? 0 : m->pos[s->acquire];
    uint32_t last = s->release == SN_NONE ? m->length[s->thread] - 1 : m->pos[s->release];
    for (uint32_t i = first; i <= last && i < m->length[s->thread]; i++) {
        uint32_t e = m->list[s->thread][i];
        for (uint32_t t = m->touch_of[e]; t < m->touch_of[e + 1]; t++) {
            const struct sn_touch *x = &m->touch[t];
            uint8_t other = mask[x->cell];
            if (!(x->kind & SN_TOUCH_NEW) && other && (x->kind | other) & SN_TOUCH_WRITE)
                return true;
        }
    }
    return false;
}

static bool before(const struct sn_section *early, const struct sn_section *late)
{
    return early->release != SN_NONE && late->acquire != SN_NONE &&
           early->release < late->acquire && !(early->shared && late->shared);
}

/* For each section the newest earlier one of each thread in conflict with it: rule (a). */
static void find_conflicts(struct cp *p, const struct sn_lock *l, uint8_t *mask)
{
    const struct sn_model *m = p->m;
    for (uint32_t i = l->first; i < l->first + l->n; i++) {
        const struct sn_section *late = &m->section[i];
        memset(mask, 0, m->ncells);
        touch_mask(p, late, mask);
        for (uint32_t t = 0; t < m->nthreads; t++) {
            uint32_t at = late->lock * m->nthreads + t;
            for (uint32_t k = p->count[at]; t != late->thread && k-- > 0;) {
                uint32_t s = p->by_thread[at][k];
                if (s < i && before(&m->section[s], late) && conflicts(p, &m->section[s], mask)) {
                    p->touched[(size_t)i * m->nthreads + t] = s + 1;
                    break;
                }
            }
        }
    }
}

static void index_sections(struct cp *p)
{
    const struct sn_model *m = p->m;
    p->count = SN_NEW(m->arena, uint32_t, m->nlocks * m->nthreads);
    p->by_thread = SN_NEW(m->arena, uint32_t *, m->nlocks * m->nthreads);
    for (uint32_t i = 0; i < m->nsections; i++)
        p->count[m->section[i].lock * m->nthreads + m->section[i].thread]++;
    for (uint32_t i = 0; i < m->nlocks * m->nthreads; i++) {
        p->by_thread[i] = SN_NEW(m->arena, uint32_t, p->count[i]);
        p->count[i] = 0;
    }
    for (uint32_t i = 0; i < m->nsections; i++) {
        const struct sn_section *s = &m->section[i];
        uint32_t at = s->lock * m->nthreads + s->thread;
        p->by_thread[at][p->count[at]++] = i;
    }
}

/* The newest section of thread t in the same lock whose beginning precedes the end of `late`, or is
 * before it in the hard order: a thread that is created inside a section finds it begun. */
static uint32_t by_rule_b(const struct cp *p, uint32_t late, uint32_t t)
{
    const struct sn_model *m = p->m;
    const struct sn_section *l = &m->section[late];
    uint32_t end =
        l->release == SN_NONE ? m->list[l->thread][m->length[l->thread] - 1] : l->release;
    uint32_t known = sn_clock(&p->prec, end)[t], at = l->lock * m->nthreads + t;
    if (known < sn_clock(&p->hard, end)[t])
        known = sn_clock(&p->hard, end)[t];
    for (uint32_t k = p->count[at]; k-- > 0;) {
        uint32_t s = p->by_thread[at][k];
        const struct sn_section *x = &m->section[s];
        if (s < late && before(x, l) &&
            (x->acquire == SN_NONE ? known > 0 : known > m->pos[x->acquire]))
            return s;
    }
    return SN_NONE;
}

/* What the beginning of a section is preceded by, by rules (a) and (b) and happens-before on the
 * left. */
static void add_rules(struct cp *p, uint32_t section, uint32_t *clock)
{
    const struct sn_model *m = p->m;
    const struct sn_section *late = &m->section[section];
    for (uint32_t t = 0; m->lock[late->lock].contested && t < m->nthreads; t++) {
        if (t == late->thread)
            continue;
        uint32_t a = p->touched[(size_t)section * m->nthreads + t], b = by_rule_b(p, section, t);
        if (a)
            sn_clock_join(clock, sn_clock(&p->hb, m->section[a - 1].release), m->nthreads);
        if (b != SN_NONE)
            sn_clock_join(clock, sn_clock(&p->hb, m->section[b].release), m->nthreads);
    }
}

/* One pass in trace order: happens-before on the right. True when something changed. */
static bool pass(struct cp *p)
{
    const struct sn_model *m = p->m;
    bool changed = false;
    uint32_t *clock = SN_NEW(m->arena, uint32_t, m->nthreads);
    for (uint32_t e = 0; e < m->n; e++) {
        uint32_t *mine = sn_clock(&p->prec, e), prior = sn_event_before(m, e);
        memcpy(clock, mine, m->nthreads * sizeof *clock);
        if (prior != SN_NONE)
            sn_clock_join(clock, sn_clock(&p->prec, prior), m->nthreads);
        for (uint32_t i = p->hb_in.first[e]; i < p->hb_in.first[e + 1]; i++)
            sn_clock_join(clock, sn_clock(&p->prec, p->hb_in.e[i].from), m->nthreads);
        if (m->begins[e] != SN_NONE)
            add_rules(p, m->begins[e], clock);
        if (memcmp(clock, mine, m->nthreads * sizeof *clock) != 0) {
            memcpy(mine, clock, m->nthreads * sizeof *clock);
            changed = true;
        }
    }
    return changed;
}

struct sn_clocks sn_cp_clocks(struct sn_model *m)
{
    struct sn_edges hard = {0}, locks = {0}, all = {0};
    struct cp p = {.m = m};
    sn_hb_edges(m, &hard, &locks);
    sn_hb_edges(m, &all, &all);
    p.hb_in = sn_edges_index(m, &all);
    p.hb = sn_clocks_new(m);
    sn_clocks_fill(m, &p.hb, &p.hb_in);
    p.prec = sn_clocks_new(m);
    p.hard = sn_clocks_new(m);
    struct sn_edges_in hard_in = sn_edges_index(m, &hard);
    sn_clocks_fill(m, &p.hard, &hard_in);
    p.touched = SN_NEW(m->arena, uint32_t, (size_t)m->nsections * m->nthreads);
    index_sections(&p);
    uint8_t *mask = SN_NEW(m->arena, uint8_t, m->ncells + 1);
    for (uint32_t l = 0; l < m->nlocks; l++)
        if (m->lock[l].contested)
            find_conflicts(&p, &m->lock[l], mask);
    while (pass(&p))
        ;
    for (uint32_t e = 0; e < m->n; e++)
        sn_clock_join(sn_clock(&p.hard, e), sn_clock(&p.prec, e), m->nthreads);
    return p.hard;
}
