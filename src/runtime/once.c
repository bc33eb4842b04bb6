/*
 * once.c: pthread_once and call_once. The initialiser runs inside a routine of snag's, so that
 * ONCE_DONE comes before the flag is seen as done by anybody. An initialiser may throw, be
 * cancelled or call pthread_once itself: what the routine needs is reached through a chain on the
 * stack whose head is only read while its owner is running.
 */
#include "runtime/emit.h"
#include "runtime/real.h"

enum { ONCE_DONE = 2 }; /* glibc's own value of a finished pthread_once_t and once_flag */

struct running {
    void (*fn)(void);
    uintptr_t addr, pc;
    struct running *outer;
};

static __thread struct running *innermost;

static void run(void)
{
    struct running r = *innermost;
    r.fn();
    struct sn_thread *t = sn_enter(r.pc);
    if (!t)
        return;
    SN_EMIT(t, ONCE_DONE, .addr = r.addr, .pc = r.pc);
    sn_hook_leave(t);
}

static int once(pthread_once_t *posix, once_flag *c11, void (*fn)(void))
{
    if (posix)
        return sn_pass(pthread_once)(posix, fn);
    sn_pass(call_once)(c11, fn);
    return 0;
}

static int once_hooked(pthread_once_t *posix, once_flag *c11, void (*fn)(void), uintptr_t pc)
{
    uintptr_t addr = posix ? (uintptr_t)posix : (uintptr_t)c11;
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return once(posix, c11, fn);
    int r = 0;
    struct running mine = {fn, addr, pc, innermost};
    if (__atomic_load_n((int *)addr, __ATOMIC_ACQUIRE) != ONCE_DONE) {
        struct sn_event ev = {.op = SN_EV_ONCE_SEEN, .addr = addr, .pc = pc};
        sn_gate(t, &ev);
        innermost = &mine;
        SN_OUTSIDE(t, r, once(posix, c11, run));
        innermost = mine.outer;
    }
    SN_EMIT(t, ONCE_SEEN, .addr = addr, .pc = pc);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int pthread_once(pthread_once_t *flag, void (*fn)(void))
{
    return once_hooked(flag, 0, fn, SN_CALLER);
}

SN_EXPORT void call_once(once_flag *flag, void (*fn)(void))
{
    once_hooked(0, flag, fn, SN_CALLER);
}
