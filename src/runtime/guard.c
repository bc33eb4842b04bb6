/*
 * guard.c: C++'s static local variables. Whoever finds one initialised comes after the initialiser:
 * through the guard's first byte, which compiled code loads atomically, or through
 * __cxa_guard_acquire() when it had to wait.
 */
#include <stdint.h>

#include "runtime/emit.h"
#include "runtime/real.h"

int __cxa_guard_acquire(int64_t *guard);
void __cxa_guard_release(int64_t *guard);
void __cxa_guard_abort(int64_t *guard);

/* Where libstdc++ cannot be reached (loaded later, out of sight): the ABI's first byte says
 * "initialised", the second one is ours. */
static int take(uint8_t *guard)
{
    for (;;) {
        uint8_t free = 0;
        if (__atomic_load_n(guard, __ATOMIC_ACQUIRE))
            return 0;
        if (__atomic_compare_exchange_n(guard + 1, &free, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            if (!__atomic_load_n(guard, __ATOMIC_ACQUIRE))
                return 1;
            __atomic_store_n(guard + 1, 0, __ATOMIC_RELEASE);
            return 0;
        }
        sn_sys0(SYS_sched_yield);
    }
}

static int really_take(int64_t *guard)
{
    int (*real)(int64_t *) = sn_real_operator(SN_OPERATOR___cxa_guard_acquire);
    return real ? real(guard) : take((uint8_t *)guard);
}

SN_EXPORT int __cxa_guard_acquire(int64_t *guard)
{
    struct sn_thread *t = sn_enter(SN_CALLER);
    int r;
    if (!t)
        return really_take(guard);
    SN_OUTSIDE(t, r, really_take(guard)); /* it may wait for an initialiser in another thread */
    if (!r)
        SN_EMIT(t, ACQUIRE, .addr = (uintptr_t)guard, .pc = SN_CALLER);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT void __cxa_guard_release(int64_t *guard)
{
    void (*real)(int64_t *) = sn_real_operator(SN_OPERATOR___cxa_guard_release);
    uint8_t *bytes = (uint8_t *)guard;
    struct sn_thread *t = sn_enter(SN_CALLER);
    if (t) {
        SN_EMIT(t, RELEASE, .addr = (uintptr_t)guard, .pc = SN_CALLER);
        sn_hook_leave(t);
    }
    if (real) {
        real(guard);
        return;
    }
    __atomic_store_n(bytes, 1, __ATOMIC_RELEASE);
    __atomic_store_n(bytes + 1, 0, __ATOMIC_RELEASE);
}

/* The initialiser threw: somebody else may try. */
SN_EXPORT void __cxa_guard_abort(int64_t *guard)
{
    void (*real)(int64_t *) = sn_real_operator(SN_OPERATOR___cxa_guard_abort);
    if (real)
        real(guard);
    else
        __atomic_store_n((uint8_t *)guard + 1, 0, __ATOMIC_RELEASE);
}
