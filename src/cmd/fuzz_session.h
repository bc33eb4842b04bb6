/*
 * fuzz_session.h: what `snag fuzz` and `snag hunt` share: look for candidates, aim schedules at
 * them, explore at large, minimise, store, report.
 */
#ifndef SN_CMD_FUZZ_SESSION_H
#define SN_CMD_FUZZ_SESSION_H

#include <stdbool.h>
#include <stdint.h>

struct sn_fuzz_options {
    const char *strategy;  /* null: all that is worth it */
    const char *points;    /* at large: null, or sync or all */
    const char *decisions; /* file for the decisions of every execution */
    const char *pair;      /* FILE:LINE,FILE:LINE: this pair alone */
    const char *order;     /* file: an order of statements to enforce */
    int64_t schedules, depth, bound;
    double limit_s, budget_s; /* for each candidate and strategy; for all: 0 without end */
    bool stop_on_first, no_minimise;
};

/* Returns the exit status. */
int sn_fuzz_session(const struct sn_fuzz_options *o, char **argv);

#endif
