/* random.c: at every point any thread that can run, each as likely. */
#include "strategy.h"

static struct sn_thread *pick(struct sn_thread *self)
{
    (void)self;
    struct sn_set *ready = &sn_sched.set[SN_SET_READY];
    return ready->t[sn_sched_below(ready->n)];
}

const struct sn_strategy sn_strategy_random = {
    .name = "random", .pick = pick, .early = sn_strategy_early, .expire = sn_strategy_expire};
