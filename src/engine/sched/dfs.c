/*
 * dfs.c: one execution of a systematic search; the command enumerates (src/fuzz/dfs.c). It follows
 * a prefix of decisions, then switches only when it must. Every decision goes into the log with
 * those who could have gone on, and with the objects that the chosen thread touched until its next
 * point.
 *
 * Sleep sets (Godefroid): a thread that an earlier execution chose at the end of the prefix is
 * asleep here, and is not chosen, until somebody touches what it would touch: what came of choosing
 * it now is equivalent to what was seen then. When all that could go on are asleep, the rest is
 * known and the execution ends. Under a bound on preemptions that holds only when the execution
 * seen then was within the bound, too (Coons, Musuvathi and McKinley, 2013): each sleeper has a
 * budget, what was left then minus every switch since, and sleeps only as long as that covers what
 * is left now.
 *
 * A thread whose next operation would have to wait cannot go on, and leaving it is no preemption.
 */
#include "dfs.h"

#include <pthread.h>
#include <semaphore.h>

#include "core/sys.h"
#include "plan.h"
#include "runtime/hook.h"
#include "runtime/mutex_state.h"
#include "runtime/real.h"
#include "runtime/sink.h"
#include "strategy.h"
#include "tally.h"

enum { AREA = 64 }; /* records at a time */

bool sn_dfs;

static struct sn_log_choice *area;
static uint32_t filled = AREA;
static struct sn_log_choice
    *open_of[SN_MAX_THREADS] SN_LARGE; /* by index: its last decision's record */
static uint32_t decisions, used;       /* so far; preemptions */

static void begin(void)
{
    sn_dfs = true;
}

/* Lost when there is no room: the command sees that the numbers do not fit. */
static struct sn_log_choice *new_record(void)
{
    static struct sn_log_choice nowhere;
    if (filled == AREA) {
        area = sn_sink_area(SN_SCHED_CHOICES, AREA * sizeof *area);
        filled = 0;
    }
    decisions++;
    if (!area)
        sn_tally.lost++;
    return area ? &area[filled++] : &nowhere;
}

static bool overlaps(const struct sn_log_object *a, const struct sn_log_object *b)
{
    return (a->write || b->write) && a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

void sn_dfs_touch(struct sn_thread *t, uintptr_t addr, uint64_t size, bool write)
{
    struct sn_log_choice *c = open_of[t->index];
    struct sn_log_object o = {addr, (uint32_t)(size ? size : 1), write};
    if (!c || !addr)
        return;
    for (uint32_t i = 0; i < c->nobjects && i < SN_CHOICE_OBJECTS; i++)
        if (c->object[i].addr == addr && c->object[i].size >= o.size &&
            c->object[i].write >= o.write)
            return;
    if (c->nobjects < SN_CHOICE_OBJECTS)
        c->object[c->nobjects] = o;
    if (c->nobjects <= SN_CHOICE_OBJECTS)
        c->nobjects++; /* one more than there is room for: everything */
}

static bool conflicts(const struct sn_log_choice *c, const struct sn_sleeper *z)
{
    if (c->nobjects > SN_CHOICE_OBJECTS || z->nobjects > SN_CHOICE_OBJECTS)
        return true;
    for (uint32_t i = 0; i < c->nobjects; i++)
        for (uint32_t k = 0; k < z->nobjects; k++)
            if (overlaps(&c->object[i], &z->object[k]))
                return true;
    return false;
}

static void wake(uint32_t i)
{
    sn_plan.sleeper[i] = sn_plan.sleeper[--sn_plan.nsleepers];
}

/* t has come to its next point: who slept because of what it touched? Those of the prefix's end
 * sleep from there on. */
static void wake_sleepers(struct sn_thread *t)
{
    const struct sn_log_choice *c = t ? open_of[t->index] : 0;
    if (!c || decisions < sn_plan.prefix)
        return;
    for (uint32_t i = sn_plan.nsleepers; i-- > 0;)
        if (sn_plan.sleeper[i].thread == t->number || conflicts(c, &sn_plan.sleeper[i]))
            wake(i);
}

static bool mutex_is_free(uintptr_t m)
{
    return !sn_mutex_is_locked((const pthread_mutex_t *)m);
}

/* Would the operation before which t stands have to wait? */
static bool would_wait(struct sn_thread *t)
{
    const struct sn_task *k = sn_task_of(t);
    const struct sn_sync *s;
    struct sn_thread *child;
    int value;
    if (k->next.after || k->woken_cond)
        return k->woken_cond && !mutex_is_free(k->woken_cond);
    switch (k->next.op) {
    case SN_EV_LOCK:
    case SN_EV_RDLOCK:
        s = sn_sync_find(k->next.addr);
        if (!s || k->next.trying || s->owner == t->number + 1)
            return false;
        if (s->kind == SN_SYNC_LIBRARY)
            return s->owner || (s->readers && k->next.op == SN_EV_LOCK);
        return s->owner || (s->kind == SN_SYNC_RWLOCK && k->next.op == SN_EV_LOCK &&
                            sn_rwlock_readers((const pthread_rwlock_t *)k->next.addr));
    case SN_EV_SEM_WAIT:
        return !k->next.trying && sem_getvalue((sem_t *)k->next.addr, &value) == 0 && value == 0;
    case SN_EV_JOIN:
        child = k->next.trying ? 0 : sn_thread_by_pthread(k->next.addr);
        return child && child != t && sn_task_of(child)->wait != SN_WAIT_OVER;
    default:
        return false;
    }
}

static uint64_t bit(const struct sn_thread *t)
{
    return t->number < 64 ? 1ull << t->number : 0;
}

static uint64_t eligible(void)
{
    const struct sn_set *ready = &sn_sched.set[SN_SET_READY];
    uint64_t all = 0;
    for (uint32_t i = 0; i < ready->n; i++)
        if (!would_wait(ready->t[i]))
            all |= bit(ready->t[i]);
    return all;
}

/* Those of the list who really sleep when `self` can go on (or not): by their budget. */
static uint64_t asleep(uint64_t self)
{
    uint64_t all = 0;
    if (decisions < sn_plan.prefix)
        return 0;
    for (uint32_t i = 0; i < sn_plan.nsleepers; i++) {
        const struct sn_sleeper *z = &sn_plan.sleeper[i];
        uint64_t mine = z->thread < 64 ? 1ull << z->thread : 0;
        int64_t left = (int64_t)sn_plan.bound - used - (self && mine != self);
        if (z->budget - 1 >= left)
            all |= mine;
    }
    return all;
}

static uint64_t listed(void)
{
    uint64_t all = 0;
    for (uint32_t i = 0; decisions >= sn_plan.prefix && i < sn_plan.nsleepers; i++)
        all |= sn_plan.sleeper[i].thread < 64 ? 1ull << sn_plan.sleeper[i].thread : 0;
    return all;
}

/* All that could come of this was seen: the process ends here. */
static void stop_redundant(void)
{
    sn_tally.redundant = 1;
    sn_runtime_exit();
    for (;;)
        sn_sys1(SYS_exit_group, 0);
}

static struct sn_thread *planned(struct sn_thread *self)
{
    const struct sn_plan_entry *e =
        self ? sn_plan_find(SN_LOG_PREEMPT, self->number, sn_task_of(self)->points) : 0;
    struct sn_thread *t = e ? sn_thread_by_number(e->next) : 0;
    if (!e)
        return 0;
    if (t && sn_task_of(t)->set == SN_SET_READY) {
        sn_tally.followed++;
        return t;
    }
    sn_tally.diverged++;
    return 0;
}

static struct sn_thread *lowest(uint64_t among)
{
    const struct sn_set *ready = &sn_sched.set[SN_SET_READY];
    struct sn_thread *best = 0;
    for (uint32_t i = 0; i < ready->n; i++)
        if ((!among || (among & bit(ready->t[i]))) && (!best || ready->t[i]->number < best->number))
            best = ready->t[i];
    return best;
}

/* Nobody who can go on: whoever waits first shows the deadlock. */
static struct sn_thread *by_rule(struct sn_thread *self, uint64_t can, uint64_t sleep)
{
    uint64_t mine = self ? bit(self) & can : 0, awake = can & ~sleep;
    if (!can)
        return lowest(0);
    if (mine & awake)
        return self;
    if (!awake || (mine && used >= sn_plan.bound))
        stop_redundant();
    return lowest(awake);
}

static void account(struct sn_thread *self, struct sn_thread *next, uint64_t mine)
{
    used += mine && next != self;
    for (uint32_t i = sn_plan.nsleepers; decisions >= sn_plan.prefix && i-- > 0;) {
        sn_plan.sleeper[i].budget -= next != self && decisions > sn_plan.prefix;
        if (sn_plan.sleeper[i].thread == next->number && decisions > sn_plan.prefix)
            wake(i);
    }
}

static struct sn_thread *pick(struct sn_thread *self)
{
    wake_sleepers(self);
    uint64_t can = eligible(), mine = self ? bit(self) & can : 0, sleep = asleep(mine);
    struct sn_thread *next = planned(self);
    if (!next)
        next = by_rule(self, can, sleep);
    uint64_t in_list = listed();
    struct sn_log_choice *c = new_record();
    c->thread = self ? self->number : UINT32_MAX;
    c->count = self ? sn_task_of(self)->points : 0;
    c->used = used;
    c->can_stay = mine != 0;
    c->eligible = can;
    c->asleep = sleep;
    c->listed = in_list;
    c->nobjects = 0;
    c->next = next->number;
    __atomic_store_n(&c->kind, SN_LOG_PREEMPT, __ATOMIC_RELEASE); /* last: it is whole now */
    open_of[next->index] = c;
    account(self, next, mine);
    return next;
}

static uint32_t choose(struct sn_thread *by, struct sn_thread *const *among, uint32_t n)
{
    const struct sn_plan_entry *e =
        by ? sn_plan_find(SN_LOG_CHOICE, by->number, sn_task_of(by)->points) : 0;
    uint32_t chosen = 0;
    uint64_t all = 0;
    for (uint32_t i = 0; i < n; i++) {
        all |= bit(among[i]);
        if (e && among[i]->number == e->next)
            chosen = i;
    }
    if (!by)
        return chosen;
    struct sn_log_choice *c = new_record();
    *c = (struct sn_log_choice){.thread = by->number,
                                .count = sn_task_of(by)->points,
                                .next = among[chosen]->number,
                                .used = used,
                                .eligible = all,
                                .listed = listed()};
    __atomic_store_n(&c->kind, SN_LOG_CHOICE, __ATOMIC_RELEASE);
    return chosen;
}

const struct sn_strategy sn_strategy_dfs = {
    .name = "dfs", .begin = begin, .pick = pick, .choose = choose};
