/* strategy.c: the list of strategies. */
#include "strategy.h"

#include <string.h>

const struct sn_strategy *sn_strategy = &sn_strategy_random;

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

struct sn_thread *sn_strategy_early(struct sn_thread *self)
{
    enum { ONE_IN = 32 };
    (void)self;
    return sn_sched_below(ONE_IN) == 0 ? sn_wait_earliest(true) : 0;
}
