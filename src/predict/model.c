/* model.c: events by thread, edges by target, and small questions to a model. */
#include "predict/model.h"

#include <string.h>

#include "core/sys.h"

static void events_by_thread(struct sn_model *m)
{
    const struct sn_window *w = m->w;
    m->pos = SN_NEW(m->arena, uint32_t, m->n);
    m->length = SN_NEW(m->arena, uint32_t, m->nthreads);
    m->list = SN_NEW(m->arena, uint32_t *, m->nthreads);
    for (uint32_t e = 0; e < m->n; e++)
        m->length[w->ev[e].thread]++;
    for (uint32_t t = 0; t < m->nthreads; t++) {
        m->list[t] = SN_NEW(m->arena, uint32_t, m->length[t]);
        m->length[t] = 0;
    }
    for (uint32_t e = 0; e < m->n; e++) {
        uint32_t t = w->ev[e].thread;
        m->pos[e] = m->length[t];
        m->list[t][m->length[t]++] = e;
    }
}

void sn_model_build(struct sn_model *m, struct sn_arena *a, const struct sn_window *w, bool spin,
                    bool use_pairs)
{
    memset(m, 0, sizeof *m);
    m->arena = a;
    m->w = w;
    m->use_pairs = use_pairs;
    m->n = w->n;
    m->nthreads = w->nthreads;
    events_by_thread(m);
    sn_model_cells(m);
    if (spin)
        sn_model_spin(m);
    sn_model_locks(m);
}

void sn_edge_add(struct sn_model *m, struct sn_edges *edges, uint32_t from, uint32_t to,
                 enum sn_edge_kind kind)
{
    sn_assert(from < to && to < m->n);
    if (sn_thread_of(m, from) == sn_thread_of(m, to))
        return;
    SN_PUSH(m->arena, edges->e, edges->n, edges->cap, (struct sn_edge){from, to, kind});
}

struct sn_edges_in sn_edges_index(const struct sn_model *m, const struct sn_edges *edges)
{
    uint32_t *first = SN_NEW(m->arena, uint32_t, m->n + 2);
    struct sn_edge *sorted = SN_NEW(m->arena, struct sn_edge, edges->n);
    for (uint32_t i = 0; i < edges->n; i++)
        first[edges->e[i].to + 2]++;
    for (uint32_t e = 2; e < m->n + 2; e++)
        first[e] += first[e - 1];
    for (uint32_t i = 0; i < edges->n; i++)
        sorted[first[edges->e[i].to + 1]++] = edges->e[i];
    return (struct sn_edges_in){sorted, first};
}

bool sn_locksets_exclude(const struct sn_model *m, uint32_t a, uint32_t b)
{
    const struct sn_lockset *x = &m->lockset[a], *y = &m->lockset[b];
    uint32_t i = 0, k = 0;
    while (i < x->n && k < y->n) {
        uint32_t p = x->lock[i] >> 1, q = y->lock[k] >> 1;
        if (p == q && !(x->lock[i] & y->lock[k] & 1))
            return true;
        i += p <= q;
        k += q <= p;
    }
    return false;
}

bool sn_touches_conflict(const struct sn_model *m, const struct sn_touch *a,
                         const struct sn_touch *b)
{
    return sn_thread_of(m, a->event) != sn_thread_of(m, b->event) &&
           sn_kinds_conflict(a->kind, b->kind);
}
