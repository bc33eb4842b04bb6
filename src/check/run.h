/*
 * run.h: many runs of one program: which entry, which seed, which strategy, until the bounds are
 * reached. The paper's figure 4.
 */
#ifndef SN_CHECK_RUN_H
#define SN_CHECK_RUN_H

#include "check/entry.h"
#include "check/issue.h"
#include "check/vm.h"
#include "contract/contract.h"

struct sn_run_options {
    struct sn_bounds bounds;
    uint64_t seed;
    const char *entry;    /* --entry, or null */
    const char *strategy; /* auto, explore, random, pct */
    double timeout_s;     /* 0: none */
    const struct sn_contracts *contracts; /* null: none */
};

struct sn_outcome {
    struct sn_counts counts;
    bool no_entry;        /* there is nothing to run: no main, no exported function */
    bool concurrent;      /* some run had more than one thread */
    bool exhausted;       /* all schedules within the bounds were seen */
    bool timed_out;
    double cpu_seconds;   /* spent in interpretation */
};

/* Interprets until the bounds are reached and fills issues. 0, or -errno (no memory, no such entry:
 * -ENOENT). */
int sn_run_all(struct sn_bytecode *code, const struct sn_run_options *o, struct sn_issues *issues,
               struct sn_contexts *contexts, struct sn_outcome *out);

#endif
