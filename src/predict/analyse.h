/*
 * analyse.h: one window, one algorithm, all that it finds.
 */
#ifndef SN_PREDICT_ANALYSE_H
#define SN_PREDICT_ANALYSE_H

#include "predict/causal.h"
#include "predict/smt.h"

enum sn_algorithm { SN_HB, SN_CP, SN_MC, SN_RDIT };

/* How something was found. */
enum sn_means { SN_BY_CLOCKS, SN_BY_CLOSURE, SN_BY_SOLVER };

struct sn_prediction {
    bool deadlock; /* else a race */
    enum sn_means means;
    uint64_t key;  /* of its sites, for dropping doubles */
    uint64_t addr; /* race: the cell */
    uint32_t size;
    struct sn_meeting meet;
    struct sn_reordering order; /* the witness; empty for SN_BY_CLOCKS */
};

struct sn_predictions {
    struct sn_prediction *p;
    uint32_t n, cap;
};

struct sn_analyse_stats {
    uint64_t events, pairs, cycles, by_closure, by_solver, refuted, unknown, skipped;
    uint64_t unseen_pairs; /* BarrierPairs in the trace that the algorithm takes no notice of */
};

struct sn_analyse_options {
    enum sn_algorithm algorithm;
    unsigned limit_ms;  /* one question to the solver; 0: none */
    unsigned questions; /* to the solver, for one pair of sites in one window; 0: no limit */
    bool deadlocks;
    bool only_solver; /* tests: no closure in front, no order filter */
    uint32_t (*site_key)(void *arg, uint32_t site);
    bool (*known)(void *arg, uint64_t key); /* found before: not asked again; may be null */
    void *arg;
};

/* Predictions are in `a`; `smt` may be null for SN_HB and SN_CP. */
void sn_analyse(struct sn_arena *a, const struct sn_window *w, const struct sn_analyse_options *o,
                struct sn_smt *smt, struct sn_predictions *out, struct sn_analyse_stats *stats);

/* hb.c: happens-before clocks: the model's ORDER edges, locks, atomics. */
void sn_hb_edges(struct sn_model *m, struct sn_edges *order, struct sn_edges *locks);
struct sn_clocks sn_hb_clocks(struct sn_model *m);
/* cp.c: a is before b in the union of causally-precedes and hard order: the clock of b says so. */
struct sn_clocks sn_cp_clocks(struct sn_model *m);

#endif
