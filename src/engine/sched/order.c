/*
 * order.c: directed at an order that the program relies on without enforcing it: who comes to a named
 * statement waits there for as long as anybody else can run, so that what usually comes later comes
 * first. Half of the threads that come are let through, so that both sides of a pair get their turn.
 */
#include "strategy.h"

static void arrive(struct sn_thread *t, uint32_t hits)
{
    struct sn_task *k = sn_task_of(t);
    (void)hits;
    if (!k->next.target || sn_sched_below(2))
        return;
    k->since = sn_sched.steps;
    sn_set_put(t, SN_SET_POSTPONED);
}

static struct sn_thread *pick(struct sn_thread *self)
{
    return sn_strategy_random.pick(self);
}

const struct sn_strategy sn_strategy_order = {
    .name = "order", .arrive = arrive, .pick = pick, .early = sn_strategy_early};
