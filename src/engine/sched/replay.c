/*
 * replay.c: follows the decisions of a plan. Where the plan says nothing, the running thread goes
 * on; when it cannot, the one with the lowest number does. So a plan may leave out everything that
 * does not matter, and what it says stays valid when steps between are added or removed.
 */
#include "plan.h"
#include "strategy.h"
#include "tally.h"

#include "runtime/modules.h"

static struct sn_thread *lowest(void)
{
    struct sn_set *ready = &sn_sched.set[SN_SET_READY];
    struct sn_thread *best = ready->t[0];
    for (uint32_t i = 1; i < ready->n; i++)
        if (ready->t[i]->number < best->number)
            best = ready->t[i];
    return best;
}

static const struct sn_plan_entry *at(uint32_t kind, struct sn_thread *t)
{
    return t ? sn_plan_find(kind, t->number, sn_task_of(t)->points) : 0;
}

static bool same_site(const struct sn_plan_entry *e, struct sn_thread *self)
{
    return !e->offset || SN_FRAME_OFFSET(sn_modules_frame(sn_task_of(self)->next.pc)) == e->offset;
}

static struct sn_thread *otherwise(struct sn_thread *self)
{
    return self && sn_task_of(self)->set == SN_SET_READY ? self : lowest();
}

static struct sn_thread *pick(struct sn_thread *self)
{
    const struct sn_plan_entry *e = at(SN_LOG_PREEMPT, self);
    if (!e)
        return otherwise(self);
    struct sn_thread *next = sn_thread_by_number(e->next);
    struct sn_task *k = next ? sn_task_of(next) : 0;
    if (k && k->wait == SN_WAIT_OUTSIDE)
        return 0;
    if (k && k->set == SN_SET_LAZY)
        sn_set_put(next, SN_SET_READY);
    if (k && k->set == SN_SET_NONE && k->wait > SN_WAIT_BIRTH && k->wait < SN_WAIT_OUTSIDE &&
        k->deadline != SN_NEVER)
        sn_wait_time_out(next);
    if (!k || k->set != SN_SET_READY || !same_site(e, self)) {
        sn_tally.diverged++;
        return otherwise(self);
    }
    sn_tally.followed++;
    return next;
}

static uint32_t choose(struct sn_thread *by, struct sn_thread *const *among, uint32_t n)
{
    const struct sn_plan_entry *e = at(SN_LOG_CHOICE, by);
    for (uint32_t i = 0; e && i < n; i++)
        if (among[i]->number == e->next)
            return i;
    return 0;
}

static struct sn_thread *early(struct sn_thread *self)
{
    const struct sn_plan_entry *e = at(SN_LOG_TIMEOUT, self);
    struct sn_thread *t = e ? sn_thread_by_number(e->next) : 0;
    return t && (sn_task_of(t)->wait == SN_WAIT_SLEEP || sn_task_of(t)->wait == SN_WAIT_COND) ? t
                                                                                              : 0;
}

static struct sn_thread *expire(struct sn_thread *self)
{
    const struct sn_plan_entry *e = at(SN_LOG_LIMIT, self);
    struct sn_thread *t = e ? sn_thread_by_number(e->next) : 0;
    return t && sn_wait_has_limit(t) ? t : 0;
}

const struct sn_strategy sn_strategy_replay = {
    .name = "replay", .pick = pick, .choose = choose, .early = early, .expire = expire};
