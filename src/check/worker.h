/*
 * worker.h: each program is loaded and interpreted in a process of its own, which sends its result as
 * JSON through a pipe. So whatever a strange input makes LLVM do, snag lives on; cancelling is ending
 * that process; and programs are checked side by side.
 */
#ifndef SN_CHECK_WORKER_H
#define SN_CHECK_WORKER_H

#include <sys/types.h>

#include "check/program.h"
#include "check/run.h"
#include "store/finding.h"

struct sn_check_options {
    struct sn_run_options run;
    const char *lib_dir; /* of libsnag-llvm.so */
    const char *ir_out;  /* --emit-ir, or null */
    bool dump;           /* print the bytecode to stdout instead of running it */
};

struct sn_check_result {
    struct sn_findings findings;
    struct sn_words messages;
    json_t *stats;         /* object */
    bool failed;           /* nothing could be checked; a message says why */
    bool concurrent, exhausted, no_entry;
};

struct sn_worker {
    pid_t pid;
    int fd;                /* its result */
    char *text;            /* what came so far */
    size_t n, cap;
};

/* files is null-terminated. 0 or -errno. */
int sn_worker_start(struct sn_worker *w, const struct sn_check_options *o, char *const *files);
/* Reads what is there. True: the worker is done, sn_worker_finish() may be called. */
bool sn_worker_read(struct sn_worker *w);
/* Takes the result. name is for messages. */
void sn_worker_finish(struct sn_worker *w, const char *name, struct sn_check_result *out);
void sn_worker_cancel(struct sn_worker *w);
void sn_check_result_free(struct sn_check_result *r);

/* The symbols of every unit, found out in a process of its own. 0 or -errno. */
int sn_worker_symbols(const char *lib_dir, const struct sn_sources *units, struct sn_symbols *out);

#endif
