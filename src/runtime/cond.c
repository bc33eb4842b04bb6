/*
 * cond.c: condition variables, POSIX and C11.
 *
 * A wait is UNLOCK, the real wait, LOCK, COND_WAKE. When the thread is cancelled inside, glibc has
 * taken the mutex again before the cleanup handlers run: snag's handler, the innermost, then says
 * so. In a condition variable's record `readers` counts the waiters, `held_at` is the mutex that
 * they use (folded to 32 bits) and `given` counts signals, all under the record's guard.
 */
#include "runtime/locks.h"

#include <errno.h>
#include <time.h>

#include "runtime/deadlock.h"
#include "runtime/emit.h"
#include "runtime/misuse.h"
#include "runtime/mutex_state.h"
#include "runtime/real.h"

enum how { WAIT, TIMED, CLOCK };

struct wait_call {
    pthread_cond_t *c;
    pthread_mutex_t *m;
    enum how how;
    clockid_t clock;
    const struct timespec *limit;
    uintptr_t pc;
    struct sn_thread *self;
    struct sn_sync *cond;
    bool gave;     /* the mutex was let go */
    uint32_t seen; /* signals before the wait */
};

static int real_wait(const struct wait_call *w)
{
    switch (w->how) {
    case TIMED:
        return sn_pass(pthread_cond_timedwait)(w->c, w->m, w->limit);
    case CLOCK:
        return sn_pass(pthread_cond_clockwait)(w->c, w->m, w->clock, w->limit);
    default:
        return sn_pass(pthread_cond_wait)(w->c, w->m);
    }
}

static void enter_wait(struct wait_call *w)
{
    uint32_t mutex = (uint32_t)((uintptr_t)w->m >> 3);
    struct sn_sync *s = w->cond = sn_sync_get((uintptr_t)w->c, SN_SYNC_COND);
    bool two = false;
    if (s) {
        sn_sync_lock(s);
        two = s->readers && s->held_at != mutex && !(s->flags & SN_COND_WOKEN);
        s->readers++;
        s->held_at = mutex;
        s->flags &= (uint16_t)~SN_COND_WOKEN;
        w->seen = s->given;
        sn_sync_unlock(s);
    }
    if (two)
        sn_misuse_cond_two_mutexes(w->self, w->c, w->pc);
    w->gave = sn_mutex_wait_gives(w->self, w->m, (uintptr_t)w->c, w->pc);
    if (s && w->how == WAIT) /* only now: whoever waits for the mutex will get it */
        sn_wait_message(w->self, s, w->seen, sn_ctx_where(w->self, w->pc));
}

static void leave_wait(struct wait_call *w, uint8_t flags)
{
    sn_wait_end(w->self);
    if (w->cond) {
        sn_sync_lock(w->cond);
        if (w->cond->readers)
            w->cond->readers--;
        sn_sync_unlock(w->cond);
    }
    sn_mutex_wait_took(w->self, w->m, w->gave, flags, (uintptr_t)w->c, w->pc);
}

static void cancelled(void *p)
{
    struct wait_call *w = p;
    sn_hook_resume(w->self);
    leave_wait(w, 0);
    sn_hook_leave(w->self);
}

static SN_NOINLINE int wait_outside(struct wait_call *w)
{
    volatile int r;
    pthread_cleanup_push(cancelled, w);
    SN_OUTSIDE(w->self, r, real_wait(w));
    pthread_cleanup_pop(0);
    return r;
}

/* The mutex was not taken again: it cannot be, or the wait never began. */
static bool without_mutex(int r)
{
    return r == ENOTRECOVERABLE;
}

/* pthread_cond_timedwait uses the clock of the condition variable's attributes. */
static clockid_t clock_of(const struct wait_call *w)
{
    if (w->how == CLOCK)
        return w->clock;
    return sn_cond_monotonic(w->c) ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

static int wait_on(struct wait_call *w)
{
    struct sn_thread *t = w->self = sn_enter(w->pc);
    if (!t)
        return real_wait(w);
    uint8_t flags = w->limit ? SN_EF_TIMED : 0;
    struct sn_event ev = {.op = SN_EV_COND_WAKE,
                          .flags = flags,
                          .addr = (uintptr_t)w->c,
                          .size = (uint64_t)clock_of(w),
                          .value = (uintptr_t)w->m,
                          .pc = w->pc,
                          .arg = w->limit};
    sn_misuse_cond_wait(t, w->m, w->pc);
    enter_wait(w);
    int r = SN_GATED(t, &ev, wait_outside(w));
    w->gave = w->gave && !without_mutex(r);
    leave_wait(w, r == EOWNERDEAD ? SN_EF_OWNER_DIED : 0);
    if (r == EINVAL)
        sn_misuse_limit(t, w->limit, w->pc);
    if (r == 0)
        SN_EMIT(t, COND_WAKE, .flags = flags, .addr = (uintptr_t)w->c, .value = (uintptr_t)w->m,
                .pc = w->pc, .sync = w->cond);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    return wait_on(&(struct wait_call){.c = c, .m = m, .how = WAIT, .pc = SN_CALLER});
}

SN_EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                     const struct timespec *limit)
{
    return wait_on(&(struct wait_call){.c = c, .m = m, .how = TIMED, .limit = limit, .pc = SN_CALLER});
}

SN_EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                     const struct timespec *limit)
{
    return wait_on(&(struct wait_call){
        .c = c, .m = m, .how = CLOCK, .clock = clock, .limit = limit, .pc = SN_CALLER});
}

static int wake(pthread_cond_t *c, bool all, uintptr_t pc)
{
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return all ? sn_pass(pthread_cond_broadcast)(c) : sn_pass(pthread_cond_signal)(c);
    struct sn_sync *s = sn_sync_get((uintptr_t)c, SN_SYNC_COND);
    struct sn_event ev = {.op = all ? SN_EV_COND_BROADCAST : SN_EV_COND_SIGNAL,
                          .addr = (uintptr_t)c,
                          .pc = pc,
                          .sync = s};
    if (s) {
        sn_sync_lock(s);
        s->flags |= SN_COND_WOKEN;
        s->given++;
        sn_sync_unlock(s);
    }
    sn_engine_event(t, &ev);
    int r =
        SN_GATED(t, &ev, all ? sn_real.pthread_cond_broadcast(c) : sn_real.pthread_cond_signal(c));
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
    return wake(c, false, SN_CALLER);
}

SN_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
    return wake(c, true, SN_CALLER);
}

static int init(pthread_cond_t *c, const pthread_condattr_t *attr, uintptr_t pc)
{
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return sn_pass(pthread_cond_init)(c, attr);
    sn_misuse_init(t, (uintptr_t)c, SN_SYNC_COND, pc);
    int r = sn_real.pthread_cond_init(c, attr);
    sn_sync_drop((uintptr_t)c);
    if (r == 0)
        sn_misuse_born(t, sn_sync_get((uintptr_t)c, SN_SYNC_COND), pc);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
    return init(c, attr, SN_CALLER);
}

/* glibc waits here until woken waiters have left. */
static int destroy(pthread_cond_t *c, uintptr_t pc)
{
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return sn_pass(pthread_cond_destroy)(c);
    int r;
    struct sn_sync *s = sn_sync_find((uintptr_t)c);
    if (s && s->kind == SN_SYNC_COND)
        sn_misuse_cond_destroy(t, s, c, pc);
    SN_OUTSIDE(t, r, sn_real.pthread_cond_destroy(c));
    sn_sync_drop((uintptr_t)c);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int pthread_cond_destroy(pthread_cond_t *c)
{
    return destroy(c, SN_CALLER);
}

/* C11: glibc's cnd_t is a pthread_cond_t. */
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "cnd_t is a pthread_cond_t");

SN_EXPORT int cnd_init(cnd_t *c)
{
    return sn_c11_result(init((pthread_cond_t *)c, 0, SN_CALLER));
}

SN_EXPORT void cnd_destroy(cnd_t *c)
{
    destroy((pthread_cond_t *)c, SN_CALLER);
}

SN_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
    return sn_c11_result(wait_on(&(struct wait_call){
        .c = (pthread_cond_t *)c, .m = (pthread_mutex_t *)m, .how = WAIT, .pc = SN_CALLER}));
}

SN_EXPORT int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *limit)
{
    return sn_c11_result(wait_on(&(struct wait_call){.c = (pthread_cond_t *)c,
                                                  .m = (pthread_mutex_t *)m,
                                                  .how = TIMED,
                                                  .limit = limit,
                                                  .pc = SN_CALLER}));
}

SN_EXPORT int cnd_signal(cnd_t *c)
{
    return sn_c11_result(wake((pthread_cond_t *)c, false, SN_CALLER));
}

SN_EXPORT int cnd_broadcast(cnd_t *c)
{
    return sn_c11_result(wake((pthread_cond_t *)c, true, SN_CALLER));
}
