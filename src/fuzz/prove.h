/*
 * prove.h: what another engine suspects, made to happen. A finding comes with its sites and, if the
 * engine knows one, a schedule to try first: the order of a predictor's witness as turns, or pairs
 * of statements to be turned round (fuzz/schedule.h). After that the strategy of the finding's kind
 * tries. What is confirmed gets its status, effect, timeline and a minimised schedule in the store,
 * so that `snag replay` shows it.
 *
 *     struct sn_schedule s = {0};
 *     sn_schedule_add_turn(&s, 1, 3, "prog", 0x1234);   thread 1 stands before its third execution
 * … sn_schedule_add_turn(&s, 2, 1, "prog", 0x1300);   … and thread 2 before its first struct
 * sn_proof p = {.argv = argv, .findings = &found, .hint = &s, .store = store}; int status =
 * sn_prove(&p);
 *
 * Places are return addresses as the runtime gives them: module base name and offset, the same in
 * the trace, in run files and in struct sn_frame. Threads have the numbers that the runtime gives
 * them in the order of creation; main is 0.
 */
#ifndef SN_FUZZ_PROVE_H
#define SN_FUZZ_PROVE_H

#include "fuzz/schedule.h"
#include "store/finding.h"

struct sn_store;

struct sn_proof {
    char **argv; /* the program and its arguments */
    /* In and out. Findings that have no code positions are left alone; what was found on the way is
     * added at the end. */
    struct sn_findings *findings;
    const struct sn_schedule
        *hint; /* as many as findings, strategy "" is none; null: none at all */
    struct sn_store
        *store;        /* for the schedules; the findings are the caller's to store. Null: none */
    int64_t schedules; /* tries for each finding; 0: 50 */
    double limit_s, timeout_s; /* for each finding (0: 10); for one execution (0: 10) */
    int64_t seed;
    bool progress;
    int64_t executions, confirmed; /* out */
};

/* 0, or an exit status after a message. */
int sn_prove(struct sn_proof *p);

#endif
