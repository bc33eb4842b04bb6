/*
 * scheduler.c: the engine's functions: threads come and go, calls leave the schedule and come back.
 *
 * A new thread is known from CREATE on, but can be chosen only when its kernel thread stands at
 * START: its parent waits for that. So never more than one thread of the program is at work, not
 * even inside libc, and addresses are the same in every execution.
 */
#include "scheduler.h"

#include <linux/futex.h>
#include <malloc.h>
#include <signal.h>

#include "access.h"
#include "affinity.h"
#include "core/engine.h"
#include "core/options.h"
#include "core/park.h"
#include "core/stop.h"
#include "core/sys.h"
#include "crash.h"
#include "dfs.h"
#include "heap_key.h"
#include "monitor.h"
#include "outside.h"
#include "plan.h"
#include "runtime/bare_futex.h"
#include "runtime/hook.h"
#include "runtime/instrumented.h"
#include "runtime/modules.h"
#include "runtime/real.h"
#include "runtime/signals.h"
#include "snapshot.h"
#include "strategy.h"
#include "tally.h"

const char sn_engine_name[] = "sched";
const int sn_engine_gates = 1;
const int sn_engine_sees_blocks = 1;
const int sn_engine_own_heap = 0;
const int sn_engine_needs_code = 0;

static uint32_t alive SN_HOT;

uint32_t sn_sched_alive(void)
{
    return alive;
}

bool sn_sched_alone(void)
{
    return alive == 1;
}

static bool is_parked(const struct sn_thread *t)
{
    const struct sn_task *k = (const struct sn_task *)t->engine;
    return __atomic_load_n(&k->parked, __ATOMIC_ACQUIRE) != 0;
}

void sn_engine_init(void)
{
    sn_thread_is_parked = is_parked;
    sn_thread_on_put_off = sn_baton_signal;
    sn_opt.deadlock = 0; /* the scheduler knows better who waits for whom */
    sn_modules_refresh();
    sn_set_init();
    sn_crash_init();
    sn_affinity_init();
    sn_heap_key_fix();
    sn_bare_futex_begin();
}

/* There is one thread still: from here on it is an execution of its own, with a plan and a seed. */
static void begin_execution(struct sn_thread *t)
{
    static bool begun;
    if (begun)
        return;
    begun = true;
    if (sn_opt.server)
        sn_snapshot_serve();
    else
        sn_plan_read();
    sn_affinity_pin();
    sn_set_seed();
    sn_strategy_set(sn_plan.strategy);
    if (sn_strategy->begin)
        sn_strategy->begin();
    if (sn_strategy->born)
        sn_strategy->born(t);
}

void sn_sched_at_main(void)
{
    if (sn_self && sn_sched.live)
        begin_execution(sn_self);
}

/* A thread that no hook has seen coming back may end the process: in its turn. Who ends a redundant
 * execution has the lock, and may be on its way outside. */
void sn_engine_exit(void)
{
    if (sn_self && sn_sched.live && !sn_tally.redundant)
        sn_monitor_enter(sn_self);
    sn_tally_summary();
}

void sn_engine_thread_new(struct sn_thread *t, struct sn_thread *parent)
{
    (void)parent;
    *sn_task_of(t) = (struct sn_task){.wait = SN_WAIT_BIRTH};
}

static void born(struct sn_thread *t)
{
    alive++;
    if (sn_strategy->born)
        sn_strategy->born(t);
}

void sn_engine_thread_gone(struct sn_thread *t)
{
    (void)t; /* over, or never born */
}

/* Only self has come along. A search knows the parent's choices: the child is no part of it. */
static void forget_others(const struct sn_thread *self)
{
    for (uint32_t i = 0; i < sn_thread_count(); i++)
        if (sn_thread_at(i) != self)
            *sn_task_of(sn_thread_at(i)) = (struct sn_task){.wait = SN_WAIT_OVER};
    if (sn_dfs) {
        sn_dfs = false;
        sn_strategy_set("random");
    }
}

static uint32_t name_of_child(struct sn_thread *self)
{
    uint32_t point = self ? (self->number + 1) * 0x85ebca6bu + sn_task_of(self)->points : 0;
    return ((sn_sched.process ^ point) * 0x9e3779b1u) | 1;
}

void sn_engine_forked(struct sn_thread *self)
{
    sn_sched = (struct sn_sched){
        .random = sn_sched.random, .now = sn_sched.now, .process = name_of_child(self)};
    sn_set_init();
    sn_tally_forked();
    forget_others(self);
    if (!self)
        return;
    struct sn_task *k = sn_task_of(self);
    *k = (struct sn_task){.points = k->points, .priority = k->priority};
    alive = 1;
    sn_sched.current = self;
    sn_set_put(self, SN_SET_READY);
    sn_sched.live = 1;
}

/* The running thread goes on as another record: a fiber takes its place. */
static bool takes_over(struct sn_thread *t)
{
    struct sn_thread *c = sn_sched.current;
    if (!c || c == t || c->kernel_tid != t->kernel_tid)
        return false;
    sn_sched_lock();
    sn_set_put(c, SN_SET_NONE);
    sn_task_of(c)->wait = SN_WAIT_BIRTH;
    sn_task_of(t)->wait = SN_WAIT_NOTHING;
    sn_set_put(t, SN_SET_READY);
    sn_sched.current = t;
    sn_sched_unlock();
    return true;
}

static void started(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    if (sn_sched.live && takes_over(t))
        return;
    if (!sn_sched.live) { /* main */
        k->wait = SN_WAIT_NOTHING;
        alive++;
        sn_set_put(t, SN_SET_READY);
        sn_sched.current = t;
        sn_sched.live = 1;
        if (!sn_snapshot_may_wait())
            begin_execution(t);
        return;
    }
    if (k->created) {
        __atomic_store_n(&k->arrived, 1, __ATOMIC_RELEASE); /* pairs with await_child() */
        sn_sys4(SYS_futex, &k->arrived, FUTEX_WAKE_PRIVATE, 1, 0);
        sn_baton_await(t);
        return;
    }
    sn_sched_lock(); /* a thread that snag has not seen created comes from outside */
    k->wait = SN_WAIT_NOTHING;
    born(t);
    sn_sched_return(t);
    sn_sched_unlock();
}

static void await_child(struct sn_thread *child)
{
    struct sn_task *k = sn_task_of(child);
    sn_sched.hatching = 1;
    while (!__atomic_load_n(&k->arrived, __ATOMIC_ACQUIRE))
        sn_sys4(SYS_futex, &k->arrived, FUTEX_WAIT_PRIVATE, 0, 0);
    sn_sched.hatching = 0;
    k->wait = SN_WAIT_NOTHING;
    born(child);
    sn_set_put(child, SN_SET_READY);
}

static void ended(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    sn_sched_lock();
    k->points++;
    k->next = (struct sn_next){.op = SN_EV_END, .pc = t->pc};
    k->wait = SN_WAIT_OVER;
    sn_set_put(t, SN_SET_NONE);
    sn_wait_wake((uintptr_t)t, SN_WAIT_JOIN, UINT32_MAX);
    __atomic_store_n(&sn_sched.leaving, (uint32_t)t->kernel_tid, __ATOMIC_RELEASE);
    if (--alive)
        sn_sched_drop(t);
    else
        sn_sched.live = 0;
    sn_sched_unlock();
}

/* Of the waits only these are where a thread may be cancelled. */
static void cancelled(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    sn_sched_lock();
    k->cancelled = 1;
    if (t->cancel_mode & SN_CANCEL_DISABLED)
        ; /* it goes on waiting */
    else if (k->wait == SN_WAIT_COND || k->wait == SN_WAIT_SEM || k->wait == SN_WAIT_JOIN ||
             k->wait == SN_WAIT_SLEEP)
        sn_wait_wake_one(t);
    sn_sched_unlock();
}

static void freed(struct sn_thread *t, const struct sn_event *ev)
{
    bool target = sn_sched_targets(ev->pc);
    if (!target && (sn_plan.points != SN_POINTS_ALL || !sn_instrumented(ev->pc)))
        return; /* libc frees while it holds locks of its own: no point there */
    sn_sched_lock();
    sn_task_of(t)->next = (struct sn_next){.op = SN_EV_FREE,
                                           .write = 1,
                                           .target = target,
                                           .addr = ev->addr,
                                           .size = sn_real_usable_size((void *)ev->addr),
                                           .pc = ev->pc};
    sn_sched_point(t);
    sn_sched_unlock();
}

/* What a reader of the schedule wants to see; memory accesses are told where they are points. */
static void tell(struct sn_thread *t, const struct sn_event *ev)
{
    switch (ev->op) {
    case SN_EV_CREATE:
    case SN_EV_JOIN:
        sn_tally_step(t, ev->op, (uintptr_t)ev->value, ev->pc, SN_STEP_DONE);
        break;
    case SN_EV_LOCK:
    case SN_EV_RDLOCK:
    case SN_EV_UNLOCK:
    case SN_EV_RDUNLOCK:
    case SN_EV_COND_SIGNAL:
    case SN_EV_COND_BROADCAST:
    case SN_EV_COND_WAKE:
    case SN_EV_BARRIER_ENTER:
    case SN_EV_BARRIER_LEAVE:
    case SN_EV_SEM_POST:
    case SN_EV_SEM_WAIT:
    case SN_EV_FREE:
        sn_tally_step(t, ev->op, ev->addr, ev->pc, SN_STEP_DONE);
        break;
    case SN_EV_END:
        sn_tally_step(t, ev->op, 0, t->pc, SN_STEP_DONE);
        break;
    default:
        break;
    }
}

static bool is_signal(uintptr_t addr)
{
    enum { LAST = 64 };
    return addr >= sn_signal_object(0) && addr <= sn_signal_object(LAST);
}

static void take_event(struct sn_thread *t, const struct sn_event *ev)
{
    struct sn_thread *other;
    if (ev->op != SN_EV_START && ev->op != SN_EV_UNBLOCK)
        sn_monitor_enter(t);
    if (sn_plan.tell)
        tell(t, ev);
    switch (ev->op) {
    case SN_EV_START:
        started(t);
        break;
    case SN_EV_END:
        ended(t);
        break;
    case SN_EV_CREATE:
        begin_execution(t); /* before main, by a constructor */
        other = sn_thread_by_number((uint32_t)ev->value);
        if (other)
            sn_task_of(other)->created = 1;
        break;
    case SN_EV_CANCEL:
        other = sn_thread_by_number((uint32_t)ev->value);
        if (other)
            cancelled(other);
        sn_sched_stir(); /* it may be outside */
        break;
    case SN_EV_FREE:
        freed(t, ev);
        break;
    case SN_EV_ONCE_SEEN:
        sn_sched_lock();
        sn_wait_wake(ev->addr, SN_WAIT_ONCE, UINT32_MAX);
        sn_sched_unlock();
        break;
    case SN_EV_RELEASE:
    case SN_EV_RELEASE_MERGE:
        sn_sched_stir(); /* a descriptor, a signal */
        sn_sched.signalled |= is_signal(ev->addr);
        break;
    case SN_EV_BLOCK:
        sn_sched_stir();
        sn_sched_lock();
        sn_outside_enter(t, (int)ev->addr - 1, ev->value != 0, ev->pc);
        sn_sched_unlock();
        break;
    case SN_EV_UNBLOCK:
        sn_monitor_comes(t);
        sn_sched_lock();
        sn_outside_back(t);
        sn_sched_unlock();
        break;
    default:
        break;
    }
}

void sn_sched_shield(int how)
{
    uint64_t cancel = 1ull << 31; /* signal 32 */
    sn_sys4(SYS_rt_sigprocmask, how, &cancel, 0, sizeof cancel);
}

void sn_sched_meet(uintptr_t pc)
{
    static uintptr_t nowhere;
    if (!pc || pc == nowhere || sn_modules_contain(pc))
        return;
    sn_modules_refresh();
    if (!sn_modules_contain(pc))
        nowhere = pc;
}

void sn_engine_event(struct sn_thread *t, const struct sn_event *ev)
{
    if (!sn_sched.live && ev->op != SN_EV_START)
        return;
    sn_sched_meet(ev->pc);
    SN_SHIELD(t, SIG_BLOCK);
    take_event(t, ev);
    if (ev->op != SN_EV_END)
        SN_SHIELD(t, SIG_UNBLOCK);
}

enum sn_gate_answer sn_engine_gate(struct sn_thread *t, struct sn_event *ev)
{
    if (!sn_sched.live || sn_task_of(t)->wait == SN_WAIT_OVER)
        return SN_GO;
    if (ev->op == SN_EV_CREATE) {
        struct sn_thread *child = sn_thread_by_number((uint32_t)ev->value);
        if (child)
            await_child(child);
    }
    sn_sched_meet(ev->pc);
    SN_SHIELD(t, SIG_BLOCK);
    sn_sched_lock();
    sn_monitor_rejoin(t); /* from here on the lock keeps the monitor away */
    enum sn_gate_answer answer = sn_sched_gate(t, ev);
    sn_sched_unlock();
    SN_SHIELD(t, SIG_UNBLOCK);
    return answer;
}
