/*
 * delay.c: whether a delay is worth while, how it passes, and when it is over: the time is up, the
 * trap has served, or nobody can come any more. On a busy machine it may take up to three times as
 * long.
 */
#include "trap.h"

#include <time.h>

#include "core/options.h"
#include "runtime/hook.h"
#include "runtime/proc.h"

static bool waits(const struct sn_thread *o)
{
    return (__atomic_load_n(&o->wait_serial, __ATOMIC_SEQ_CST) & 1) ||
           __atomic_load_n(&sn_tsvd_of((struct sn_thread *)o)->reads, __ATOMIC_RELAXED);
}

static bool is_delayed(const struct sn_thread *o)
{
    return __atomic_load_n(&sn_tsvd_of((struct sn_thread *)o)->stands, __ATOMIC_RELAXED);
}

/* Every other thread waits for a lock, a message or the end of a thread: then nobody comes while
 * this one sleeps, and all wait for it in the end. but_delayed: those that are delayed do not count
 * either. */
static bool nobody_can_come(const struct sn_thread *t, bool but_delayed)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        const struct sn_thread *o = sn_thread_at(i);
        uint32_t state = __atomic_load_n(&o->state, __ATOMIC_RELAXED);
        if (o != t && (state == SN_T_NEW ||
                       (state == SN_T_RUNNING && !waits(o) && !(but_delayed && is_delayed(o)))))
            return false;
    }
    return true;
}

static bool waits_for_me(const struct sn_thread *t, const struct sn_thread *o)
{
    const struct sn_sync *lock = __atomic_load_n(&o->waits_for, __ATOMIC_RELAXED);
    return o != t && o->state == SN_T_RUNNING && lock && lock->owner == t->number + 1;
}

/* All others wait: what they do next comes after this point, since nobody else can wake them. No
 * long gap is needed to see that. A lock of this thread says so for good; of a message it may be
 * chance, that the others had nothing to do just then, so it must be seen twice. The others are
 * blocked, and what is written here is a hint only. */
static void order_waiters(const struct sn_thread *t)
{
    static uint32_t serial;
    uint32_t point = sn_tsvd_of((struct sn_thread *)t)->point;
    uint32_t mine = __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED) | 0x80000000u;
    if (sn_tsvd.gap == UINT64_MAX || sn_tsvd.mode != SN_TSVD)
        return;
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        struct sn_thread *o = sn_thread_at(i);
        if (o == t || o->state != SN_T_RUNNING || !waits(o))
            continue;
        struct sn_tsvd_thread *s = sn_tsvd_of(o);
        uint32_t sure = waits_for_me(t, o) ? 0 : mine;
        if (!s->after || s->after_serial != sure)
            s->nafter = 0;
        s->after_serial = sure;
        if (s->nafter < SN_MAX_CAUSES)
            s->after_point[s->nafter++] = point;
        s->after = (uint32_t)sn_opt.hb_window + 1;
    }
}

/* All others wait, or are delayed themselves: a delay would catch nobody, so there is none, and no
 * decay either. What it would tell is known without it. A place of an earlier run has no other
 * chance, perhaps: it does not care for those that are delayed. */
bool sn_delay_is_hopeless(const struct sn_thread *t, int action)
{
    if (nobody_can_come(t, false)) {
        order_waiters(t);
        return true;
    }
    return !(action & (SN_DO_NEW | SN_DO_NOW)) && sn_tsvd.mode <= SN_TSVD_HB &&
           nobody_can_come(t, true);
}

/* Somebody was caught, and no other pair of the place is left to be seen. */
static bool is_done(const struct sn_thread *t, struct sn_trap *const *trap, uint32_t n)
{
    uint32_t caught = 0, point = sn_tsvd_of((struct sn_thread *)t)->point;
    for (uint32_t i = 0; i < n; i++)
        caught |= __atomic_load_n(&trap[i]->caught, __ATOMIC_RELAXED);
    return caught && sn_tsvd.mode <= SN_TSVD_HB &&
           !__atomic_load_n(&sn_points[point].npairs, __ATOMIC_RELAXED);
}

uint64_t sn_delay_cpu_ns(void)
{
    struct timespec ts;
    sn_sys2(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The machine is busy: somebody wants to run, and the process had next to no processor time. */
bool sn_delay_is_starved(const struct sn_thread *t, uint64_t cpu_before)
{
    enum { LITTLE_NS = 2000000 };
    if (sn_delay_cpu_ns() - cpu_before > LITTLE_NS)
        return false;
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        const struct sn_thread *o = sn_thread_at(i);
        uint32_t state = __atomic_load_n(&o->state, __ATOMIC_RELAXED);
        if (o != t && (state == SN_T_NEW || (state == SN_T_RUNNING && !waits(o) && !is_delayed(o) &&
                                             !sn_proc_sleeps(o->kernel_tid))))
            return true;
    }
    return false;
}

/* A signal ends a sleep early: go on until the time is up, the trap has served, or nobody can come.
 */
void sn_delay_sleep(const struct sn_thread *t, uint64_t end_ns, struct sn_trap *const *trap,
                    uint32_t n)
{
    enum { FIRST_US = 1000, SLICE_US = 5000, FIRST = 3, GRACE = 4 };
    unsigned alone = 0, slices = 0, done = 0;
    uint64_t cpu = sn_delay_cpu_ns(), last_ns = end_ns + 2 * (end_ns - sn_now_ns());
    for (uint64_t now;
         (now = sn_now_ns()) < end_ns || (now < last_ns && sn_delay_is_starved(t, cpu));) {
        if (now >= end_ns)
            end_ns = now + SLICE_US * 1000;
        uint64_t left = (end_ns - now) / 1000 + 1, slice = slices++ < FIRST ? FIRST_US : SLICE_US;
        sn_sleep_us(left < slice ? left : slice);
        done = is_done(t, trap, n) ? done + 1 : 0;
        if (done == GRACE) /* who was caught has made its call: the program may well survive */
            return;
        alone = nobody_can_come(t, false) ? alone + 1 : 0;
        if (alone == 2) { /* twice: between two waits a thread may be at a point */
            order_waiters(t);
            return;
        }
    }
}

/* A thread runs that has not come to its first point, so that it may be about to. */
bool sn_delay_somebody_begins(const struct sn_thread *t)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        struct sn_thread *o = sn_thread_at(i);
        uint32_t state = __atomic_load_n(&o->state, __ATOMIC_RELAXED);
        if (o != t && o->number &&
            (state == SN_T_NEW || (state == SN_T_RUNNING && !waits(o) && !sn_tsvd_of(o)->begun)))
            return true;
    }
    return false;
}
