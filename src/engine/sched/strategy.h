/*
 * strategy.h: who goes on. A strategy is one file with one struct sn_strategy and one line in
 * strategy.c. All functions are called with sn_sched.lock held; a null one does nothing.
 */
#ifndef SN_ENGINE_SCHED_STRATEGY_H
#define SN_ENGINE_SCHED_STRATEGY_H

#include "scheduler.h"

struct sn_strategy {
    const char *name;
    void (*begin)(void);
    void (*born)(struct sn_thread *t); /* a thread can be scheduled from now on */
    /* t, READY, stands at a point (sn_task.next); hits: threads that it races with there. It may
     * put t, or whom it races with, into another set. */
    void (*arrive)(struct sn_thread *t, uint32_t hits);
    /* One of READY, which is not empty; self may be among them. Null: wait for a thread that is
     * outside. */
    struct sn_thread *(*pick)(struct sn_thread *self);
    /* Which of n threads that wait is woken by `by`; default: at random. */
    uint32_t (*choose)(struct sn_thread *by, struct sn_thread *const *among, uint32_t n);
    /* Only postponed threads can run: which is let go; default: one at random. */
    struct sn_thread *(*release)(void);
    /* Sleeping is no synchronisation: a sleeper that goes on before its time, now; or null. */
    struct sn_thread *(*early)(struct sn_thread *self);
    /* A thread may stand still for as long as a short time limit: one that is over now; or null. */
    struct sn_thread *(*expire)(struct sn_thread *self);
};

extern const struct sn_strategy *sn_strategy;

extern const struct sn_strategy sn_strategy_random, sn_strategy_race, sn_strategy_replay,
    sn_strategy_pct, sn_strategy_pos, sn_strategy_deadlock, sn_strategy_order, sn_strategy_dfs;

/* For strategies that let threads go before their time, rarely: the sleeper whose time comes first,
 * or one that waits for a condition variable. */
struct sn_thread *sn_strategy_early(struct sn_thread *self);
/* The same for waits with a limit that is near. A long one is there for when something has failed.
 */
struct sn_thread *sn_strategy_expire(struct sn_thread *self);
void sn_strategy_set(const char *name); /* random when there is no such name */

#endif
