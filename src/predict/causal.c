/*
 * causal.c: what follows from edges and values alone: which write a read must have read from, and
 * what must therefore come before what.
 */
#include "predict/causal.h"

#include <string.h>

static void copy_edges(const struct sn_model *m, const struct sn_edges *from, struct sn_edges *to)
{
    *to = (struct sn_edges){SN_NEW(m->arena, struct sn_edge, from->n + 1), from->n, from->n + 1};
    if (from->n)
        memcpy(to->e, from->e, from->n * sizeof *from->e);
}

/* The only write that can serve the read; SN_NONE when there are several, or the start can. */
static uint32_t only_writer(const struct sn_causal *c, const struct sn_access *r, bool clocks)
{
    const struct sn_values *v = &c->v;
    uint32_t only = SN_NONE;
    if (v->var[r->var].start == r->value)
        return SN_NONE;
    for (uint32_t i = v->write_first[r->value]; i < v->write_first[r->value + 1]; i++) {
        uint32_t w = v->access[v->writes[i]].event;
        if (w == r->event || (clocks && sn_ordered(c->m, &c->must, r->event, w)))
            continue;
        if (only != SN_NONE)
            return SN_NONE;
        only = w;
    }
    return only;
}

static void must_order(struct sn_causal *c, bool clocks)
{
    struct sn_model *m = c->m;
    struct sn_edges edges;
    copy_edges(m, &m->edges, &edges);
    for (uint32_t i = 0; i < c->v.n; i++) {
        const struct sn_access *r = &c->v.access[i];
        uint32_t w = r->write ? SN_NONE : only_writer(c, r, clocks);
        if (w != SN_NONE)
            sn_edge_add(m, &edges, w, r->event, SN_EDGE_SOFT);
    }
    c->must_in = sn_edges_index(m, &edges);
    sn_clocks_fill(m, &c->must, &c->must_in);
}

static void seen_order(struct sn_causal *c)
{
    struct sn_model *m = c->m;
    struct sn_edges edges;
    copy_edges(m, &m->edges, &edges);
    for (uint32_t i = 0; i < c->v.n; i++) {
        const struct sn_access *r = &c->v.access[i];
        if (!r->write && r->from != SN_NONE && r->from != r->event)
            sn_edge_add(m, &edges, r->from, r->event, SN_EDGE_SOFT);
    }
    c->seen_in = sn_edges_index(m, &edges);
    sn_clocks_fill(m, &c->seen, &c->seen_in);
}

void sn_causal_finish(struct sn_model *m, struct sn_causal *c)
{
    c->m = m;
    c->scratch = SN_NEW(m->arena, uint32_t, 2 * m->nthreads);
    c->in = sn_edges_index(m, &m->edges);
    c->must = sn_clocks_new(m);
    c->seen = sn_clocks_new(m);
    must_order(c, false);
    must_order(c, true); /* what is ordered now rules out more writers */
    seen_order(c);
}
