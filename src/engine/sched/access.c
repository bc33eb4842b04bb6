/* access.c: scheduling points at memory accesses. */
#include "access.h"

#include <signal.h>

#include "monitor.h"
#include "outside.h"
#include "scheduler.h"
#include "tally.h"

#include "runtime/hook.h"

enum { LOOP = 50000 }; /* accesses without a point: the thread may wait for another in a loop */

int64_t sn_sched_budget SN_HOT = LOOP;

static void stop_at(struct sn_thread *t, const struct sn_next *next)
{
    sn_sched_budget = LOOP;
    sn_sched_meet(next->pc);
    SN_SHIELD(t, SIG_BLOCK);
    sn_sched_lock();
    sn_task_of(t)->next = *next;
    sn_sched_point(t);
    if (next->op != SN_EV_YIELD)
        sn_tally_step(t, next->op, next->addr, next->pc, SN_STEP_DONE);
    sn_sched_unlock();
    SN_SHIELD(t, SIG_UNBLOCK);
}

/* The running thread, entered like a hook; null: nothing is scheduled here. */
static struct sn_thread *enter(uintptr_t pc)
{
    struct sn_thread *t = sn_sched.live ? sn_hook_enter(pc) : 0;
    if (t)
        sn_monitor_enter(t);
    return t;
}

SN_NOINLINE void sn_sched_access(uintptr_t addr, size_t size, int write, uintptr_t pc)
{
    bool site = sn_plan_filter[pc % SN_PLAN_FILTER] != 0;
    bool target = site && sn_plan_is_site(pc), loop = sn_sched_budget < 0;
    if (!loop && !target && sn_plan.points < SN_POINTS_ALL)
        return;
    struct sn_thread *t = enter(pc);
    if (!t)
        return;
    if (sn_plan.points == SN_POINTS_SEEN) {
        sn_tally_seen(pc, write ? SN_EV_WRITE : SN_EV_READ);
        if (!loop) {
            sn_hook_leave(t);
            return;
        }
    }
    stop_at(t, &(struct sn_next){.op = loop && !target ? SN_EV_YIELD
                                       : write         ? SN_EV_WRITE
                                                       : SN_EV_READ,
                                 .write = (uint8_t)write,
                                 .target = target,
                                 .addr = addr,
                                 .size = size,
                                 .pc = pc});
    sn_hook_leave(t);
}

SN_NOINLINE void sn_sched_atomic(uintptr_t addr, unsigned size, enum sn_event_op op, uintptr_t pc)
{
    struct sn_thread *t = enter(pc);
    if (!t)
        return;
    stop_at(t, &(struct sn_next){.op = (uint8_t)op,
                                 .write = op != SN_EV_ATOMIC_LOAD,
                                 .atomic = 1,
                                 .target = sn_sched_targets(pc),
                                 .addr = addr,
                                 .size = size,
                                 .pc = pc});
    sn_hook_leave(t);
}

/* The point of this attempt counted as progress, if it was one. */
SN_NOINLINE void sn_sched_cas_failed(void)
{
    struct sn_thread *t = sn_self;
    if (t && sn_sched.live)
        sn_task_of(t)->vain = 1;
}
