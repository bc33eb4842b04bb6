/*
 * pct.c: probabilistic concurrency testing (Burckhardt and others, 2010). Threads have random
 * priorities; the highest that can run does; at depth - 1 points, chosen at random among the steps
 * that an execution is expected to have, the running thread falls below all others. A bug of depth
 * d is found with probability at least 1 / (n k^(d-1)). A thread that spins falls too, or the
 * others would never come to what it waits for.
 */
#include "plan.h"
#include "strategy.h"

enum { MAX_DEPTH = 64, LONG_RUN = 10000 };

static uint64_t change[MAX_DEPTH]; /* steps at which the running thread falls */
static uint32_t nchanges;
static uint64_t low; /* the next priority below all others; counts down */
static uint64_t alone_since;
static struct sn_thread *alone;
static struct sn_thread *top; /* the highest of READY when these were so: */
static uint32_t top_arrivals; /* sn_sched.arrivals */
static uint64_t top_priority; /* its own */

static void begin(void)
{
    uint64_t steps = sn_plan.steps ? sn_plan.steps : 1000;
    nchanges = sn_plan.depth ? sn_plan.depth - 1 : 2;
    if (nchanges > MAX_DEPTH)
        nchanges = MAX_DEPTH;
    for (uint32_t i = 0; i < nchanges; i++)
        change[i] = 1 + sn_sched_random() % steps;
    low = 1u << 30;
}

static void born(struct sn_thread *t)
{
    sn_task_of(t)->priority = (1ull << 40) + (sn_sched_random() >> 24);
}

static void arrive(struct sn_thread *t, uint32_t hits)
{
    struct sn_task *k = sn_task_of(t);
    (void)hits;
    if (alone != t) {
        alone = t;
        alone_since = sn_sched.steps;
    }
    if (k->next.op == SN_EV_YIELD || sn_sched.steps - alone_since > LONG_RUN) {
        k->priority = --low;
        alone_since = sn_sched.steps;
    }
    for (uint32_t i = 0; i < nchanges; i++)
        if (change[i] == sn_sched.steps)
            k->priority = --low;
}

static struct sn_thread *pick(struct sn_thread *self)
{
    struct sn_set *ready = &sn_sched.set[SN_SET_READY];
    struct sn_thread *best = ready->t[0];
    (void)self;
    if (top && top_arrivals == sn_sched.arrivals && sn_task_of(top)->set == SN_SET_READY &&
        sn_task_of(top)->priority == top_priority)
        return top;
    for (uint32_t i = 1; i < ready->n; i++)
        if (sn_task_of(ready->t[i])->priority > sn_task_of(best)->priority)
            best = ready->t[i];
    top = best;
    top_arrivals = sn_sched.arrivals;
    top_priority = sn_task_of(best)->priority;
    return best;
}

const struct sn_strategy sn_strategy_pct = {
    .name = "pct", .begin = begin, .born = born, .arrive = arrive, .pick = pick};
