/*
 * baton.c: who runs. choose() is the scheduling loop of the paper's algorithm 1: a thread among
 * those that can run and are not postponed; when there is none, first the lazy, then time, then the
 * postponed; when there is nobody at all, a deadlock.
 */
#include "await.h"
#include "dfs.h"
#include "fair.h"
#include "monitor.h"
#include "plan.h"
#include "strategy.h"
#include "tally.h"

#include <errno.h>
#include <linux/futex.h>
#include <time.h>

#include "core/park.h"
#include "core/spin.h"
#include "core/sys.h"
#include "runtime/hook.h"
#include "runtime/proc.h"
#include "runtime/signals.h"

enum {
    SPIN_NS = 1000000, /* that threads spin takes so long */
    NAPS = 64,         /* of a program that polls, before a postponed thread is let go */
    PATIENCE = 20000,  /* steps that a thread stays postponed: the paper's livelock monitor */
    MONITOR_EVERY = 1024,
    FIRST_LOOK_NS = 5000000, /* one of those who wait looks whether the running thread is stuck: not
                                so soon that the timer must be set anew each time, */
    LAST_LOOK_NS = 32000000, /* less and less often */
};

void sn_sched_lock(void)
{
    sn_spin_lock(&sn_sched.lock);
}

void sn_sched_unlock(void)
{
    uint32_t *baton = sn_sched.wake, *roused = sn_sched.rouse;
    sn_sched.wake = sn_sched.rouse = 0;
    sn_spin_unlock(&sn_sched.lock);
    if (baton)
        sn_sys4(SYS_futex, baton, FUTEX_WAKE_PRIVATE, 1, 0);
    if (roused)
        sn_sys4(SYS_futex, roused, FUTEX_WAKE_PRIVATE, 1, 0);
}

static void grant(struct sn_thread *t)
{
    uint32_t *baton = &sn_task_of(t)->baton;
    if (sn_sched.watcher == t)
        __atomic_store_n(&sn_sched.watcher, 0, __ATOMIC_RELEASE); /* pairs with is_watcher() */
    __atomic_store_n(baton, SN_BATON, __ATOMIC_RELEASE);          /* pairs with await_once() */
    sn_sched.wake = baton; /* by sn_sched_unlock(), or it would only wake to wait for the lock */
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
    struct sn_thread *t = self && (sn_sched.sleeping || sn_sched.in_cond) && sn_strategy->early
                              ? sn_strategy->early(self)
                              : 0;
    if (!t)
        return;
    sn_tally_choice(SN_LOG_TIMEOUT, self, t);
    sn_wait_wake_one(t);
}

static void pass_limit(struct sn_thread *self)
{
    struct sn_thread *t =
        self && sn_sched.limited && sn_strategy->expire ? sn_strategy->expire(self) : 0;
    if (!t)
        return;
    sn_tally_choice(SN_LOG_LIMIT, self, t);
    sn_wait_time_out(t);
}

/* A program that waits by sleeping again and again would do so for ever while those whom it waits
 * for are held. */
static bool has_slept_enough(void)
{
    static uint32_t naps;
    if (!sn_sched.set[SN_SET_POSTPONED].n || ++naps < NAPS)
        return false;
    naps = 0;
    return true;
}

/* In the order of their records, whoever was first. */
static void take_returned(void)
{
    for (uint32_t i = 0; i < sn_thread_count() && sn_sched.returned; i++) {
        struct sn_thread *t = sn_thread_at(i);
        if (sn_task_of(t)->returned) {
            sn_task_of(t)->returned = 0;
            sn_sched.returned--;
            sn_set_put(t, SN_SET_READY);
        }
    }
}

/* Those who spin may wait for what comes from outside: it needs the lock to come in. */
static void let_in(void)
{
    enum { WHILE_US = 50 };
    sn_sched.deciding = 1;
    sn_sched_unlock();
    sn_sleep_us(WHILE_US);
    sn_sched_lock();
    sn_sched.deciding = 0;
    take_returned();
}

/* Nobody is READY: who else? False: only threads that are outside can change anything. */
static bool find_others(void)
{
    if (sn_sched.set[SN_SET_LAZY].n && sn_sched.stall++ < SN_LAZY_ROUNDS) {
        lazy_to_ready();
        return true;
    }
    sn_sched.stall = 0;
    struct sn_thread *sleeper = has_slept_enough() ? 0 : sn_wait_earliest(true);
    if (sleeper && sn_clock_fire(sn_task_of(sleeper)->deadline))
        return sn_sched.set[SN_SET_LAZY].n != 0; /* else its signal comes to a thread that waits */
    if (sleeper && sn_wait_fire(true))
        return true;
    if (sn_sched.set[SN_SET_POSTPONED].n) {
        release_one();
        return true;
    }
    if (sn_wait_fire(false))
        return true;
    if (sn_clock_fire(SN_NEVER) && !sn_sched.set[SN_SET_LAZY].n)
        return false; /* its signal comes to a thread that waits */
    if (sn_sched.set[SN_SET_LAZY].n) {
        if (sn_sched.outside)
            let_in();
        sn_sched.now += SPIN_NS; /* or they wait for a time */
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
    pass_limit(self);
    if (sn_sched.steps % MONITOR_EVERY == 0)
        monitor();
    while (!sn_sched.set[SN_SET_READY].n)
        if (!find_others())
            return 0;
    return sn_strategy->pick(self);
}

void sn_sched_stir(void)
{
    __atomic_store_n(&sn_sched.stirred, 1, __ATOMIC_RELEASE);
}

/* Whom choose() says. */
static struct sn_thread *decide(struct sn_thread *self)
{
    sn_await_stirred(self);
    take_returned();
    struct sn_thread *next = choose(self);
    sn_sched.current = next;
    if (next)
        sn_tally_decision(self, next);
    if (next != self)
        sn_sched.alone_since = sn_sched.steps;
    return next;
}

/* self gives the baton on, to whom is returned; grant() is left to the caller. Who would only run
 * to find its mutex taken need not run for that: of many threads most do, most of the time. */
static struct sn_thread *next_after(struct sn_thread *self)
{
    struct sn_thread *next = decide(self);
    while (next && next != self && sn_wait_instead(next))
        next = decide(next);
    return next;
}

/* True when self gets it back at once. */
static bool hand_over(struct sn_thread *self)
{
    struct sn_thread *next = next_after(self);
    if (next && next != self)
        grant(next);
    return next && next == self;
}

/* Whoever waits for its turn, or for an object; null: nobody. */
static struct sn_thread *someone_waiting(void)
{
    for (int set = SN_SET_READY; set < SN_SETS; set++)
        for (uint32_t i = 0; i < sn_sched.set[set].n && i < 2; i++)
            if (sn_sched.set[set].t[i] != sn_sched.current)
                return sn_sched.set[set].t[i];
    for (struct sn_thread *t = sn_sched.first; t; t = sn_task_of(t)->follow)
        if (sn_waits_here(sn_task_of(t)))
            return t;
    return 0;
}

/* t cannot watch; any of the others may, but it sleeps without a timer. */
static void pass_watch(struct sn_thread *t)
{
    struct sn_thread *w = someone_waiting();
    w = w != t ? w : 0;
    __atomic_store_n(&sn_sched.watcher, w, __ATOMIC_RELEASE); /* pairs with is_watcher() */
    sn_sched.rouse = w ? &sn_task_of(w)->baton : 0;
}

/* By a thread that may have got the baton itself. */
static void hand_over_for_nobody(void)
{
    hand_over(0);
    if (!sn_sched.watcher)
        pass_watch(sn_sched.current);
}

/* A signal has come to a thread that waits: its handler runs when the thread has its turn. False
 * when it only waits for that: the handler runs after the operation that it stands before. */
static bool interrupt(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    sn_sched_lock();
    bool waits = sn_waits_here(k) && k->set == SN_SET_NONE;
    if (waits) {
        k->interrupted = 1;
        sn_set_put(t, SN_SET_READY);
        if (!sn_sched.current && !sn_sched.deciding)
            hand_over_for_nobody();
    }
    sn_sched_unlock();
    return waits;
}

/* These end with EINTR, or may end without a reason. */
static bool handler_ends(const struct sn_task *k, bool restarts)
{
    return k->wait == SN_WAIT_SLEEP || k->wait == SN_WAIT_COND ||
           (!restarts && (k->wait == SN_WAIT_SEM || k->wait == SN_WAIT_FUTEX));
}

/* t has the baton for its handler alone; true when its wait goes on. */
static bool handle_signal(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    struct sn_next next = k->next;
    bool restarts = sn_signal_restarts();
    k->interrupted = 0;
    t->in_hook = 0;
    if (t->sig_pending)
        sn_signal_run_pending(t);
    sn_hook_resume(t);
    k->next = next;
    sn_sched_lock();
    bool waits = sn_waits_here(k);
    if (waits && handler_ends(k, restarts)) {
        sn_wait_forget(t);
        k->eintr = 1;
        waits = false;
    } else if (waits) {
        sn_set_put(t, SN_SET_NONE);
        hand_over(t);
    }
    sn_sched_unlock();
    return waits;
}

/* A strategy may keep the baton from all of these, for a thread that is outside. */
static bool can_run(void)
{
    return sn_sched.set[SN_SET_READY].n || sn_sched.set[SN_SET_POSTPONED].n ||
           sn_sched.set[SN_SET_LAZY].n;
}

/* Who waits looks now and then: at the running thread, and whether there is one. True when the
 * baton went on. */
static bool look_up(void)
{
    sn_sched_lock();
    if (sn_sched.live && !sn_sched.deciding && !sn_sched.current && sn_sched.outside && !can_run())
        sn_cycle_look_outside();
    bool goes_on = sn_sched.live && !sn_sched.deciding &&
                   (sn_monitor_look() || (!sn_sched.current && (!sn_sched.outside || can_run())));
    if (goes_on)
        hand_over_for_nobody();
    goes_on = goes_on && sn_sched.current;
    sn_sched_unlock();
    return goes_on;
}

/* A timer costs as much as a fifth of handing on the baton, so one of all who wait has one: until
 * it is its turn; then whoever waits next. */
static bool is_watcher(struct sn_thread *t)
{
    struct sn_thread *none = 0;
    struct sn_thread *w = __atomic_load_n(&sn_sched.watcher, __ATOMIC_ACQUIRE);
    return w == t || (!w && __atomic_compare_exchange_n(&sn_sched.watcher, &none, t, 0,
                                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
}

/* It wanted to watch when it had just got the baton. */
static SN_NOINLINE void watches_no_more(struct sn_thread *t)
{
    sn_sched_lock();
    if (sn_sched.watcher == t)
        pass_watch(t);
    sn_sched_unlock();
}

static bool await_once(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    int64_t look_ns = FIRST_LOOK_NS;
    while (!(__atomic_exchange_n(&k->baton, 0, __ATOMIC_ACQUIRE) & SN_BATON)) {
        if (t->sig_pending && !k->interrupted && interrupt(t))
            continue; /* a signal that comes from here on ends the wait */
        struct timespec limit = {0, look_ns};
        struct timespec *timer = is_watcher(t) ? &limit : 0;
        sn_park(&k->parked); /* a fork need not wait for this thread */
        long r = sn_sys4(SYS_futex, &k->baton, FUTEX_WAIT_PRIVATE, 0, timer);
        sn_unpark(&k->parked);
        if (r != -ETIMEDOUT)
            continue;
        if (look_up())
            look_ns = FIRST_LOOK_NS; /* the next may soon wait in the same place */
        else
            look_ns = look_ns < LAST_LOOK_NS ? 2 * look_ns : look_ns;
    }
    if (sn_sched.watcher == t)
        watches_no_more(t);
    return k->interrupted && handle_signal(t);
}

void sn_baton_signal(struct sn_thread *t)
{
    __atomic_or_fetch(&sn_task_of(t)->baton, SN_SIGNAL, __ATOMIC_RELEASE);
}

void sn_baton_await(struct sn_thread *t)
{
    while (await_once(t))
        ;
    if (sn_sched.leaving)
        sn_await_end();
    if (sn_sched.outside)
        sn_await_left(t);
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
    if (!sn_sched.watcher)
        pass_watch(t);
}

/* Nobody had the baton. Of those who have come back by now the same one decides every time, not the
 * fastest; true when t goes on. */
static bool take_up(struct sn_thread *t)
{
    sn_await_stirred(t);
    uint32_t i = 0;
    while (!sn_task_of(sn_thread_at(i))->returned)
        i++; /* t at the latest */
    struct sn_thread *next = next_after(sn_thread_at(i));
    if (next && next != t)
        grant(next);
    return next && next == t;
}

void sn_sched_return(struct sn_thread *t)
{
    sn_task_of(t)->returned = 1;
    sn_sched.returned++;
    if (!sn_sched.current && !sn_sched.deciding && take_up(t))
        return;
    sn_sched_unlock();
    sn_baton_await(t);
    sn_sched_lock();
}

/* It does now what it stood before. */
static void touch_next(struct sn_thread *t)
{
    const struct sn_next *n = &sn_task_of(t)->next;
    if (n->after || n->op == SN_EV_JOIN || n->op == SN_EV_CREATE || n->op == SN_EV_YIELD)
        return;
    bool access = n->op >= SN_EV_READ && n->op <= SN_EV_FREE;
    sn_dfs_touch(t, n->addr, n->size, access ? n->write : n->op != SN_EV_RDLOCK);
}

void sn_sched_point(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    sn_monitor_rejoin(t);
    k->points++;
    sn_sched.steps++;
    if (sn_plan.count)
        sn_tally_count(t);
    if (sn_plan.points == SN_POINTS_SEEN)
        sn_tally_seen(k->next.pc, k->next.op);
    uint32_t hits = sn_hit_look(t);
    sn_fair_count(t);
    if (sn_strategy->arrive)
        sn_strategy->arrive(t, hits);
    sn_hit_stand(t);
    sn_sched_leave(t);
    sn_hit_go_on(t);
    if (sn_sched.set[SN_SET_LAZY].n)
        sn_fair_rouse(t);
    if (sn_dfs)
        touch_next(t);
}
