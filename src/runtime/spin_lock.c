/*
 * spin_lock.c: pthread_spin_*. A spin lock does not know its holder, so nothing is said about an
 * unlock by another thread, only about one of a lock that is free; waiting in circles on spin locks
 * is a deadlock like any other.
 */
#include "runtime/locks.h"

#include <errno.h>

#include "runtime/deadlock.h"
#include "runtime/emit.h"
#include "runtime/misuse.h"
#include "runtime/real.h"

static SN_NOINLINE int spin(struct sn_thread *t, struct sn_sync *s, pthread_spinlock_t *l,
                            uintptr_t pc)
{
    int r;
    if (s)
        sn_wait_lock(t, s, false, sn_ctx_where(t, pc));
    SN_OUTSIDE(t, r, sn_real.pthread_spin_lock(l));
    sn_wait_end(t);
    return r;
}

static int take(struct sn_thread *t, struct sn_sync *s, pthread_spinlock_t *l, bool try,
                uintptr_t pc)
{
    int r = sn_real.pthread_spin_trylock(l);
    return r == EBUSY && !try ? spin(t, s, l, pc) : r;
}

static int lock(pthread_spinlock_t *l, bool try, uintptr_t pc)
{
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return try ? sn_pass(pthread_spin_trylock)(l) : sn_pass(pthread_spin_lock)(l);
    struct sn_sync *s = sn_sync_get((uintptr_t)l, SN_SYNC_SPIN);
    uint8_t flags = SN_EF_SPIN | (try ? SN_EF_TRY : 0);
    struct sn_event ev = {
        .op = SN_EV_LOCK, .flags = flags, .addr = (uintptr_t)l, .pc = pc, .sync = s};
    int r = SN_GATED(t, &ev, take(t, s, l, try, pc));
    if (r == 0 && s)
        sn_lock_took(t, s, flags, pc);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
    return lock(l, false, SN_CALLER);
}

SN_EXPORT int pthread_spin_trylock(pthread_spinlock_t *l)
{
    return lock(l, true, SN_CALLER);
}

SN_EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return sn_pass(pthread_spin_unlock)(l);
    struct sn_sync *s = sn_sync_get((uintptr_t)l, SN_SYNC_SPIN);
    struct sn_held *h = s && sn_owns(t, s) ? sn_held_find(t, s) : 0;
    struct sn_event ev = {
        .op = SN_EV_UNLOCK, .flags = SN_EF_SPIN, .addr = (uintptr_t)l, .pc = pc, .sync = s};
    if (h) {
        sn_lock_gives(t, s, h, SN_EF_SPIN, pc);
    } else {
        sn_misuse_spin_unlock(t, l, pc);
        if (s)
            s->flags |= SN_LOCK_FOREIGN;
        SN_EMIT(t, RELEASE_MERGE, .addr = (uintptr_t)l, .pc = pc, .sync = s);
    }
    int r = SN_GATED(t, &ev, sn_real.pthread_spin_unlock(l));
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return sn_pass(pthread_spin_init)(l, shared);
    int r = sn_real.pthread_spin_init(l, shared);
    sn_sync_drop((uintptr_t)l);
    struct sn_sync *s = sn_sync_get((uintptr_t)l, SN_SYNC_SPIN);
    SN_EMIT(t, LOCK_INIT, .addr = (uintptr_t)l, .size = sizeof *l, .pc = pc, .sync = s);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int pthread_spin_destroy(pthread_spinlock_t *l)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return sn_pass(pthread_spin_destroy)(l);
    struct sn_sync *s = sn_sync_find((uintptr_t)l);
    SN_EMIT(t, LOCK_DESTROY, .addr = (uintptr_t)l, .size = sizeof *l, .pc = pc, .sync = s);
    int r = sn_real.pthread_spin_destroy(l);
    sn_sync_drop((uintptr_t)l);
    sn_hook_leave(t);
    return r;
}
