/* order.c: one pass in trace order is enough, because every edge goes forward. */
#include "predict/order.h"

#include <string.h>

struct sn_clocks sn_clocks_new(const struct sn_model *m)
{
    return (struct sn_clocks){m->nthreads, SN_NEW(m->arena, uint32_t, (size_t)m->n * m->nthreads)};
}

void sn_clocks_fill(const struct sn_model *m, struct sn_clocks *k, const struct sn_edges_in *in)
{
    for (uint32_t e = 0; e < m->n; e++) {
        uint32_t *c = sn_clock(k, e), before = sn_event_before(m, e);
        if (before == SN_NONE)
            memset(c, 0, k->nthreads * sizeof *c);
        else
            memcpy(c, sn_clock(k, before), k->nthreads * sizeof *c);
        for (uint32_t i = in->first[e]; i < in->first[e + 1]; i++)
            sn_clock_join(c, sn_clock(k, in->e[i].from), k->nthreads);
        c[sn_thread_of(m, e)] = m->pos[e] + 1;
    }
}

void sn_clock_before(const struct sn_model *m, const struct sn_clocks *k,
                     const struct sn_edges_in *in, uint32_t event, uint32_t *into)
{
    uint32_t before = sn_event_before(m, event);
    if (before != SN_NONE)
        sn_clock_join(into, sn_clock(k, before), k->nthreads);
    for (uint32_t i = in->first[event]; i < in->first[event + 1]; i++)
        if (in->e[i].kind != SN_EDGE_SOFT)
            sn_clock_join(into, sn_clock(k, in->e[i].from), k->nthreads);
}
