/*
 * solve.h: can these events happen together, in any reordering at all? The exact answer, by the
 * constraints of the RDIT paper (Algorithm 3) through smt.h.
 */
#ifndef SN_PREDICT_SOLVE_H
#define SN_PREDICT_SOLVE_H

#include "predict/causal.h"
#include "predict/smt.h"

/* Of each list one event; the lists belong to different threads. */
struct sn_question {
    const uint32_t *event[SN_MAX_MEET];
    uint32_t count[SN_MAX_MEET];
    uint32_t n;
};

struct sn_solver;

/* For one window; `smt` is reset. */
struct sn_solver *sn_solver_new(const struct sn_causal *c, struct sn_smt *smt);
/* SN_YES: *meet and *o say which events and how, checked by sn_witness_check(). */
enum sn_answer sn_solver_ask(struct sn_solver *s, const struct sn_question *q, unsigned limit_ms,
                             struct sn_meeting *meet, struct sn_reordering *o);

#endif
