/*
 * once.c: pthread_once and call_once. The initialiser runs inside a routine of snag's, so that
 * ONCE_DONE comes before the flag is seen as done by anybody. An initialiser may throw, be
 * cancelled or call pthread_once itself: what the routine needs is reached through a chain on the
 * stack whose head is only read while its owner is running. One that ends by an exception or a
 * cancellation comes before the next attempt, and lets those who wait try: the unwinder tells.
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
static bool any_unwound;     /* atomic: an initialiser has not returned, so far */

/* Calls fn; the frame has a personality routine. */
void sn_once_call(void (*fn)(void)) SN_HIDDEN;
int sn_once_personality(int version, int actions, uint64_t type, void *exception,
                        void *context) SN_HIDDEN;
__asm__(".pushsection .text\n"
        ".type sn_once_call, @function\n"
        "sn_once_call:\n"
        "    .cfi_startproc\n"
        "    .cfi_personality 0x1b, sn_once_personality\n" /* pcrel, four bytes */
        "    sub $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call *%rdi\n"
        "    add $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size sn_once_call, . - sn_once_call\n"
        ".popsection\n");

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

static void tell(enum sn_event_op op, const struct running *r)
{
    struct sn_thread *t = sn_enter(r->pc);
    if (!t)
        return;
    struct sn_event ev = {.op = op, .addr = r->addr, .pc = r->pc};
    sn_engine_event(t, &ev);
    sn_hook_leave(t);
}

/* What the initialiser has on the stack is gone; libc makes the flag new after this. */
int sn_once_personality(int version, int actions, uint64_t type, void *exception, void *context)
{
    enum { CLEANUP_PHASE = 2, CONTINUE_UNWIND = 8 };
    (void)version, (void)type, (void)exception, (void)context;
    if (actions & CLEANUP_PHASE) {
        struct running r = *innermost;
        innermost = r.outer;
        __atomic_store_n(&any_unwound, true, __ATOMIC_RELAXED);
        tell(SN_EV_ONCE_DONE, &r);
        tell(SN_EV_ONCE_SEEN, &r); /* who waits is woken */
    }
    return CONTINUE_UNWIND;
}

static void run(void)
{
    struct running r = *innermost;
    if (SN_UNLIKELY(__atomic_load_n(&any_unwound, __ATOMIC_RELAXED)))
        tell(SN_EV_ONCE_SEEN, &r);
    sn_once_call(r.fn);
    tell(SN_EV_ONCE_DONE, &r);
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
