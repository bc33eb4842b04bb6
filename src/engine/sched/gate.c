/*
 * gate.c: operations that may wait, done here. Locks and semaphores keep libc's own state: the real
 * try operation takes them, and who does not get one waits in the scheduler until it is given. What
 * has no try operation (condition variables, barriers, futexes) is done by the scheduler alone.
 *
 * Objects that other processes share are left to the kernel: the thread is outside meanwhile.
 */
#include "scheduler.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <time.h>

#include "core/sys.h"
#include "dfs.h"
#include "outside.h"
#include "plan.h"
#include "tally.h"
#include "runtime/mutex_state.h"
#include "runtime/real.h"

static bool tries_seen; /* a lock was tried in this process */

static void fill(struct sn_thread *t, const struct sn_event *ev)
{
    struct sn_task *k = sn_task_of(t);
    k->next = (struct sn_next){.op = ev->op,
                               .addr = ev->addr,
                               .pc = ev->pc,
                               .trying = (ev->flags & SN_EF_TRY) != 0,
                               .target = sn_sched_targets(ev->pc)};
}

/* Before the operation: others may come first. */
static void point(struct sn_thread *t, const struct sn_event *ev)
{
    fill(t, ev);
    sn_sched_point(t);
}

static enum sn_gate_answer done(struct sn_event *ev, int result)
{
    ev->result = result;
    return SN_DONE;
}

static enum sn_gate_answer failed(struct sn_event *ev, int error)
{
    errno = error;
    return done(ev, -1);
}

/* libc acts on a request to end at its own waits: the real call follows. */
static bool is_cancelled(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    bool cancelled = k->cancelled && !(t->cancel_mode & SN_CANCEL_DISABLED);
    if (cancelled)
        k->cancelled = 0;
    return cancelled;
}

/* For dfs: what a thread does between its points. */
static void touch(struct sn_thread *t, uintptr_t addr, bool write)
{
    if (sn_dfs)
        sn_dfs_touch(t, addr, 1, write);
}

/* glibc lets no reader in while a writer waits, of a lock of that kind. The writers wait here. */
static bool yields_to_writer(const struct sn_event *ev)
{
    const pthread_rwlock_t *l = (const pthread_rwlock_t *)ev->addr;
    return ev->op == SN_EV_RDLOCK &&
           l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP &&
           sn_wait_is_awaited(ev->addr, SN_WAIT_LOCK);
}

static enum sn_gate_answer in_vain(struct sn_thread *t, struct sn_event *ev, int error)
{
    sn_tally_step(t, ev->op, ev->addr, ev->pc, SN_STEP_FAILS);
    return done(ev, error);
}

static int try_once(const struct sn_event *ev)
{
    if (yields_to_writer(ev))
        return EBUSY;
    if (ev->flags & SN_EF_SPIN)
        return sn_real.pthread_spin_trylock((pthread_spinlock_t *)ev->addr);
    if (ev->op == SN_EV_RDLOCK)
        return sn_real.pthread_rwlock_tryrdlock((pthread_rwlock_t *)ev->addr);
    if (ev->flags & SN_EF_RWLOCK)
        return sn_real.pthread_rwlock_trywrlock((pthread_rwlock_t *)ev->addr);
    return sn_real.pthread_mutex_trylock((pthread_mutex_t *)ev->addr);
}

/* libc itself answers at once: an error-checking mutex or an rwlock that the thread holds. */
static bool refuses(const struct sn_thread *t, const struct sn_event *ev)
{
    if (ev->sync->owner != t->number + 1 || (ev->flags & SN_EF_SPIN))
        return false;
    if (ev->flags & SN_EF_RWLOCK)
        return true;
    return (sn_mutex_kind((pthread_mutex_t *)ev->addr) & SN_MUTEX_TYPE_MASK) ==
           PTHREAD_MUTEX_ERRORCHECK;
}

static bool is_shared(const struct sn_event *ev)
{
    if (ev->flags & SN_EF_SPIN)
        return false;
    return ev->flags & SN_EF_RWLOCK
               ? sn_rwlock_shared((pthread_rwlock_t *)ev->addr)
               : (sn_mutex_kind((pthread_mutex_t *)ev->addr) & SN_MUTEX_SHARED) != 0;
}

static enum sn_gate_answer lock(struct sn_thread *t, struct sn_event *ev)
{
    enum sn_wait why = ev->op == SN_EV_RDLOCK ? SN_WAIT_RDLOCK : SN_WAIT_LOCK;
    uint64_t deadline = sn_wait_deadline(ev->arg, (int)ev->value);
    if (!ev->sync)
        return SN_GO;
    tries_seen |= (ev->flags & SN_EF_TRY) != 0;
    fill(t, ev);
    sn_task_of(t)->next.mutex =
        deadline == SN_NEVER && !(ev->flags & (SN_EF_TRY | SN_EF_SPIN | SN_EF_RWLOCK));
    sn_sched_point(t);
    if (ev->sync->kind == SN_SYNC_LIBRARY) /* the library waits, at a futex */
        return SN_GO;
    for (;;) {
        int r = try_once(ev);
        if (r != EBUSY || (ev->flags & SN_EF_TRY)) {
            sn_task_of(t)->vain = r == EBUSY;
            return r == EBUSY ? in_vain(t, ev, r) : done(ev, r);
        }
        if (refuses(t, ev))
            return SN_GO;
        if (is_shared(ev))
            return done(ev, sn_outside_lock(t, ev));
        if (!sn_wait_on(t, why, ev->addr, deadline, ev->pc)) {
            sn_wait_wake(ev->addr, SN_WAIT_RDLOCK, UINT32_MAX); /* they may have waited for it */
            return in_vain(t, ev, ETIMEDOUT);
        }
    }
}

static void given(uintptr_t addr)
{
    sn_wait_wake(addr, SN_WAIT_LOCK, UINT32_MAX);
    sn_wait_wake(addr, SN_WAIT_RDLOCK, UINT32_MAX);
}

static int real_unlock(const struct sn_event *ev)
{
    if (ev->flags & SN_EF_SPIN)
        return sn_real.pthread_spin_unlock((pthread_spinlock_t *)ev->addr);
    if (ev->flags & SN_EF_RWLOCK)
        return sn_real.pthread_rwlock_unlock((pthread_rwlock_t *)ev->addr);
    return sn_real.pthread_mutex_unlock((pthread_mutex_t *)ev->addr);
}

static void point_after(struct sn_thread *t, const struct sn_event *ev)
{
    fill(t, ev);
    sn_task_of(t)->next.after = 1;
    sn_sched_point(t);
}

/* Does a thread stand before an attempt to take it? Only that, and no wait, can tell that a lock is
 * held for a moment. */
static bool is_tried(uintptr_t addr)
{
    const struct sn_set *ready = &sn_sched.set[SN_SET_READY];
    for (uint32_t i = 0; tries_seen && i < ready->n; i++) {
        const struct sn_next *n = &sn_task_of(ready->t[i])->next;
        if (n->trying && n->addr == addr)
            return true;
    }
    return false;
}

/* A place of its own, so that a plan can mean it and not the point after: one byte less is still in
 * the call. */
static void point_inside(struct sn_thread *t, const struct sn_event *ev)
{
    fill(t, ev);
    sn_task_of(t)->next.pc--;
    sn_sched_point(t);
}

/* The point comes after: what was given can be taken before the thread does anything else. Before
 * it, too, when the plan names the place. */
static enum sn_gate_answer unlock(struct sn_thread *t, struct sn_event *ev)
{
    if (!ev->sync)
        return SN_GO;
    if (ev->sync->kind == SN_SYNC_LIBRARY) { /* the library has done it */
        touch(t, ev->addr, ev->op != SN_EV_RDUNLOCK);
        given(ev->addr);
        point_after(t, ev);
        return SN_DONE;
    }
    if (!sn_plan.after && sn_sched_targets(ev->pc))
        point(t, ev);
    else if (is_tried(ev->addr))
        point_inside(t, ev);
    int r = real_unlock(ev);
    touch(t, ev->addr, ev->op != SN_EV_RDUNLOCK);
    given(ev->addr);
    point_after(t, ev);
    return done(ev, r);
}

static int lock_again(struct sn_thread *t, pthread_mutex_t *m, uintptr_t pc)
{
    int r;
    while ((r = sn_real.pthread_mutex_trylock(m)) == EBUSY)
        sn_wait_on(t, SN_WAIT_LOCK, (uintptr_t)m, SN_NEVER, pc);
    sn_task_of(t)->woken_cond = 0;
    touch(t, (uintptr_t)m, true);
    return r;
}

/* value = the mutex, size = the clock. */
static enum sn_gate_answer cond_wait(struct sn_thread *t, struct sn_event *ev)
{
    pthread_mutex_t *m = (pthread_mutex_t *)ev->value;
    uint64_t deadline = sn_wait_deadline(ev->arg, (int)ev->size);
    if (sn_cond_shared((pthread_cond_t *)ev->addr))
        return SN_GO;
    if (is_cancelled(t))
        return SN_GO;
    fill(t, ev);
    int r = sn_real.pthread_mutex_unlock(m);
    if (r != 0)
        return done(ev, r);
    given((uintptr_t)m);
    touch(t, (uintptr_t)m, true);
    touch(t, ev->addr, true);
    sn_task_of(t)->woken_cond = (uintptr_t)m;
    bool woken = sn_wait_on(t, SN_WAIT_COND, ev->addr, deadline, ev->pc);
    r = lock_again(t, m, ev->pc);
    if (r == 0 && is_cancelled(t))
        return SN_GO;
    return done(ev, r ? r : woken ? 0 : ETIMEDOUT);
}

static enum sn_gate_answer cond_wake(struct sn_thread *t, struct sn_event *ev)
{
    if (sn_cond_shared((pthread_cond_t *)ev->addr))
        return SN_GO;
    point(t, ev);
    sn_wait_wake(ev->addr, SN_WAIT_COND, ev->op == SN_EV_COND_SIGNAL ? 1 : UINT32_MAX);
    return done(ev, 0);
}

/* The record's held_at is the number of threads the barrier was made for. */
static enum sn_gate_answer barrier(struct sn_thread *t, struct sn_event *ev)
{
    struct sn_sync *s = ev->sync;
    if (!s || !s->held_at)
        return SN_GO;
    if (sn_barrier_shared((pthread_barrier_t *)ev->addr))
        return done(ev, sn_outside_barrier(t, ev));
    point(t, ev);
    if (++s->engine[0] < s->held_at) {
        sn_wait_on(t, SN_WAIT_BARRIER, ev->addr, SN_NEVER, ev->pc);
        return done(ev, 0);
    }
    s->engine[0] = 0;
    sn_wait_wake(ev->addr, SN_WAIT_BARRIER, UINT32_MAX);
    return done(ev, PTHREAD_BARRIER_SERIAL_THREAD);
}

/* glibc's semaphore has the flag of its futex in the third word. */
static bool sem_is_shared(uintptr_t sem)
{
    return ((const int *)sem)[2] != 0;
}

static enum sn_gate_answer sem_take(struct sn_thread *t, struct sn_event *ev)
{
    uint64_t deadline = sn_wait_deadline(ev->arg, (int)ev->value);
    point(t, ev);
    while (sn_real.sem_trywait((sem_t *)ev->addr) != 0) {
        if (errno != EAGAIN || (ev->flags & SN_EF_TRY)) {
            sn_task_of(t)->vain = 1;
            return in_vain(t, ev, -1);
        }
        if (is_cancelled(t))
            return SN_GO;
        if (sem_is_shared(ev->addr))
            return done(ev, sn_outside_sem(t, ev));
        /* glibc counts who waits in the upper half: sem_destroy() of one in use shows by it */
        __atomic_add_fetch((uint64_t *)ev->addr, 1ull << 32, __ATOMIC_RELAXED);
        bool woken = sn_wait_on(t, SN_WAIT_SEM, ev->addr, deadline, ev->pc);
        __atomic_sub_fetch((uint64_t *)ev->addr, 1ull << 32, __ATOMIC_RELAXED);
        if (!woken)
            return failed(ev, ETIMEDOUT);
        if (sn_task_of(t)->eintr)
            return failed(ev, EINTR);
    }
    return done(ev, 0);
}

static enum sn_gate_answer sem_give(struct sn_thread *t, struct sn_event *ev)
{
    point(t, ev);
    int r = sn_real.sem_post((sem_t *)ev->addr);
    sn_wait_wake(ev->addr, SN_WAIT_SEM, UINT32_MAX);
    return done(ev, r);
}

/* addr = the handle. The real join follows: the thread is over, so it does not wait for long. */
static enum sn_gate_answer join(struct sn_thread *t, struct sn_event *ev)
{
    struct sn_thread *child = sn_thread_by_pthread(ev->addr);
    uint64_t deadline = sn_wait_deadline(ev->arg, (int)ev->size);
    point(t, ev);
    if (!child || child == t)
        return SN_GO;
    while (sn_task_of(child)->wait != SN_WAIT_OVER) {
        if (ev->flags & SN_EF_TRY) {
            sn_task_of(t)->vain = 1;
            return done(ev, EBUSY);
        }
        if (is_cancelled(t))
            return SN_GO;
        if (!sn_wait_on(t, SN_WAIT_JOIN, (uintptr_t)child, deadline, ev->pc))
            return done(ev, ETIMEDOUT);
    }
    return SN_GO;
}

static uint64_t futex_deadline(const struct sn_event *ev)
{
    const struct timespec *limit = ev->arg;
    int cmd = (int)ev->size & FUTEX_CMD_MASK;
    if (!limit)
        return SN_NEVER;
    if (cmd == FUTEX_WAIT)
        return sn_sched.now + (uint64_t)limit->tv_sec * 1000000000u + (uint64_t)limit->tv_nsec;
    return sn_wait_deadline(limit, (int)ev->size & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME
                                                                        : CLOCK_MONOTONIC);
}

/* addr = the word, value = what it should be, size = the futex operation, sync = a library's lock
 * that the word is. */
static enum sn_gate_answer futex_wait(struct sn_thread *t, struct sn_event *ev)
{
    uint64_t deadline = futex_deadline(ev);
    point(t, ev);
    if (__atomic_load_n((uint32_t *)ev->addr, __ATOMIC_SEQ_CST) != (uint32_t)ev->value) {
        sn_task_of(t)->vain = 1;
        return failed(ev, EAGAIN);
    }
    enum sn_wait why = ev->sync && ev->sync->owner ? SN_WAIT_LOCK : SN_WAIT_FUTEX;
    uintptr_t key = why == SN_WAIT_LOCK ? ev->sync->addr : ev->addr;
    if (!sn_wait_on(t, why, key, deadline, ev->pc))
        return failed(ev, ETIMEDOUT);
    return sn_task_of(t)->eintr ? failed(ev, EINTR) : done(ev, 0);
}

/* value = how many. */
static enum sn_gate_answer futex_wake(struct sn_thread *t, struct sn_event *ev)
{
    point(t, ev);
    uint32_t most = ev->value > INT32_MAX ? INT32_MAX : (uint32_t)ev->value;
    uint32_t n = most ? sn_wait_wake(ev->addr, SN_WAIT_FUTEX, most) : 0;
    if (n < most)
        n += sn_wait_wake(ev->addr, SN_WAIT_LOCK, most - n); /* a library's lock */
    return done(ev, (int)n);
}

/* The flag says 1 while somebody runs the initialiser. */
static enum sn_gate_answer once(struct sn_thread *t, struct sn_event *ev)
{
    point(t, ev);
    while ((__atomic_load_n((int *)ev->addr, __ATOMIC_ACQUIRE) & 3) == 1)
        sn_wait_on(t, SN_WAIT_ONCE, ev->addr, SN_NEVER, ev->pc);
    return SN_GO;
}

/* A process that waits for its children by sleeping (for a server's port, say) needs real time. */
static bool waits_for_children(void)
{
    siginfo_t info;
    return sn_sched_alone() &&
           sn_sys6(SYS_waitid, P_ALL, 0, &info, WNOHANG | WNOWAIT | WEXITED, 0, 0) == 0;
}

/* A sleep of no length only yields. Answered: value = what was left. */
static enum sn_gate_answer nap(struct sn_thread *t, struct sn_event *ev)
{
    uint64_t end = sn_sched.now + ev->value;
    struct sn_task *k = sn_task_of(t);
    fill(t, ev);
    if (is_cancelled(t) || waits_for_children())
        return SN_GO;
    sn_wait_on(t, SN_WAIT_SLEEP, 0, end, ev->pc);
    if (is_cancelled(t))
        return SN_GO;
    ev->value = k->eintr && end > sn_sched.now ? end - sn_sched.now : 0;
    return done(ev, k->eintr ? -1 : 0);
}

enum sn_gate_answer sn_sched_gate(struct sn_thread *t, struct sn_event *ev)
{
    switch (ev->op) {
    case SN_EV_LOCK:
    case SN_EV_RDLOCK:
        return lock(t, ev);
    case SN_EV_UNLOCK:
    case SN_EV_RDUNLOCK:
        return unlock(t, ev);
    case SN_EV_COND_WAKE:
        return cond_wait(t, ev);
    case SN_EV_COND_SIGNAL:
    case SN_EV_COND_BROADCAST:
        return cond_wake(t, ev);
    case SN_EV_BARRIER_ENTER:
        return barrier(t, ev);
    case SN_EV_SEM_WAIT:
        return sem_take(t, ev);
    case SN_EV_SEM_POST:
        return sem_give(t, ev);
    case SN_EV_JOIN:
        return join(t, ev);
    case SN_EV_ACQUIRE:
        return futex_wait(t, ev);
    case SN_EV_RELEASE_MERGE:
        return futex_wake(t, ev);
    case SN_EV_ONCE_SEEN:
        return once(t, ev);
    case SN_EV_SLEEP:
        return nap(t, ev);
    case SN_EV_CLOCK:
    case SN_EV_TIMER:
        return sn_clock_gate(t, ev);
    case SN_EV_CREATE:
        point(t, ev);
        return SN_DONE;
    case SN_EV_YIELD:
        point(t, ev);
        return done(ev, 0);
    default:
        return SN_GO;
    }
}
