/*
 * mutex.c: pthread_mutex_* of all types.
 *
 * An untimed lock is tried first: only when that fails does the thread register its wait with the
 * deadlock watch. A re-entry of a recursive mutex counts in the held array and is not delivered.
 */
#include "runtime/locks.h"

#include <errno.h>

#include "core/count.h"
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

struct lock_call {
    pthread_mutex_t *m;
    enum how how;
    clockid_t clock;
    const struct timespec *limit;
    uintptr_t pc;
};

static int real_lock(struct lock_call c)
{
    switch (c.how) {
    case TRY:
        return sn_pass(pthread_mutex_trylock)(c.m);
    case TIMED:
        return sn_pass(pthread_mutex_timedlock)(c.m, c.limit);
    case CLOCK:
        return sn_pass(pthread_mutex_clocklock)(c.m, c.clock, c.limit);
    default:
        return sn_pass(pthread_mutex_lock)(c.m);
    }
}

/* An error-checking mutex refuses its holder, and what another process may give cannot be watched.
 */
static bool may_deadlock(const struct sn_thread *t, const struct sn_sync *s,
                         const pthread_mutex_t *m)
{
    int type = sn_mutex_kind(m) & SN_MUTEX_TYPE_MASK;
    return !sn_mutex_opaque(m) && !(type == PTHREAD_MUTEX_ERRORCHECK && sn_owns(t, s));
}

/* Critical sections are short, and longer under snag than the program's author has seen: before the
 * thread goes to sleep it waits for about as long as that would take. 0: it has the lock. */
static int spin(pthread_mutex_t *m)
{
    int r = EBUSY;
    for (int i = 0; r == EBUSY && i < SN_LOCK_TRIES; i++) {
        sn_cpu_wait(SN_LOCK_TICKS);
        if (!sn_mutex_is_locked(m))
            r = sn_real.pthread_mutex_trylock(m);
    }
    return r;
}

static int sleep_for(struct sn_thread *t, struct lock_call c)
{
    int r;
    struct sn_sync *s = sn_sync_of(t, (uintptr_t)c.m, SN_SYNC_MUTEX);
    bool watched = c.how == LOCK && s && may_deadlock(t, s, c.m);
    if (watched)
        sn_wait_lock(t, s, false, sn_ctx_where(t, c.pc));
    SN_OUTSIDE(t, r, real_lock(c));
    if (watched)
        sn_wait_end(t);
    return r;
}

static SN_NOINLINE int take_slowly(struct sn_thread *t, struct lock_call c)
{
    bool robust = sn_mutex_kind(c.m) & SN_MUTEX_ROBUST;
    int r = robust ? EBUSY : spin(c.m);
    return r == EBUSY ? sleep_for(t, c) : r;
}

/* A robust mutex is not tried first: what a try says about a lost one is not what a lock says. */
static inline int take(struct sn_thread *t, struct lock_call c)
{
    if (c.how != TRY && SN_UNLIKELY(sn_mutex_kind(c.m) & SN_MUTEX_ROBUST))
        return take_slowly(t, c);
    int r = sn_real.pthread_mutex_trylock(c.m);
    if (SN_LIKELY(r != EBUSY) || c.how == TRY)
        return r;
    return take_slowly(t, c);
}

static inline __attribute__((always_inline)) void took(struct sn_thread *t, struct sn_sync *s,
                                                       struct sn_taking how, int token)
{
    __atomic_store_n(&s->owner, t->number + 1, __ATOMIC_RELEASE); /* pairs with deadlock.c */
    sn_held_push(t, s, how.where, false);
    sn_engine_took(t, s, how, token);
}

static uint32_t site(struct sn_thread *t, uintptr_t pc)
{
    return sn_ctx_site(t, pc | SN_CTX_TAG(SN_OP_LOCK, 0));
}

static SN_NOINLINE void took_any(struct sn_thread *t, struct sn_sync *s, struct sn_taking how)
{
    how.where = site(t, how.pc);
    took(t, s, how, sn_engine_takes(t));
}

void sn_lock_took(struct sn_thread *t, struct sn_sync *s, uint8_t flags, uintptr_t pc)
{
    took_any(t, s, (struct sn_taking){.flags = flags, .pc = pc});
}

/* What must be done while the lock is still held; h is removed afterwards. */
static inline int gives(struct sn_thread *t, struct sn_sync *s, struct sn_taking how)
{
    int token = sn_engine_gives(t, s, how);
    __atomic_store_n(&s->owner, 0, __ATOMIC_RELEASE); /* pairs with deadlock.c */
    return token;
}

static inline void gave(struct sn_thread *t, struct sn_held *h, int token)
{
    sn_engine_gave(t, h, token);
    sn_held_remove(t, h);
}

void sn_lock_gives(struct sn_thread *t, struct sn_sync *s, struct sn_held *h, uint8_t flags,
                   uintptr_t pc)
{
    gave(t, h, gives(t, s, (struct sn_taking){.flags = flags, .pc = pc}));
}

/* A lock of ours that a plain mutex let us take again has been initialised anew by assignment. */
static SN_NOINLINE bool is_reentry(struct sn_thread *t, struct sn_sync *s, const pthread_mutex_t *m)
{
    struct sn_held *h = sn_held_find(t, s);
    if (!h)
        return false;
    if (!sn_mutex_recursive(m)) {
        sn_held_remove(t, h);
        return false;
    }
    h->depth++;
    return true;
}

static inline uint8_t flags_of(struct lock_call c, int r)
{
    uint8_t flags = c.how == TRY ? SN_EF_TRY : c.limit ? SN_EF_TIMED : 0;
    return r == EOWNERDEAD ? flags | SN_EF_OWNER_DIED : flags;
}

/* By an engine that decides who takes what. */
static SN_NOINLINE int take_gated(struct sn_thread *t, struct lock_call c)
{
    struct sn_event ev = {.op = SN_EV_LOCK,
                          .flags = flags_of(c, 0),
                          .addr = (uintptr_t)c.m,
                          .value = (uint64_t)c.clock,
                          .pc = c.pc,
                          .arg = c.limit,
                          .sync = sn_sync_of(t, (uintptr_t)c.m, SN_SYNC_MUTEX)};
    return SN_GATED(t, &ev, take(t, c));
}

/* The lock's record is not looked at before the lock is taken: its holder may be about to write it.
 */
static inline __attribute__((always_inline)) int lock(struct lock_call c)
{
    struct sn_thread *t = sn_enter(c.pc);
    if (!t)
        return real_lock(c);
    struct sn_sync *s = sn_sync_guess(t, (uintptr_t)c.m);
    uint32_t where = site(t, c.pc);
    int token = sn_engine_takes(t);
    int r = SN_LOCKS_GATED ? take_gated(t, c) : take(t, c);
    if (SN_LIKELY(r == 0 || r == EOWNERDEAD)) {
        s = sn_sync_check(t, s, (uintptr_t)c.m, SN_SYNC_MUTEX);
        if (SN_LIKELY(s != 0) && !(sn_owns(t, s) && is_reentry(t, s, c.m))) {
            s->type = (uint8_t)sn_mutex_kind(c.m);
            took(t, s, (struct sn_taking){.where = where, .flags = flags_of(c, r), .pc = c.pc},
                 token);
        }
    } else {
        sn_misuse_lock_failed(t, c.m, r, c.limit, c.pc);
    }
    sn_hook_leave(t);
    return r;
}

static SN_NOINLINE int lock_any(struct lock_call c)
{
    return lock(c);
}

/* Its place in the held array; null: this thread does not hold it. Mostly it is the last. */
static inline struct sn_held *held(struct sn_thread *t, const pthread_mutex_t *m)
{
    struct sn_held *h = t->nheld ? &t->held[t->nheld - 1] : 0;
    if (SN_LIKELY(h && sn_sync_is(h->lock, (uintptr_t)m) && sn_owns(t, h->lock)))
        return h;
    struct sn_sync *s = sn_sync_find((uintptr_t)m);
    return s && sn_owns(t, s) ? sn_held_find(t, s) : 0;
}

/* Taken out of snag's sight, or not held at all. What came before still happens before the next
 * lock. */
static SN_NOINLINE void unlock_unknown(struct sn_thread *t, pthread_mutex_t *m, uintptr_t pc)
{
    struct sn_sync *s = sn_sync_get((uintptr_t)m, SN_SYNC_MUTEX);
    if (s)
        sn_misuse_unlock(t, s, m, pc);
    SN_EMIT(t, RELEASE_MERGE, .addr = (uintptr_t)m, .pc = pc, .sync = s);
}

static SN_NOINLINE int give_gated(struct sn_thread *t, struct sn_sync *s, pthread_mutex_t *m,
                                  uintptr_t pc)
{
    struct sn_event ev = {.op = SN_EV_UNLOCK, .addr = (uintptr_t)m, .pc = pc, .sync = s};
    return SN_GATED(t, &ev, sn_real.pthread_mutex_unlock(m));
}

static inline int real_unlock(struct sn_thread *t, struct sn_sync *s, pthread_mutex_t *m,
                              uintptr_t pc)
{
    return SN_LOCKS_GATED ? give_gated(t, s, m, pc) : sn_real.pthread_mutex_unlock(m);
}

static inline int unlock(pthread_mutex_t *m, uintptr_t pc)
{
    int r;
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return sn_pass(pthread_mutex_unlock)(m);
    struct sn_held *h = held(t, m);
    struct sn_sync *s = h ? h->lock : sn_sync_find((uintptr_t)m);
    if (SN_LIKELY(h && !h->depth)) {
        int token = gives(t, s, (struct sn_taking){.pc = pc});
        r = real_unlock(t, s, m, pc);
        gave(t, h, token);
    } else {
        if (h)
            h->depth--;
        else
            unlock_unknown(t, m, pc);
        r = real_unlock(t, s, m, pc);
    }
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
    return lock((struct lock_call){.m = m, .how = LOCK, .pc = SN_CALLER});
}

SN_EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
    return lock_any((struct lock_call){.m = m, .how = TRY, .pc = SN_CALLER});
}

SN_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *limit)
{
    return lock_any((struct lock_call){.m = m, .how = TIMED, .limit = limit, .pc = SN_CALLER});
}

SN_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
                                      const struct timespec *limit)
{
    return lock_any(
        (struct lock_call){.m = m, .how = CLOCK, .clock = clock, .limit = limit, .pc = SN_CALLER});
}

SN_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
    return unlock(m, SN_CALLER);
}

bool sn_mutex_wait_gives(struct sn_thread *t, pthread_mutex_t *m, uintptr_t cond, uintptr_t pc)
{
    struct sn_sync *s = sn_sync_find((uintptr_t)m);
    struct sn_held *h = s && sn_owns(t, s) ? sn_held_find(t, s) : 0;
    if (!h || h->depth)
        return false;
    gave(t, h, gives(t, s, (struct sn_taking){.flags = SN_EF_COND, .cond = cond, .pc = pc}));
    return true;
}

void sn_mutex_wait_took(struct sn_thread *t, pthread_mutex_t *m, bool gave, uint8_t flags,
                        uintptr_t cond, uintptr_t pc)
{
    struct sn_sync *s = gave ? sn_sync_get((uintptr_t)m, SN_SYNC_MUTEX) : 0;
    if (s)
        took_any(t, s, (struct sn_taking){.flags = flags | SN_EF_COND, .cond = cond, .pc = pc});
}

static void initialised(struct sn_thread *t, uintptr_t addr, uintptr_t pc)
{
    sn_sync_drop(addr);
    struct sn_sync *s = sn_sync_get(addr, SN_SYNC_MUTEX);
    sn_misuse_born(t, s, pc);
    SN_EMIT(t, LOCK_INIT, .addr = addr, .size = sizeof(pthread_mutex_t), .pc = pc, .sync = s);
}

SN_EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return sn_pass(pthread_mutex_init)(m, attr);
    sn_misuse_init_mutex(t, m, pc);
    int r = sn_real.pthread_mutex_init(m, attr);
    if (r == 0)
        initialised(t, (uintptr_t)m, pc);
    sn_hook_leave(t);
    return r;
}

/* Destroying a locked mutex is refused by glibc (but for robust ones): the record then stays. */
static int destroy(pthread_mutex_t *m, uintptr_t pc)
{
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return sn_pass(pthread_mutex_destroy)(m);
    bool refused = sn_misuse_destroy_mutex(t, m, pc);
    struct sn_sync *s = sn_sync_find((uintptr_t)m);
    if (!refused)
        SN_EMIT(t, LOCK_DESTROY, .addr = (uintptr_t)m, .size = sizeof *m, .pc = pc, .sync = s);
    int r = sn_real.pthread_mutex_destroy(m);
    if (r == 0)
        sn_sync_drop((uintptr_t)m);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int pthread_mutex_destroy(pthread_mutex_t *m)
{
    return destroy(m, SN_CALLER);
}

/* C11: glibc's mtx_t is a pthread_mutex_t, and its functions are the same with other results. */
_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "mtx_t is a pthread_mutex_t");

int sn_c11_result(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case ENOMEM:
        return thrd_nomem;
    case ETIMEDOUT:
        return thrd_timedout;
    case EBUSY:
        return thrd_busy;
    default:
        return thrd_error;
    }
}

SN_EXPORT int mtx_init(mtx_t *m, int type)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return sn_pass(mtx_init)(m, type);
    sn_misuse_init_mutex(t, (pthread_mutex_t *)m, pc);
    int r = sn_real.mtx_init(m, type);
    if (r == thrd_success)
        initialised(t, (uintptr_t)m, pc);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT void mtx_destroy(mtx_t *m)
{
    destroy((pthread_mutex_t *)m, SN_CALLER);
}

SN_EXPORT int mtx_lock(mtx_t *m)
{
    return sn_c11_result(
        lock_any((struct lock_call){.m = (pthread_mutex_t *)m, .how = LOCK, .pc = SN_CALLER}));
}

SN_EXPORT int mtx_trylock(mtx_t *m)
{
    return sn_c11_result(
        lock_any((struct lock_call){.m = (pthread_mutex_t *)m, .how = TRY, .pc = SN_CALLER}));
}

SN_EXPORT int mtx_timedlock(mtx_t *m, const struct timespec *limit)
{
    return sn_c11_result(lock_any((struct lock_call){
        .m = (pthread_mutex_t *)m, .how = TIMED, .limit = limit, .pc = SN_CALLER}));
}

SN_EXPORT int mtx_unlock(mtx_t *m)
{
    return sn_c11_result(unlock((pthread_mutex_t *)m, SN_CALLER));
}
