/*
 * pos.c: partial order sampling (Yuan and others, 2018). Every event that is about to happen has a
 * random priority, the highest happens; events that it conflicts with get a new one. That samples
 * orders of conflicting events more evenly than a random walk over threads.
 */
#include "strategy.h"

static void born(struct sn_thread *t)
{
    sn_task_of(t)->priority = sn_sched_random();
}

static void arrive(struct sn_thread *t, uint32_t hits)
{
    (void)hits;
    sn_task_of(t)->priority = sn_sched_random();
}

static bool conflict(const struct sn_next *a, const struct sn_next *b)
{
    return a->addr && a->addr < b->addr + (b->size ? b->size : 1) &&
           b->addr < a->addr + (a->size ? a->size : 1) &&
           (a->write || b->write || a->op > SN_EV_FENCE || b->op > SN_EV_FENCE);
}

static struct sn_thread *highest(const struct sn_set *s)
{
    struct sn_thread *best = s->t[0];
    for (uint32_t i = 1; i < s->n; i++)
        if (sn_task_of(s->t[i])->priority > sn_task_of(best)->priority)
            best = s->t[i];
    return best;
}

static struct sn_thread *pick(struct sn_thread *self)
{
    struct sn_set *ready = &sn_sched.set[SN_SET_READY];
    struct sn_thread *best = highest(ready);
    (void)self;
    for (uint32_t i = 0; i < ready->n; i++) {
        struct sn_task *k = sn_task_of(ready->t[i]);
        if (ready->t[i] != best && conflict(&k->next, &sn_task_of(best)->next))
            k->priority = sn_sched_random();
    }
    return best;
}

const struct sn_strategy sn_strategy_pos = {.name = "pos",
                                            .born = born,
                                            .arrive = arrive,
                                            .pick = pick,
                                            .early = sn_strategy_early,
                                            .expire = sn_strategy_expire};
