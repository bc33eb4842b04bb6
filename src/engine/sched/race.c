/*
 * race.c: RaceFuzzer's phase 2, algorithm 1 of the paper. A thread that is about to execute a
 * statement of the pair is postponed. When another comes to a conflicting access of the same
 * memory, that is a race (hit.c has reported it), and it is resolved at random: the newcomer goes
 * first, or it is postponed and those whom it races with go. When only postponed threads are left,
 * one at random is let go; the monitor in baton.c releases those who have waited for long.
 */
#include "strategy.h"

#include "core/sys.h"

/* Let go by a resolved race: they execute next, before anybody else. */
static struct sn_thread *first[SN_MAX_THREADS] SN_LARGE;
static uint32_t nfirst;

static void release_partners(struct sn_thread *t)
{
    struct sn_set *postponed = &sn_sched.set[SN_SET_POSTPONED];
    const struct sn_next *mine = &sn_task_of(t)->next;
    for (uint32_t i = postponed->n; i-- > 0;) {
        struct sn_thread *u = postponed->t[i];
        if (u != t && sn_hit_conflict(mine, &sn_task_of(u)->next)) {
            sn_set_put(u, SN_SET_READY);
            first[nfirst++] = u;
        }
    }
}

static void postpone(struct sn_thread *t)
{
    sn_task_of(t)->since = sn_sched.steps;
    sn_set_put(t, SN_SET_POSTPONED);
}

static void arrive(struct sn_thread *t, uint32_t hits)
{
    if (!sn_task_of(t)->next.target)
        return;
    if (!hits) {
        postpone(t);
    } else if (sn_sched_below(2)) {
        first[nfirst++] = t;
    } else {
        postpone(t);
        release_partners(t);
    }
}

static struct sn_thread *pick(struct sn_thread *self)
{
    while (nfirst) {
        struct sn_thread *t = first[--nfirst];
        if (sn_task_of(t)->set == SN_SET_READY)
            return t;
    }
    return sn_strategy_random.pick(self);
}

const struct sn_strategy sn_strategy_race = {.name = "race",
                                             .arrive = arrive,
                                             .pick = pick,
                                             .early = sn_strategy_early,
                                             .expire = sn_strategy_expire};
