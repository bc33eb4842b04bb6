/*
 * launch.h: running the program under test with an engine's library in it.
 *
 * The program keeps its terminal, its standard files, its process group and its signal settings: it
 * cannot tell snag from a shell. Whatever it starts is watched too, as far as the dynamic loader
 * carries libsnag along.
 */
#ifndef SN_CMD_LAUNCH_H
#define SN_CMD_LAUNCH_H

#include <limits.h>
#include <stdbool.h>

#include "core/options.h"

struct sn_launch {
    const char *engine;  /* libsnag-ENGINE.so */
    char **argv;         /* the program and its arguments */
    const char *run_dir; /* absolute: where its processes write their run files */
    const struct sn_options *rt;
    double timeout_s; /* 0: none */
    const char *folder;   /* where it runs; null: here */
    const char *out, *err; /* files for its output; null: snag's own */
    bool no_input;        /* it reads from the beginning of a file that snag's input is, or nothing */
    const int *control;   /* two descriptors that the program gets as 610 and 611; null: none */
    bool fixed_addresses; /* no address space randomisation */
};

struct sn_ended {
    int status; /* the program's own; 128 + n when signal n killed it */
    bool timed_out;
    int asked_to_stop; /* signal that snag got meanwhile, and gave on; 0 none */
    unsigned left;     /* processes of the program that were alive after it had ended */
    double seconds;
    int pid;
};

/* When SIGSYS has ended it: words for the user, with the program's name to put in. */
#define SN_LAUNCH_FILTERED                                                                         \
    "%s was killed by SIGSYS: a system call filter of its own (seccomp) may not know the calls "   \
    "that snag makes; run it without the filter"

/* Finds argv[0] and looks whether it can be watched. 0 and its path, or the exit status, after a
 * message: not found 127, cannot be executed 126, cannot be watched 125. */
int sn_launch_check(const char *program, char path[PATH_MAX]);
/* Runs it and waits for its end. 0, or the exit status, after a message, when it did not start. */
int sn_launch(const struct sn_launch *l, struct sn_ended *end);

/* The environment that it gets. 0, or the exit status after a message. */
struct sn_words;
int sn_launch_environment(const struct sn_launch *l, struct sn_words *env);

/* Starts it and does not wait; the caller reaps *pid. Its signals are snag's. */
int sn_launch_start(const struct sn_launch *l, int *pid);

#endif
