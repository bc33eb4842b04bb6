/*
 * baton.c: who runs. choose() is the scheduling loop of the paper's algorithm 1: a thread among
 * those that can run and are not postponed; when there is none, first the lazy, then time, then the
 * postponed; when there is nobody at all, a deadlock.
 */
#include "monitor.h"
#include "plan.h"
#include "strategy.h"
#include "tally.h"

#include <errno.h>
#include <linux/futex.h>
#include <time.h>

#include "core/spin.h"
#include "core/sys.h"

enum {
    LAZY_ROUNDS =
        16,     /* of spinning threads only, before time goes on or a postponed one is let go */
    SPINS = 64, /* points without progress that make a thread lazy */
    NAPS = 64,        /* of a program that polls, before a postponed thread is let go */
    PATIENCE = 20000, /* steps that a thread stays postponed: the paper's livelock monitor */
    MONITOR_EVERY = 1024,
    LOOK_NS = 20000000,     /* how often those who wait look whether the running thread is stuck */
    PARTING_NS = 100000000, /* a thread may need for its end what another one holds */
};

void sn_sched_lock(void)
{
    sn_spin_lock(&sn_sched.lock);
}

void sn_sched_unlock(void)
{
    sn_spin_unlock(&sn_sched.lock);
}

/* The thread before was on its last instructions in libc, which give memory back: they end first,
 * or addresses would depend on how fast they are. */
static void await_end(void)
{
    uint32_t tid = __atomic_exchange_n(&sn_sched.leaving, 0, __ATOMIC_ACQ_REL);
    long pid = sn_sys0(SYS_getpid);
    uint64_t limit = sn_now_ns() + PARTING_NS;
    while (tid && tid != (uint32_t)pid && sn_sys3(SYS_tgkill, pid, tid, 0) == 0 &&
           sn_now_ns() < limit)
        sn_sys0(SYS_sched_yield);
}

static void grant(struct sn_thread *t)
{
    uint32_t *baton = &sn_task_of(t)->baton;
    __atomic_store_n(baton, 1, __ATOMIC_RELEASE); /* pairs with sn_baton_await() */
    sn_sys4(SYS_futex, baton, FUTEX_WAKE_PRIVATE, 1, 0);
}

static void lazy_to_ready(void)
{
    while (sn_sched.set[SN_SET_LAZY].n)
        sn_set_put(sn_sched.set[SN_SET_LAZY].t[0], SN_SET_READY);
}

static void release_one(void)
{
    struct sn_set *p = &sn_sched.set[SN_SET_POSTPONED];
    struct sn_thread *t =
        sn_strategy->release ? sn_strategy->release() : p->t[sn_sched_below(p->n)];
    if (t)
        sn_set_put(t, SN_SET_READY);
}

static void monitor(void)
{
    struct sn_set *p = &sn_sched.set[SN_SET_POSTPONED];
    for (uint32_t i = p->n; i-- > 0;)
        if ((int64_t)(sn_sched.steps - sn_task_of(p->t[i])->since) > PATIENCE)
            sn_set_put(p->t[i], SN_SET_READY);
}

static void wake_early(struct sn_thread *self)
{
    struct sn_thread *t =
        self && sn_sched.sleeping && sn_strategy->early ? sn_strategy->early(self) : 0;
    if (!t)
        return;
    sn_tally_choice(SN_LOG_TIMEOUT, self, t);
    sn_wait_wake_one(t);
}

/* A program that waits by sleeping again and again would do so for ever while those whom it waits for
 * are held. */
static bool has_slept_enough(void)
{
    static uint32_t naps;
    if (!sn_sched.set[SN_SET_POSTPONED].n || ++naps < NAPS)
        return false;
    naps = 0;
    return true;
}

/* Nobody is READY: who else? False: only threads that are outside can change anything. */
static bool find_others(void)
{
    if (sn_sched.set[SN_SET_LAZY].n && sn_sched.stall++ < LAZY_ROUNDS) {
        lazy_to_ready();
        return true;
    }
    sn_sched.stall = 0;
    if (!has_slept_enough() && sn_wait_fire(true))
        return true;
    if (sn_sched.set[SN_SET_POSTPONED].n) {
        release_one();
        return true;
    }
    if (sn_wait_fire(false))
        return true;
    if (sn_sched.set[SN_SET_LAZY].n) {
        if (sn_sched.outside)
            sn_sleep_us(50); /* they may wait for what comes from outside */
        lazy_to_ready();
        return true;
    }
    if (sn_sched.outside)
        return false;
    return sn_cycle_recheck() || sn_cycle_all_wait();
}

static struct sn_thread *choose(struct sn_thread *self)
{
    wake_early(self);
    if (sn_sched.steps % MONITOR_EVERY == 0)
        monitor();
    while (!sn_sched.set[SN_SET_READY].n)
        if (!find_others())
            return 0;
    return sn_strategy->pick(self);
}

/* self gives the baton to whom choose() says; true when that is self. */
static bool hand_over(struct sn_thread *self)
{
    struct sn_thread *next = choose(self);
    sn_sched.current = next;
    if (next)
        sn_tally_decision(self, next);
    if (next && next != self)
        grant(next);
    return next == self;
}

void sn_baton_await(struct sn_thread *t)
{
    uint32_t *baton = &sn_task_of(t)->baton;
    struct timespec look = {.tv_nsec = LOOK_NS};
    while (!__atomic_exchange_n(baton, 0, __ATOMIC_ACQUIRE)) {
        if (sn_sys4(SYS_futex, baton, FUTEX_WAIT_PRIVATE, 0, &look) != -ETIMEDOUT)
            continue;
        sn_sched_lock();
        if (sn_monitor_look())
            hand_over(0);
        sn_sched_unlock();
    }
    if (sn_sched.leaving)
        await_end();
}

void sn_sched_leave(struct sn_thread *t)
{
    if (hand_over(t))
        return;
    sn_sched_unlock();
    sn_baton_await(t);
    sn_sched_lock();
}

void sn_sched_drop(struct sn_thread *t)
{
    hand_over(t);
}

void sn_sched_return(struct sn_thread *t)
{
    sn_set_put(t, SN_SET_READY);
    if (!sn_sched.current && hand_over(t))
        return;
    sn_sched_unlock();
    sn_baton_await(t);
    sn_sched_lock();
}

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

static void count_spins(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    if (is_progress(k)) {
        k->spins = 0;
        sn_sched.stall = 0;
    } else if (++k->spins > SPINS || k->next.op == SN_EV_YIELD) {
        sn_set_put(t, SN_SET_LAZY);
    }
    k->last_pc = k->next.pc;
}

void sn_sched_point(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    sn_monitor_rejoin(t);
    k->points++;
    sn_sched.steps++;
    if (sn_plan.points == SN_POINTS_SEEN)
        sn_tally_seen(k->next.pc);
    uint32_t hits = sn_hit_look(t);
    count_spins(t);
    if (sn_strategy->arrive)
        sn_strategy->arrive(t, hits);
    sn_sched_leave(t);
}
