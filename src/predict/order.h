/*
 * order.h: vector clocks over the events of a window. clock[e][t] is how many events of thread t
 * are e itself or come before it in the order in question; events of a thread are counted from its
 * first in the window.
 */
#ifndef SN_PREDICT_ORDER_H
#define SN_PREDICT_ORDER_H

#include "predict/model.h"

struct sn_clocks {
    uint32_t nthreads;
    uint32_t *c;
};

static inline uint32_t *sn_clock(const struct sn_clocks *k, uint32_t event)
{
    return k->c + (size_t)event * k->nthreads;
}

/* Program order and the given edges, closed transitively. */
struct sn_clocks sn_clocks_new(const struct sn_model *m);
void sn_clocks_fill(const struct sn_model *m, struct sn_clocks *k, const struct sn_edges_in *in);

/* *into becomes the larger of the two, thread by thread. */
static inline void sn_clock_join(uint32_t *into, const uint32_t *from, uint32_t nthreads)
{
    for (uint32_t t = 0; t < nthreads; t++)
        if (into[t] < from[t])
            into[t] = from[t];
}

/* a is b or comes before it. */
static inline bool sn_ordered(const struct sn_model *m, const struct sn_clocks *k, uint32_t a,
                              uint32_t b)
{
    return sn_clock(k, b)[sn_thread_of(m, a)] > m->pos[a];
}

/* What must have been executed when `event` is about to be: joined into `into`. */
void sn_clock_before(const struct sn_model *m, const struct sn_clocks *k,
                     const struct sn_edges_in *in, uint32_t event, uint32_t *into);

#endif
