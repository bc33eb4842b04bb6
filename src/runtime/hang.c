/*
 * hang.c: no thread can ever go on. A wakeup that was lost, a semaphore that nobody posts any more,
 * a barrier that one thread will never reach: each thread waits for something that only another
 * thread could give, and the last one is about to block.
 *
 * It is said only when it is proven. Every thread that the kernel has in this process is known and
 * blocked without a time limit in a private object whose state says that it cannot be released: a
 * lock with a holder, a condition variable without a signal since the wait began, a semaphore at
 * zero without a post since, an incomplete barrier round, a join of a thread that has not ended.
 * Nobody was cancelled, and no signal is caught, so no handler can come. The thread that looks has
 * not blocked yet, so nothing is delayed that could still happen; it looks again and again for a
 * second before it believes it.
 *
 * A child that a watched process has forked may wait for its parent to kill it: of such a one
 * nothing is said until it has called exec. A program that is meant to sit there until somebody
 * ends it is told by `snag race --allow-idle`.
 */
#include "runtime/hang.h"

#include <fcntl.h>

#include "core/hash.h"
#include "core/options.h"
#include "core/spin.h"
#include "runtime/draft.h"
#include "runtime/hook.h"
#include "runtime/locks.h"
#include "runtime/mutex_state.h"
#include "runtime/proc.h"

enum {
    LOOKS = 40,
    BETWEEN_US = 25000,
    MAX_SHOWN = 32, /* threads in the report */
};

static uint32_t running SN_HOT =
    1; /* known threads that have not ended, the main thread first; atomic */
static uint32_t waiting SN_HOT; /* of them, those in sn_wait_*; atomic */
static uint32_t lock;           /* one looks at a time */
static bool has_parent;         /* a process that snag watches has forked this one */

void sn_hang_thread(int change)
{
    __atomic_fetch_add(&running, (uint32_t)change, __ATOMIC_SEQ_CST);
}

static bool lock_is_held(const struct sn_sync *s, bool shared)
{
    if (s->flags & SN_LOCK_FOREIGN)
        return false;
    return __atomic_load_n(&s->owner, __ATOMIC_SEQ_CST) ||
           (!shared && s->kind == SN_SYNC_RWLOCK && sn_lock_is_read(s));
}

/* glibc's semaphore: value, number of waiters, shared or not. */
static bool semaphore_is_zero(const struct sn_sync *s)
{
    const uint32_t *sem = (const uint32_t *)s->addr;
    return __atomic_load_n(&sem[0], __ATOMIC_SEQ_CST) == 0 && sem[2] == 0;
}

static bool is_private(const struct sn_sync *s)
{
    switch (s->kind) {
    case SN_SYNC_COND:
        return !sn_cond_shared((const pthread_cond_t *)s->addr);
    case SN_SYNC_BARRIER:
        return !sn_barrier_shared((const pthread_barrier_t *)s->addr);
    case SN_SYNC_SPIN: /* says nothing about itself */
        return false;
    default:
        return true; /* mutexes and rwlocks that are shared are not watched at all */
    }
}

static bool is_stuck_at(const struct sn_thread *t, const struct sn_sync *s)
{
    if (!is_private(s))
        return false;
    uint32_t given = __atomic_load_n(&s->given, __ATOMIC_SEQ_CST);
    switch (s->kind) {
    case SN_SYNC_MUTEX:
    case SN_SYNC_RWLOCK:
    case SN_SYNC_LIBRARY:
        return lock_is_held(s, t->waits_shared);
    case SN_SYNC_COND:
        return given == t->waits_seen;
    case SN_SYNC_SEM:
        return given == t->waits_seen && semaphore_is_zero(s);
    case SN_SYNC_BARRIER:
        return s->held_at &&
               __atomic_load_n(&s->readers, __ATOMIC_SEQ_CST) / s->held_at == t->waits_seen;
    default:
        return false;
    }
}

/* me: about to wait, or about to end. */
static bool is_stuck(const struct sn_thread *t, const struct sn_thread *me)
{
    if (!(__atomic_load_n(&t->wait_serial, __ATOMIC_SEQ_CST) & 1) ||
        __atomic_load_n(&t->cancelled, __ATOMIC_SEQ_CST))
        return false;
    uint32_t joined = __atomic_load_n(&t->waits_thread, __ATOMIC_SEQ_CST);
    if (joined) {
        const struct sn_thread *u = sn_thread_by_number(joined - 1);
        bool refused =
            u && u->waits_thread == t->number + 1; /* glibc sees two that join each other */
        if (!u || refused || u->state != SN_T_RUNNING || (u == me && !(me->wait_serial & 1)))
            return false;
        return true;
    }
    const struct sn_sync *s = __atomic_load_n(&t->waits_for, __ATOMIC_SEQ_CST);
    return s && is_stuck_at(t, s);
}

/* Everyone else must be asleep in the kernel. Asked last: these are system calls. */
static bool all_sleep(const struct sn_thread *me, int alive)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        const struct sn_thread *t = sn_thread_at(i);
        if (t != me && __atomic_load_n(&t->state, __ATOMIC_SEQ_CST) == SN_T_RUNNING &&
            !sn_proc_sleeps(t->kernel_tid))
            return false;
    }
    return sn_proc_threads() == alive && !sn_proc_catches_signals();
}

/* A sum over the wait serials, so that two looks can be compared; 0: somebody can go on. */
static uint64_t look(const struct sn_thread *me, bool ending)
{
    uint64_t sum = 0;
    int alive = 0;
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        const struct sn_thread *t = sn_thread_at(i);
        uint32_t state = __atomic_load_n(&t->state, __ATOMIC_SEQ_CST);
        if (state == SN_T_NEW)
            return 0;
        if (state != SN_T_RUNNING)
            continue;
        alive++;
        if (ending && t == me)
            continue;
        if (!is_stuck(t, me))
            return 0;
        sum = sum * 31 + (t->number + 1) * 7919ull + t->wait_serial;
    }
    return all_sleep(me, alive) ? sum : 0;
}

static const char *call_of(const struct sn_thread *t)
{
    if (t->waits_thread)
        return "pthread_join";
    switch (t->waits_for->kind) {
    case SN_SYNC_COND:
        return "pthread_cond_wait";
    case SN_SYNC_SEM:
        return "sem_wait";
    case SN_SYNC_BARRIER:
        return "pthread_barrier_wait";
    default:
        return 0;
    }
}

static void add_site(struct sn_draft *d, struct sn_thread *t)
{
    const char *call = call_of(t);
    uintptr_t addr = t->waits_for ? t->waits_for->addr : 0;
    sn_draft_site(d, t, call ? SN_OP_CALL : SN_OP_LOCK, t->waits_where, addr, 0, true,
                  call ? call : "waits for");
}

static void write_finding(void)
{
    uint64_t key = 0;
    int shown = 0;
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++)
        if (sn_thread_at(i)->state == SN_T_RUNNING)
            key += sn_hash_mix(sn_thread_at(i)->waits_where);
    struct sn_draft *d = sn_draft_begin(
        SN_KIND_DEADLOCK, SN_OBSERVED, key,
        "no thread can go on: each waits for something that only another one could give");
    if (!d)
        return;
    for (uint32_t i = 0, n = sn_thread_count(); i < n && shown < MAX_SHOWN; i++) {
        struct sn_thread *t = sn_thread_at(i);
        if (t->state == SN_T_RUNNING && (t->wait_serial & 1)) {
            add_site(d, t);
            shown++;
        }
    }
    sn_draft_commit(d);
}

static bool stays_so(const struct sn_thread *me, bool ending)
{
    uint64_t first = look(me, ending);
    for (int i = 0; first && i < LOOKS; i++) {
        sn_sleep_us(BETWEEN_US);
        if (look(me, ending) != first)
            return false;
    }
    return first != 0;
}

static SN_NOINLINE void look_closer(struct sn_thread *me, bool ending)
{
    if (!sn_opt.deadlock || !sn_opt.hang || has_parent ||
        __atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
        return;
    if (stays_so(me, ending)) {
        write_finding();
        sn_runtime_stop((int)sn_opt.deadlock_exit);
    }
    sn_spin_unlock(&lock);
}

void sn_hang_wait_begins(struct sn_thread *me)
{
    uint32_t now = __atomic_add_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
    if (SN_UNLIKELY(now >= __atomic_load_n(&running, __ATOMIC_SEQ_CST)))
        look_closer(me, false);
}

void sn_hang_wait_ended(void)
{
    __atomic_fetch_sub(&waiting, 1, __ATOMIC_SEQ_CST);
}

void sn_hang_thread_ends(struct sn_thread *me)
{
    if (__atomic_load_n(&waiting, __ATOMIC_SEQ_CST) + 1 >=
        __atomic_load_n(&running, __ATOMIC_SEQ_CST))
        look_closer(me, true);
    sn_hang_thread(-1);
}

void sn_hang_forked(const struct sn_thread *self)
{
    lock = 0;
    has_parent = true;
    running = self ? 1 : 0;
    waiting = self && (self->wait_serial & 1);
}
