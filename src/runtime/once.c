/*
 * once.c: pthread_once and call_once. The initialiser runs inside a routine of snag's, so that
 * ONCE_DONE comes before the flag is seen as done by anybody. An initialiser may throw, be
 * cancelled or call pthread_once itself: what the routine needs is reached through a chain on the
 * stack whose head is only read while its owner is running.
 *
 * A thread that has seen a flag as done learns nothing when it looks again, and libraries do so in
 * every call: it is told once.
 */
#include "runtime/emit.h"
#include "runtime/real.h"

enum { ONCE_DONE = 2 }; /* glibc's own value of a finished pthread_once_t and once_flag */

struct running {
    void (*fn)(void);
    uintptr_t addr, pc;
    struct running *outer;
};

enum { SEEN = 16 };

static __thread struct running *innermost;
static __thread struct {
    uintptr_t flag;
    uint64_t runs; /* of initialisers, when it was seen: another flag may get the address */
} seen[SEEN];
static uint64_t runs SN_HOT; /* atomic */

static bool is_done(uintptr_t flag)
{
    return __atomic_load_n((int *)flag, __ATOMIC_ACQUIRE) == ONCE_DONE;
}

static unsigned place_of(uintptr_t flag)
{
    return (flag >> 2 ^ flag >> 6) % SEEN;
}

/* `runs` counts the initialiser of this flag if the flag says that it is done. Where there is a
 * gate each call is a point of the schedule. */
static bool was_seen(uintptr_t flag)
{
    unsigned i = place_of(flag);
    return is_done(flag) && seen[i].flag == flag &&
           seen[i].runs == __atomic_load_n(&runs, __ATOMIC_RELAXED) && !sn_engine_gates;
}

static void note_seen(uintptr_t flag, uint64_t at)
{
    unsigned i = place_of(flag);
    seen[i].flag = flag;
    seen[i].runs = at;
}

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

SN_NOINLINE static int once_hooked(pthread_once_t *posix, once_flag *c11, void (*fn)(void),
                                   uintptr_t pc)
{
    uintptr_t addr = posix ? (uintptr_t)posix : (uintptr_t)c11;
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return once(posix, c11, fn);
    int r = 0;
    uint64_t at = __atomic_load_n(&runs, __ATOMIC_RELAXED);
    struct running mine = {fn, addr, pc, innermost};
    if (!is_done(addr)) {
        __atomic_fetch_add(&runs, 1, __ATOMIC_RELAXED); /* before it is done: see was_seen() */
        struct sn_event ev = {.op = SN_EV_ONCE_SEEN, .addr = addr, .pc = pc};
        sn_gate(t, &ev);
        innermost = &mine;
        SN_OUTSIDE(t, r, once(posix, c11, run));
        innermost = mine.outer;
    }
    SN_EMIT(t, ONCE_SEEN, .addr = addr, .pc = pc);
    if (is_done(addr))
        note_seen(addr, at);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int pthread_once(pthread_once_t *flag, void (*fn)(void))
{
    return SN_LIKELY(was_seen((uintptr_t)flag)) ? 0 : once_hooked(flag, 0, fn, SN_CALLER);
}

SN_EXPORT void call_once(once_flag *flag, void (*fn)(void))
{
    if (!was_seen((uintptr_t)flag))
        once_hooked(0, flag, fn, SN_CALLER);
}
