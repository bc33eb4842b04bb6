/*
 * session.h: what all commands that run a program do around it: look at everything that can fail
 * first (program, store, suppressions, output files), run it --runs times, read its run files,
 * leave out what is suppressed, store, report, and work out the exit status (CLI.md). Nothing that
 * was found is lost: when it cannot be stored it is still reported, and the run files are kept.
 */
#ifndef SN_CMD_SESSION_H
#define SN_CMD_SESSION_H

#include <jansson.h>
#include <stdbool.h>

#include "cmd/words.h"
#include "core/options.h"
#include "report/report.h"

struct sn_store;
struct sn_ended;

struct sn_judged_run {
    const char *run_dir;
    const char *output; /* file with what the program wrote to stdout; null unless keeps_output */
    const struct sn_ended *end;
    struct sn_findings *found;
    struct sn_store *store; /* null: --no-store */
};

struct sn_session {
    const char *engine;         /* libsnag-ENGINE.so */
    const char *command;        /* "race": what the store calls the run's engine */
    struct sn_options rt;       /* sn_session_rt(), and the command's own settings */
    bool needs_instrumentation; /* without any, the run is worth nothing */
    char **argv;                /* the program and its arguments */
    /* Optional, around each run: what the engine needs in the run folder, and what it left there.
     * 0, or SN_EXIT_FAILED after a message. The store is null with --no-store. */
    int (*before)(const char *run_dir, struct sn_store *store, void *arg);
    int (*after)(const char *run_dir, struct sn_store *store, void *arg);
    /* Optional, after each run, before anything is stored: what the run's findings are worth. It may
     * change and remove them. 1: no further runs; 0; or SN_EXIT_FAILED after a message. */
    int (*judge)(const struct sn_judged_run *run, void *arg);
    /* Optional: what the command itself finds in the run folder, beside the run files' findings;
     * sentences for the user go to `messages`. 0, or SN_EXIT_FAILED after a message. */
    int (*find)(const char *run_dir, struct sn_store *store, struct sn_findings *found,
                struct sn_words *messages, void *arg);
    /* Optional: replaces the counters in the report. */
    void (*stats)(json_t *counters, void *arg);
    /* Optional: the exit status when nothing was found; the program's first bad one is `exit`. */
    int (*status)(int exit, void *arg);
    void *arg;
    bool shows_once;   /* of several runs only the first one's output is shown */
    bool keeps_output; /* the program's output goes through a file, for judge() to look at */
};

/* Returns the exit status. */
int sn_session(const struct sn_session *s);
/* The same for run files that an earlier command had to leave behind. */
int sn_session_take_in(const char *run_dir);
/* The runtime's defaults with what the common options say. */
struct sn_options sn_session_rt(void);
/* The command line as a JSON array, as the store keeps it. malloc. */
char *sn_session_command_json(void);
/* The report options that the common options ask for. */
struct sn_report_options sn_session_report_options(void);
/* 0, or SN_EXIT_FAILED after a message when a wanted report file cannot be written. */
int sn_session_check_outputs(void);

#endif
