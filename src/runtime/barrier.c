/*
 * barrier.c: pthread_barrier_*. In a barrier's record `held_at` is the number of threads it was
 * made for and `readers` counts entries, so that an event can say its round: a thread that is slow
 * to leave one round is not ordered after those who have already come for the next.
 */
#include "runtime/deadlock.h"
#include "runtime/emit.h"
#include "runtime/misuse.h"
#include "runtime/mutex_state.h"
#include "runtime/real.h"

SN_EXPORT int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr,
                                   unsigned count)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return sn_pass(pthread_barrier_init)(b, attr, count);
    sn_misuse_barrier_count(t, count, pc);
    sn_misuse_init(t, (uintptr_t)b, SN_SYNC_BARRIER, pc);
    int r = sn_real.pthread_barrier_init(b, attr, count);
    if (r == 0) {
        sn_sync_drop((uintptr_t)b);
        struct sn_sync *s = sn_sync_get((uintptr_t)b, SN_SYNC_BARRIER);
        if (s)
            s->held_at = count;
        sn_misuse_born(t, s, pc);
    }
    sn_hook_leave(t);
    return r;
}

/* What comes from other processes is not counted: then all rounds are one. */
static uint64_t round_of_entry(struct sn_sync *s, const pthread_barrier_t *b)
{
    if (sn_barrier_shared(b))
        return 0;
    uint32_t before = __atomic_fetch_add(&s->readers, 1, __ATOMIC_RELAXED);
    return s->held_at ? before / s->held_at : 0;
}

static int wait_outside(struct sn_thread *t, struct sn_sync *s, pthread_barrier_t *b,
                        uint64_t round, uintptr_t pc)
{
    int r;
    if (s)
        sn_wait_message(t, s, (uint32_t)round, sn_ctx_where(t, pc));
    SN_OUTSIDE(t, r, sn_real.pthread_barrier_wait(b));
    sn_wait_end(t);
    return r;
}

SN_EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return sn_pass(pthread_barrier_wait)(b);
    sn_misuse_barrier(t, b, pc);
    struct sn_sync *s = sn_sync_get((uintptr_t)b, SN_SYNC_BARRIER);
    struct sn_event ev = {.op = SN_EV_BARRIER_ENTER,
                          .addr = (uintptr_t)b,
                          .pc = pc,
                          .sync = s,
                          .value = s ? round_of_entry(s, b) : 0};
    int r;
    sn_engine_event(t, &ev);
    if (sn_gate(t, &ev) == SN_DONE)
        r = ev.result;
    else
        r = wait_outside(t, s, b, ev.value, pc);
    SN_EMIT(t, BARRIER_LEAVE, .addr = (uintptr_t)b, .pc = pc, .sync = s, .value = ev.value);
    sn_hook_leave(t);
    return r;
}

/* glibc waits here until the last round's threads have left. */
SN_EXPORT int pthread_barrier_destroy(pthread_barrier_t *b)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return sn_pass(pthread_barrier_destroy)(b);
    int r;
    struct sn_sync *s = sn_sync_find((uintptr_t)b);
    if (s)
        sn_misuse_barrier_destroy(t, s, pc);
    else
        sn_misuse_barrier(t, b, pc);
    SN_OUTSIDE(t, r, sn_real.pthread_barrier_destroy(b));
    if (r == 0)
        sn_sync_drop((uintptr_t)b);
    sn_hook_leave(t);
    return r;
}
