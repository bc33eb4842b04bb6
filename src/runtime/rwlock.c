/*
 * rwlock.c: pthread_rwlock_*.
 *
 * As in mutex.c an untimed lock is tried first. A writer that waits for readers first waits a short
 * time without being watched: looking through all threads for the readers is only worth it when the
 * wait is a long one.
 */
#include "runtime/locks.h"

#include <errno.h>
#include <time.h>

#include "core/ctx_cache.h"
#include "core/runfile.h"
#include "core/sync_cache.h"
#include "runtime/deadlock.h"
#include "runtime/emit.h"
#include "runtime/lock_event.h"
#include "runtime/misuse.h"
#include "runtime/mutex_state.h"
#include "runtime/real.h"

enum how { LOCK, TRY, TIMED, CLOCK };
enum { SHORT_WAIT_NS = 20 * 1000 * 1000 };

struct rw_call {
    pthread_rwlock_t *l;
    enum how how;
    bool shared;
    clockid_t clock;
    const struct timespec *limit;
    uintptr_t pc;
};

static int real_lock(const struct rw_call *c)
{
    pthread_rwlock_t *l = c->l;
    switch (c->how) {
    case TRY:
        return c->shared ? sn_pass(pthread_rwlock_tryrdlock)(l)
                         : sn_pass(pthread_rwlock_trywrlock)(l);
    case TIMED:
        return c->shared ? sn_pass(pthread_rwlock_timedrdlock)(l, c->limit)
                         : sn_pass(pthread_rwlock_timedwrlock)(l, c->limit);
    case CLOCK:
        return c->shared ? sn_pass(pthread_rwlock_clockrdlock)(l, c->clock, c->limit)
                         : sn_pass(pthread_rwlock_clockwrlock)(l, c->clock, c->limit);
    default:
        return c->shared ? sn_pass(pthread_rwlock_rdlock)(l) : sn_pass(pthread_rwlock_wrlock)(l);
    }
}

static int wait_shortly(const struct rw_call *c)
{
    struct timespec limit;
    sn_real.clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += SHORT_WAIT_NS;
    if (limit.tv_nsec >= 1000000000) {
        limit.tv_nsec -= 1000000000;
        limit.tv_sec++;
    }
    return sn_real.pthread_rwlock_timedwrlock(c->l, &limit);
}

static int try(const struct rw_call *c)
{
    return c->shared ? sn_real.pthread_rwlock_tryrdlock(c->l)
                     : sn_real.pthread_rwlock_trywrlock(c->l);
}

static int spin(const struct rw_call *c)
{
    int r = EBUSY;
    for (int i = 0; r == EBUSY && i < SN_LOCK_TRIES; i++) {
        sn_cpu_wait(SN_LOCK_TICKS);
        r = try(c);
    }
    return r;
}

static int sleep_for(struct sn_thread *t, const struct rw_call *c)
{
    int r = ETIMEDOUT;
    struct sn_sync *s = sn_sync_of(t, (uintptr_t)c->l, SN_SYNC_RWLOCK);
    /* glibc itself refuses the writer that comes again */
    bool watched = c->how == LOCK && s && !sn_owns(t, s) && !sn_rwlock_shared(c->l);
    if (watched && !c->shared && !s->owner)
        SN_OUTSIDE(t, r, wait_shortly(c));
    if (r != ETIMEDOUT)
        return r;
    if (watched)
        sn_wait_lock(t, s, c->shared, sn_ctx_where(t, c->pc));
    SN_OUTSIDE(t, r, real_lock(c));
    if (watched)
        sn_wait_end(t);
    return r;
}

static SN_NOINLINE int take_slowly(struct sn_thread *t, const struct rw_call *c)
{
    int r = spin(c);
    return r == EBUSY ? sleep_for(t, c) : r;
}

static inline int take(struct sn_thread *t, const struct rw_call *c)
{
    int r = try(c);
    if (SN_LIKELY(r != EBUSY) || c->how == TRY)
        return r;
    return take_slowly(t, c);
}

static void count_reader(struct sn_sync *s, uint32_t change)
{
    if (SN_READERS_COUNTED)
        __atomic_fetch_add(&s->readers, change, __ATOMIC_RELAXED);
    else if (SN_UNLIKELY(!(s->flags & SN_LOCK_READ)))
        __atomic_fetch_or(&s->flags, SN_LOCK_READ, __ATOMIC_RELAXED);
}

static void took_shared(struct sn_thread *t, struct sn_sync *s, struct sn_taking how, int token)
{
    struct sn_held *h = sn_held_find(t, s);
    if (h && h->shared) {
        h->depth++;
        return;
    }
    count_reader(s, 1);
    sn_held_push(t, s, how.where, true);
    sn_engine_took(t, s, how, token);
}

static SN_NOINLINE int take_gated(struct sn_thread *t, const struct rw_call *c, uint8_t flags)
{
    struct sn_event ev = {.op = c->shared ? SN_EV_RDLOCK : SN_EV_LOCK,
                          .flags = flags | SN_EF_RWLOCK,
                          .addr = (uintptr_t)c->l,
                          .value = (uint64_t)c->clock,
                          .pc = c->pc,
                          .arg = c->limit,
                          .sync = sn_sync_of(t, (uintptr_t)c->l, SN_SYNC_RWLOCK)};
    return SN_GATED(t, &ev, take(t, c));
}

static inline int lock(const struct rw_call *c)
{
    struct sn_thread *t = sn_enter(c->pc);
    if (!t)
        return real_lock(c);
    struct sn_sync *s = sn_sync_guess(t, (uintptr_t)c->l);
    struct sn_taking how = {.where = sn_ctx_site(t, c->pc | SN_CTX_TAG(SN_OP_LOCK, 0)),
                            .flags = c->how == TRY ? SN_EF_TRY
                                     : c->limit    ? SN_EF_TIMED
                                                   : 0,
                            .shared = c->shared,
                            .pc = c->pc};
    int token = sn_engine_takes(t);
    int r = SN_LOCKS_GATED ? take_gated(t, c, how.flags) : take(t, c);
    if (SN_LIKELY(r == 0)) {
        s = sn_sync_check(t, s, (uintptr_t)c->l, SN_SYNC_RWLOCK);
        if (s && c->shared)
            took_shared(t, s, how, token);
        else if (s)
            sn_lock_took(t, s, how.flags, c->pc);
    } else if (r == EINVAL) {
        sn_misuse_limit(t, c->limit, c->pc);
    }
    sn_hook_leave(t);
    return r;
}

static SN_NOINLINE int give_gated(struct sn_thread *t, struct sn_sync *s, pthread_rwlock_t *l,
                                  bool shared, uintptr_t pc)
{
    struct sn_event ev = {.op = shared ? SN_EV_RDUNLOCK : SN_EV_UNLOCK,
                          .flags = SN_EF_RWLOCK,
                          .addr = (uintptr_t)l,
                          .pc = pc,
                          .sync = s};
    return SN_GATED(t, &ev, sn_real.pthread_rwlock_unlock(l));
}

static int real_unlock(struct sn_thread *t, struct sn_sync *s, pthread_rwlock_t *l, bool shared,
                       uintptr_t pc)
{
    return SN_LOCKS_GATED ? give_gated(t, s, l, shared, pc) : sn_real.pthread_rwlock_unlock(l);
}

static int unlock_shared(struct sn_thread *t, struct sn_held *h, pthread_rwlock_t *l, uintptr_t pc)
{
    struct sn_sync *s = h->lock;
    if (h->depth) {
        h->depth--;
        return real_unlock(t, s, l, true, pc);
    }
    int token = sn_engine_gives(t, s, (struct sn_taking){.shared = true, .pc = pc});
    count_reader(s, (uint32_t)-1);
    int r = real_unlock(t, s, l, true, pc);
    sn_engine_gave(t, h, token);
    sn_held_remove(t, h);
    return r;
}

SN_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    int r;
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return sn_pass(pthread_rwlock_unlock)(l);
    struct sn_sync *s = sn_sync_of(t, (uintptr_t)l, SN_SYNC_RWLOCK);
    struct sn_held *h = s ? sn_held_find(t, s) : 0;
    if (SN_LIKELY(h && h->shared)) {
        r = unlock_shared(t, h, l, pc);
    } else {
        if (h) {
            sn_lock_gives(t, s, h, 0, pc);
        } else {
            sn_misuse_rwlock_unlock(t, l, pc);
            SN_EMIT(t, RELEASE_MERGE, .addr = (uintptr_t)l, .pc = pc, .sync = s);
        }
        r = real_unlock(t, s, l, false, pc);
    }
    sn_hook_leave(t);
    return r;
}

#define RWLOCK(name, params, ...)                                                                  \
    SN_EXPORT int name params                                                                      \
    {                                                                                              \
        return lock(&(struct rw_call){.l = l, .pc = SN_CALLER, __VA_ARGS__});                      \
    }

RWLOCK(pthread_rwlock_rdlock, (pthread_rwlock_t * l), .how = LOCK, .shared = true)
RWLOCK(pthread_rwlock_wrlock, (pthread_rwlock_t * l), .how = LOCK)
RWLOCK(pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), .how = TRY, .shared = true)
RWLOCK(pthread_rwlock_trywrlock, (pthread_rwlock_t * l), .how = TRY)
RWLOCK(pthread_rwlock_timedrdlock, (pthread_rwlock_t * l, const struct timespec *limit),
       .how = TIMED, .shared = true, .limit = limit)
RWLOCK(pthread_rwlock_timedwrlock, (pthread_rwlock_t * l, const struct timespec *limit),
       .how = TIMED, .limit = limit)
RWLOCK(pthread_rwlock_clockrdlock,
       (pthread_rwlock_t * l, clockid_t clock, const struct timespec *limit), .how = CLOCK,
       .shared = true, .clock = clock, .limit = limit)
RWLOCK(pthread_rwlock_clockwrlock,
       (pthread_rwlock_t * l, clockid_t clock, const struct timespec *limit), .how = CLOCK,
       .clock = clock, .limit = limit)

SN_EXPORT int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return sn_pass(pthread_rwlock_init)(l, attr);
    sn_misuse_init(t, (uintptr_t)l, SN_SYNC_RWLOCK, pc);
    int r = sn_real.pthread_rwlock_init(l, attr);
    if (r == 0) {
        sn_sync_drop((uintptr_t)l);
        struct sn_sync *s = sn_sync_get((uintptr_t)l, SN_SYNC_RWLOCK);
        sn_misuse_born(t, s, pc);
        SN_EMIT(t, LOCK_INIT, .addr = (uintptr_t)l, .size = sizeof *l, .pc = pc, .sync = s);
    }
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return sn_pass(pthread_rwlock_destroy)(l);
    struct sn_sync *s = sn_sync_find((uintptr_t)l);
    if (s)
        sn_misuse_rwlock_destroy(t, s, l, pc);
    SN_EMIT(t, LOCK_DESTROY, .addr = (uintptr_t)l, .size = sizeof *l, .pc = pc, .sync = s);
    int r = sn_real.pthread_rwlock_destroy(l);
    if (r == 0)
        sn_sync_drop((uintptr_t)l);
    sn_hook_leave(t);
    return r;
}
