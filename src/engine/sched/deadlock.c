/*
 * deadlock.c: directed at a cycle in the lock order: a thread that holds a lock and is about to
 * take the next one at a statement of the cycle is postponed, so that the others get to theirs. Let
 * go in any order, they then close the circle; cycle.c sees that.
 */
#include "strategy.h"

static void arrive(struct sn_thread *t, uint32_t hits)
{
    struct sn_task *k = sn_task_of(t);
    (void)hits;
    if (!k->next.target || !t->nheld || (k->next.op != SN_EV_LOCK && k->next.op != SN_EV_RDLOCK))
        return;
    k->since = sn_sched.steps;
    sn_set_put(t, SN_SET_POSTPONED);
}

static struct sn_thread *pick(struct sn_thread *self)
{
    return sn_strategy_random.pick(self);
}

const struct sn_strategy sn_strategy_deadlock = {
    .name = "deadlock", .arrive = arrive, .pick = pick, .early = sn_strategy_early};
