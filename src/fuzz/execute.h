/*
 * execute.h: one execution of the program under a schedule, and what became of it.
 *
 * Ownership: sn_execution_clear() gives back what sn_execute() filled.
 */
#ifndef SN_FUZZ_EXECUTE_H
#define SN_FUZZ_EXECUTE_H

#include <dirent.h>
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
    bool keep_output;         /* what it writes is looked at: sn_execution.output */
    struct sn_server *server; /* made with the first execution that needs no terminal */
    bool no_server;
    DIR *open_dir;      /* of dir; null: not yet */
    bool litter;        /* files that are not the server's are there */
    int err_fd, out_fd; /* the server's output files; -1 not yet */
};

struct sn_execution {
    enum sn_end end;
    int status;
    char *effect; /* words; null when nothing bad happened */
    double seconds;
    int asked_to_stop; /* it did not come to its end: nothing else is known of it */
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
    uint64_t output; /* a sum over what it wrote, when the runner keeps that */
    const char *dir; /* the runner's folder: its run files, until the next execution; borrowed */
    struct sn_log_choice *choice; /* strategy dfs: every decision */
    size_t nchoices;
    bool watched; /* the engine was in the process */
    bool instrumented;
};

/* 0, or an exit status after a message when the program cannot be run at all. */
int sn_execute(struct sn_runner *r, const struct sn_schedule *s, struct sn_execution *out);
/* The same in two steps, so that others can run meanwhile: false when there is no server, and
 * sn_execute() has to be used; sn_server_look() says when it has ended. */
struct sn_ended;
bool sn_execute_begin(struct sn_runner *r, const struct sn_schedule *s);
int sn_execute_end(struct sn_runner *r, const struct sn_ended *ended, struct sn_execution *out);
void sn_execution_clear(struct sn_execution *e);
/* Base name of the module of a frame; "" when not known. */
const char *sn_execution_module(const struct sn_execution *e, uint64_t frame);
/* Removes the run files of the last execution. */
void sn_runner_clean(struct sn_runner *r);
void sn_runner_stop(struct sn_runner *r);

#endif
