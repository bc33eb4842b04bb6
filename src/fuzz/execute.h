/*
 * execute.h: one execution of the program under a schedule, and what became of it.
 *
 * Ownership: sn_execution_clear() gives back what sn_execute() filled.
 */
#ifndef SN_FUZZ_EXECUTE_H
#define SN_FUZZ_EXECUTE_H

#include <stdbool.h>

#include "core/options.h"
#include "core/runfile.h"
#include "fuzz/schedule.h"

/* A finding's signature: its places, and its kind in the lowest bits. */
#define SN_FOUND(places, kind) (((places) & ~(uint64_t)15) | (kind))
#define SN_FOUND_KIND(signature) ((enum sn_kind)((signature)&15))

enum sn_end { SN_END_OK, SN_END_STATUS, SN_END_SIGNAL, SN_END_DEADLOCK, SN_END_HANG, SN_ENDS };

struct sn_runner {
    char **argv;
    const char *folder; /* null: here */
    char *dir;          /* the run folder, used again and again */
    double timeout_s;
    int expected; /* the program's usual exit status */
    bool show;    /* its output goes where snag's does */
    const struct sn_options *rt;
    struct sn_server *server; /* made with the first execution that needs no terminal */
    bool no_server;
};

struct sn_execution {
    enum sn_end end;
    int status;
    char *effect; /* words; null when nothing bad happened */
    double seconds;
    int asked_to_stop;
    struct sn_log_entry *log; /* in the order of time */
    size_t nlog;
    struct sn_log_hit *hit;
    size_t nhits;
    struct sn_log_summary summary; /* zero when the program did not come to its end */
    uint64_t *found;               /* a signature of each finding that the process has written */
    size_t nfound;
    char **module; /* paths by index; null: not named */
    size_t nmodules;
    struct sn_seen *seen; /* statements that ran, when the schedule asks for them */
    size_t nseen;
    struct sn_log_step *step; /* the last events, oldest first, when the schedule says `tell` */
    size_t nsteps;
    bool watched; /* the engine was in the process */
    bool instrumented;
};

/* 0, or an exit status after a message when the program cannot be run at all. */
int sn_execute(struct sn_runner *r, const struct sn_schedule *s, struct sn_execution *out);
void sn_execution_clear(struct sn_execution *e);
/* Base name of the module of a frame; "" when not known. */
const char *sn_execution_module(const struct sn_execution *e, uint64_t frame);
/* Removes the run files of the last execution. */
void sn_runner_clean(const struct sn_runner *r);
void sn_runner_stop(struct sn_runner *r);

#endif
