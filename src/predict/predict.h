/*
 * predict.h: a whole trace: windows spread over processes, what they find united.
 *
 * Every worker reads the trace itself and takes the next window that nobody has; so nothing large
 * is passed around, memory is that of one window each, and a solver that goes astray takes only its
 * process with it. What is found does not depend on who was faster: of two predictions for the same
 * sites that of the earlier window stays.
 *
 * Ownership: a struct sn_predict_result owns all it points to.
 */
#ifndef SN_PREDICT_PREDICT_H
#define SN_PREDICT_PREDICT_H

#include "predict/analyse.h"
#include "store/finding.h"
#include "trace/trace.h"

struct sn_predict_options {
    enum sn_algorithm algorithm;
    uint32_t window;
    unsigned limit_ms, questions;
    unsigned jobs; /* 0: one per processor */
    bool deadlocks;
    unsigned part, parts; /* every parts-th window from `part` (0 …) on; parts 0: all */
    void (*progress)(uint64_t done, uint64_t all); /* windows; may be null */
    const struct sn_trace_range *still; /* set by sn_predict(): memory that is in no D */
    uint32_t nstill;
};

/* An event of the trace, enough to talk about it. */
struct sn_told {
    uint64_t number; /* in the trace */
    uint64_t addr, size, value;
    uint32_t thread, site;
    uint8_t op;
    bool has_value;
};

struct sn_told_lock {
    uint64_t addr;
    uint32_t who;  /* which of the events that meet */
    uint32_t site; /* where it was taken; 0: before the window */
    bool shared;
};

/* `events` events of `thread`, one after the other. */
struct sn_told_run {
    uint32_t thread, events;
};

struct sn_predicted {
    bool deadlock;
    enum sn_means means;
    uint64_t key, window;
    uint64_t addr;
    uint32_t size;
    struct sn_told meet[SN_MAX_MEET];
    uint32_t nmeet;
    struct sn_told_lock *lock; /* held by those that meet */
    uint32_t nlocks;
    struct sn_told *step; /* the end of the witness, as far as it can be shown */
    uint32_t nsteps;
    /* The whole witness: the trace's first `first` events as they were, then these runs, then the
     * events that meet. Empty when there is none (hb, cp). */
    uint64_t first;
    struct sn_told_run *run;
    uint32_t nruns;
};

struct sn_predict_result {
    enum sn_algorithm algorithm;
    struct sn_predicted *p; /* by window */
    size_t n, cap;
    struct sn_analyse_stats stats;
    uint64_t windows;
    char *remark; /* about the trace: it was cut off; null */
};

/* 0, or -errno with a sentence in *why (malloc). */
int sn_predict(const char *path, const struct sn_predict_options *o, struct sn_predict_result *out,
               char **why);
void sn_predict_result_free(struct sn_predict_result *r);

/* As findings, symbolised, with the witness as steps. `t` is the trace, read to its end: its tables
 * explain sites and addresses. */
void sn_predict_findings(const struct sn_predict_result *r, const struct sn_trace *t,
                         struct sn_findings *out);

#endif
