/* strategy.c: the list of strategies. */
#include "strategy.h"

#include <string.h>

#include "core/sys.h"

const struct sn_strategy *sn_strategy SN_HOT = &sn_strategy_random;

static const struct sn_strategy *const all[] = {
    &sn_strategy_random, &sn_strategy_race,     &sn_strategy_replay, &sn_strategy_pct,
    &sn_strategy_pos,    &sn_strategy_deadlock, &sn_strategy_order,  &sn_strategy_dfs,
};

void sn_strategy_set(const char *name)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0)
            sn_strategy = all[i];
}

/* A condition variable may wake a thread for no reason. */
static struct sn_thread *spurious(void)
{
    uint32_t nth = sn_sched_below(sn_sched.in_cond);
    for (struct sn_thread *t = sn_sched.first; t; t = sn_task_of(t)->follow)
        if (sn_task_of(t)->wait == SN_WAIT_COND && nth-- == 0)
            return t;
    return 0;
}

struct sn_thread *sn_strategy_expire(struct sn_thread *self)
{
    enum { RARELY = 32, NEAR_NS = 200000000 };
    struct sn_thread *best = 0;
    (void)self;
    if (sn_sched_below(RARELY) != 0)
        return 0;
    for (struct sn_thread *t = sn_sched.first; t; t = sn_task_of(t)->follow) {
        const struct sn_task *k = sn_task_of(t);
        if (k->wait != SN_WAIT_SLEEP && k->deadline <= sn_sched.now + NEAR_NS &&
            (!best || k->deadline < sn_task_of(best)->deadline))
            best = t;
    }
    return best;
}

struct sn_thread *sn_strategy_early(struct sn_thread *self)
{
    enum { EARLY = 32, SPURIOUS = 128 }; /* one in so many points */
    (void)self;
    if (sn_sched.sleeping && sn_sched_below(EARLY) == 0)
        return sn_wait_earliest(true);
    return sn_sched.in_cond && sn_sched_below(SPURIOUS) == 0 ? spurious() : 0;
}
