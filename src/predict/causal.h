/*
 * causal.h: the causal model of a window: which reorderings of it are executions of the same
 * program. mc.c makes it for complete traces, rdit.c for traces with BarrierPairs; the rest of the
 * folder asks it.
 *
 * A reordering is an order of a part of the window's events, such that
 *   - of each thread it has a first part, in program order;
 *   - the edges are obeyed: if `to` is in it, `from` is in it, earlier; and the guards;
 *   - critical sections of one lock do not overlap unless all are shared;
 *   - every read gets the value that it got in the trace.
 * A set of events can happen together when some reordering has none of them and each is next in its
 * thread. That is what a race is (two conflicting accesses), and a deadlock (acquisitions, each of
 * a lock that the next thread holds). The events themselves are not executed: what they would read
 * does not matter, nor do soft edges to them.
 */
#ifndef SN_PREDICT_CAUSAL_H
#define SN_PREDICT_CAUSAL_H

#include "predict/order.h"
#include "predict/values.h"

struct sn_causal {
    struct sn_model *m;
    struct sn_values v;
    struct sn_edges_in in;
    struct sn_clocks must;      /* what is before an event in every reordering that has it */
    struct sn_edges_in seen_in; /* with reads from the write that they read from in the trace */
    struct sn_clocks seen;
    uint32_t *scratch; /* three numbers a thread, for one call at a time */
};

/* From the model's edges and the values, the rest. */
void sn_causal_finish(struct sn_model *m, struct sn_causal *c);
void sn_must_fill(struct sn_causal *c);

/* mc.c */
void sn_mc_build(struct sn_model *m, struct sn_causal *c);
/* rdit.c */
void sn_rdit_build(struct sn_model *m, struct sn_causal *c);

/* A reordering: the events in their new order. */
struct sn_reordering {
    uint32_t *event;
    uint32_t n;
};

#define SN_MAX_MEET 4 /* threads in a predicted deadlock, at most */

/* Events that are to happen together. */
struct sn_meeting {
    uint32_t event[SN_MAX_MEET];
    uint32_t n;
};

/* Null when `o` is a reordering after which the events of `meet` are next; else what is wrong. */
const char *sn_witness_check(const struct sn_causal *c, const struct sn_reordering *o,
                             const struct sn_meeting *meet);

/* closure.c: the sync-preserving reorderings, in linear time. SN_CLOSURE_FOUND: *o is one, from the
 * arena. Otherwise the number of an event in `meet` that would have to be executed before, or
 * SN_CLOSURE_NEVER; both stay so when an event is replaced by a later one of its thread. */
#define SN_CLOSURE_FOUND (-1)
#define SN_CLOSURE_NEVER (-2)
int sn_closure_meets(const struct sn_causal *c, const struct sn_meeting *meet,
                     struct sn_reordering *o);

#endif
