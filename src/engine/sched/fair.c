/*
 * fair.c: who only spins lets others go first. A thread is LAZY when it yields, when it passes
 * points without changing anything, or when it has been at it alone for long; it runs when no other
 * can, or when what it spins for is written.
 */
#include "fair.h"

#include "dfs.h"
#include "plan.h"

enum {
    SPINS = 64,    /* points without progress that make a thread lazy */
    ALONE = 20000, /* points of one thread after which others that can run do */
};

/* Loads, yields and failed attempts change nothing; the same operation over and over may. */
static bool is_progress(const struct sn_task *k)
{
    switch (k->next.op) {
    case SN_EV_YIELD:
    case SN_EV_ATOMIC_LOAD:
    case SN_EV_READ:
        return false;
    case SN_EV_ATOMIC_RMW:
        return k->last_pc != k->next.pc;
    default:
        return true;
    }
}

/* It may poll with a lock of its own, which looks like work. A plan's turn may well be that long.
 */
static bool runs_alone(void)
{
    enum { TURN = 10 * ALONE, SEARCHED = ALONE / 10 };
    uint64_t most = sn_plan.nturns ? TURN     /* of a plan: all others are postponed meanwhile */
                    : sn_dfs       ? SEARCHED /* where every point is written down */
                                   : ALONE;
    return sn_sched.steps - sn_sched.alone_since > most &&
           sn_sched.set[SN_SET_READY].n + sn_sched.set[SN_SET_POSTPONED].n > 1;
}

void sn_fair_count(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    bool again = k->vain && k->last_pc == k->next.pc;
    k->vain = 0;
    if (is_progress(k) && !again) {
        k->spins = 0;
        sn_sched.stall = 0;
    } else if (++k->spins > SPINS || k->next.op == SN_EV_YIELD) {
        sn_set_put(t, SN_SET_LAZY);
    }
    if (runs_alone()) {
        sn_set_put(t, SN_SET_LAZY);
        sn_sched.alone_since = sn_sched.steps;
        sn_sched.stall = SN_LAZY_ROUNDS; /* no need to see whether it goes on like that */
    }
    k->last_pc = k->next.pc;
    if (k->next.op != SN_EV_YIELD)
        k->clock_reads = 0;
}

/* t writes now: whoever spins there may get what it waits for, and has its turn before it is too
 * late. But not when t spins itself: two that try the same again and again would rouse each other
 * for ever, and who has what they want would not come. */
void sn_fair_rouse(struct sn_thread *t)
{
    const struct sn_next *n = &sn_task_of(t)->next;
    struct sn_set *lazy = &sn_sched.set[SN_SET_LAZY];
    bool writes = n->write && sn_task_of(t)->spins <= SPINS;
    for (uint32_t i = lazy->n; writes && i-- > 0;) {
        const struct sn_next *other = &sn_task_of(lazy->t[i])->next;
        if (lazy->t[i] != t && other->addr < n->addr + n->size &&
            n->addr < other->addr + other->size)
            sn_set_put(lazy->t[i], SN_SET_READY);
    }
}
