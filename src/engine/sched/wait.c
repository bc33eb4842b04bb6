/* wait.c: the queue of those who wait, and virtual time: it goes on only when nobody can run. */
#include "dfs.h"
#include "strategy.h"
#include "tally.h"

#include <time.h>

#include "core/sys.h"
#include "runtime/mutex_state.h"

static void enqueue(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    k->prev = sn_sched.last;
    k->follow = 0;
    if (sn_sched.last)
        sn_task_of(sn_sched.last)->follow = t;
    else
        sn_sched.first = t;
    sn_sched.last = t;
}

bool sn_wait_has_limit(const struct sn_thread *t)
{
    const struct sn_task *k = (const struct sn_task *)t->engine;
    return k->wait > SN_WAIT_BIRTH && k->wait < SN_WAIT_SLEEP && k->deadline != SN_NEVER;
}

void sn_wait_forget(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    sn_sched.limited -= sn_wait_has_limit(t);
    if (k->prev)
        sn_task_of(k->prev)->follow = k->follow;
    else
        sn_sched.first = k->follow;
    if (k->follow)
        sn_task_of(k->follow)->prev = k->prev;
    else
        sn_sched.last = k->prev;
    if (k->wait == SN_WAIT_SLEEP)
        sn_sched.sleeping--;
    if (k->wait == SN_WAIT_COND)
        sn_sched.in_cond--;
    k->wait = SN_WAIT_NOTHING;
}

void sn_wait_wake_one(struct sn_thread *t)
{
    sn_wait_forget(t);
    sn_task_of(t)->woken = 1;
    sn_set_put(t, SN_SET_READY);
}

static void begin(struct sn_thread *t, enum sn_wait why, uintptr_t key, uint64_t deadline,
                  uintptr_t pc)
{
    struct sn_task *k = sn_task_of(t);
    k->points++;
    k->wait = (uint8_t)why;
    k->key = key;
    k->wait_pc = pc;
    k->deadline = deadline;
    k->woken = k->timed_out = k->eintr = 0;
    sn_set_put(t, SN_SET_NONE);
    enqueue(t);
    sn_sched.sleeping += why == SN_WAIT_SLEEP;
    sn_sched.in_cond += why == SN_WAIT_COND;
    sn_sched.limited += sn_wait_has_limit(t);
    if (deadline == SN_NEVER)
        sn_cycle_check(t);
}

bool sn_wait_on(struct sn_thread *t, enum sn_wait why, uintptr_t key, uint64_t deadline,
                uintptr_t pc)
{
    begin(t, why, key, deadline, pc);
    sn_sched_leave(t);
    return !sn_task_of(t)->timed_out;
}

/* The mutex that t takes as soon as it goes on; null: none, or libc may answer otherwise. */
static const pthread_mutex_t *about_to_lock(const struct sn_task *k)
{
    if (k->interrupted)
        return 0;
    if (k->woken_cond)
        return k->timed_out || k->eintr ? 0 : (const pthread_mutex_t *)k->woken_cond;
    return k->next.mutex ? (const pthread_mutex_t *)k->next.addr : 0;
}

bool sn_wait_instead(struct sn_thread *t)
{
    const struct sn_task *k = sn_task_of(t);
    const pthread_mutex_t *m = sn_dfs || t->sig_pending ? 0 : about_to_lock(k);
    if (!m || (sn_mutex_kind(m) & ~SN_MUTEX_TYPE_MASK) || !sn_mutex_is_locked(m) ||
        sn_mutex_holder(m) == (int)t->kernel_tid)
        return false;
    begin(t, SN_WAIT_LOCK, (uintptr_t)m, SN_NEVER, k->next.pc);
    return true;
}

static bool waits_for(struct sn_thread *t, uintptr_t key, enum sn_wait why)
{
    const struct sn_task *k = sn_task_of(t);
    return k->key == key && k->wait == why;
}

bool sn_wait_is_awaited(uintptr_t key, enum sn_wait why)
{
    struct sn_thread *t = sn_sched.first;
    while (t && !waits_for(t, key, why))
        t = sn_task_of(t)->follow;
    return t != 0;
}

/* Of those who wait for the same signal any may get it. */
static struct sn_thread *pick_one(uintptr_t key, enum sn_wait why)
{
    enum { MOST = 256 };
    static struct sn_thread *among[MOST];
    uint32_t n = 0;
    for (struct sn_thread *t = sn_sched.first; t && n < MOST; t = sn_task_of(t)->follow)
        if (waits_for(t, key, why))
            among[n++] = t;
    if (n < 2)
        return n ? among[0] : 0;
    struct sn_thread *by = sn_sched.current;
    uint32_t i = sn_strategy->choose ? sn_strategy->choose(by, among, n) : sn_sched_below(n);
    if (by)
        sn_tally_choice(SN_LOG_CHOICE, by, among[i]);
    return among[i];
}

uint32_t sn_wait_wake(uintptr_t key, enum sn_wait why, uint32_t most)
{
    uint32_t n = 0;
    if (most == 1) {
        struct sn_thread *t = pick_one(key, why);
        if (t)
            sn_wait_wake_one(t);
        return t != 0;
    }
    for (struct sn_thread *t = sn_sched.first, *follow; t && n < most; t = follow) {
        follow = sn_task_of(t)->follow;
        if (waits_for(t, key, why)) {
            sn_wait_wake_one(t);
            n++;
        }
    }
    return n;
}

struct sn_thread *sn_wait_earliest(bool sleepers_only)
{
    struct sn_thread *best = 0;
    for (struct sn_thread *t = sn_sched.first; t; t = sn_task_of(t)->follow) {
        const struct sn_task *k = sn_task_of(t);
        if (k->deadline == SN_NEVER || (sleepers_only && k->wait != SN_WAIT_SLEEP))
            continue;
        if (!best || k->deadline < sn_task_of(best)->deadline)
            best = t;
    }
    return best;
}

void sn_wait_time_out(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    if (k->deadline > sn_sched.now)
        sn_sched.now = k->deadline;
    sn_wait_wake_one(t);
    k->timed_out = 1;
}

bool sn_wait_fire(bool sleepers_only)
{
    struct sn_thread *t = sn_wait_earliest(sleepers_only);
    if (t)
        sn_wait_time_out(t);
    return t != 0;
}

uint64_t sn_wait_deadline(const void *abstime, int clock)
{
    const struct timespec *limit = abstime;
    if (!limit)
        return SN_NEVER;
    if (limit->tv_sec < 0)
        return sn_sched.now;
    uint64_t end = (uint64_t)limit->tv_sec * 1000000000u + (uint64_t)limit->tv_nsec;
    uint64_t now = sn_clock_ns(clock);
    return sn_sched.now + (end > now ? end - now : 0);
}
