/*
 * causal.c: the orders that follow from edges and values: what must be (must.c), and what the trace
 * had, for reorderings that let every read read from the same write.
 */
#include "predict/causal.h"

#include <string.h>

static void copy_edges(const struct sn_model *m, const struct sn_edges *from, struct sn_edges *to)
{
    *to = (struct sn_edges){SN_NEW(m->arena, struct sn_edge, from->n + 1), from->n, from->n + 1};
    if (from->n)
        memcpy(to->e, from->e, from->n * sizeof *from->e);
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
    c->scratch = SN_NEW(m->arena, uint32_t, 3 * m->nthreads);
    c->in = sn_edges_index(m, &m->edges);
    c->seen = sn_clocks_new(m);
    sn_must_fill(c);
    seen_order(c);
}
