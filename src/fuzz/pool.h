/*
 * pool.h: many executions, several at once. Each slot has a run folder and a server of its own.
 * Results are handed over strictly in the order of their numbers, so what comes of them does not
 * depend on how many run at once; what was begun beyond the last one that was wanted is thrown
 * away.
 *
 * Ownership: the pool owns its slots; the first is the caller's runner.
 */
#ifndef SN_FUZZ_POOL_H
#define SN_FUZZ_POOL_H

#include "fuzz/execute.h"

struct sn_pool {
    struct sn_runner **slot; /* slot[0] is the caller's; the others have copies of it */
    size_t n;
};

struct sn_pool_work {
    /* The schedule of execution i, the caller's to clear after `took` or `drop`. False: it depends
     * on results that were not handed over yet. */
    bool (*make)(void *arg, int64_t i, struct sn_schedule *s);
    /* The result of execution i; false: that was the last one. */
    bool (*took)(void *arg, int64_t i, struct sn_schedule *s, struct sn_execution *e);
    void (*drop)(void *arg, int64_t i, struct sn_schedule *s); /* begun in vain */
    void *arg;
};

/* As many slots as `jobs` says, with run folders beside first's. 0, or -errno with a sentence. */
int sn_pool_open(struct sn_pool *p, struct sn_runner *first, size_t jobs, char **why);
/* Executions from … to - 1. 0, or an exit status after a message. */
int sn_pool_run(struct sn_pool *p, int64_t from, int64_t to, const struct sn_pool_work *w);
void sn_pool_close(struct sn_pool *p); /* all but the first slot */

#endif
