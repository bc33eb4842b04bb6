/*
 * sleep.c: sleeping and yielding. They order nothing; a scheduler's gate may do them in its own
 * time.
 */
#include <errno.h>
#include <sched.h>
#include <time.h>

#include "runtime/clock.h"
#include "runtime/emit.h"
#include "runtime/real.h"

/* done, broken: what the call returns when the gate has slept instead, or a signal has ended that.
 */
#define SLEEP(type, ns, done, broken, call)                                                        \
    struct sn_thread *t = sn_engine_gates ? sn_hook_enter(SN_CALLER) : 0;                          \
    if (!t)                                                                                        \
        return call;                                                                               \
    struct sn_event ev = {.op = SN_EV_SLEEP, .value = (ns), .pc = SN_CALLER};                      \
    type r = done;                                                                                 \
    if (sn_gate(t, &ev) == SN_GO)                                                                  \
        SN_OUTSIDE(t, r, call);                                                                    \
    else if (ev.result)                                                                            \
        r = (broken);                                                                              \
    sn_hook_leave(t);                                                                              \
    return r

static uint64_t ns_of(const struct timespec *d)
{
    return (uint64_t)d->tv_sec * 1000000000u + (uint64_t)d->tv_nsec;
}

/* value = what was left. */
static int interrupted(const struct sn_event *ev, struct timespec *left)
{
    if (left)
        *left =
            (struct timespec){(time_t)(ev->value / 1000000000u), (long)(ev->value % 1000000000u)};
    errno = EINTR;
    return -1;
}

SN_EXPORT unsigned sleep(unsigned s)
{
    SLEEP(unsigned, s * 1000000000ull, 0, (unsigned)((ev.value + 999999999u) / 1000000000u),
          sn_pass(sleep)(s));
}

SN_EXPORT int usleep(useconds_t us)
{
    SLEEP(int, us * 1000ull, 0, interrupted(&ev, 0), sn_pass(usleep)(us));
}

SN_EXPORT int nanosleep(const struct timespec *d, struct timespec *left)
{
    SLEEP(int, ns_of(d), 0, interrupted(&ev, left), sn_pass(nanosleep)(d, left));
}

static uint64_t until(struct sn_thread *t, clockid_t clock, int flags, const struct timespec *d)
{
    if (!(flags & TIMER_ABSTIME))
        return ns_of(d);
    uint64_t now = sn_clock_now(t, clock);
    return ns_of(d) > now ? ns_of(d) - now : 0;
}

SN_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *d,
                              struct timespec *left)
{
    SLEEP(int, until(t, clock, flags, d), 0,
          (interrupted(&ev, flags & TIMER_ABSTIME ? 0 : left), EINTR),
          sn_pass(clock_nanosleep)(clock, flags, d, left));
}

SN_EXPORT int thrd_sleep(const struct timespec *d, struct timespec *left)
{
    SLEEP(int, ns_of(d), 0, interrupted(&ev, left), sn_pass(thrd_sleep)(d, left));
}

static bool yields(uintptr_t pc)
{
    struct sn_thread *t = sn_engine_gates ? sn_hook_enter(pc) : 0;
    struct sn_event ev = {.op = SN_EV_YIELD, .pc = pc};
    if (!t)
        return false;
    bool done = sn_gate(t, &ev) == SN_DONE;
    sn_hook_leave(t);
    return done;
}

SN_EXPORT int sched_yield(void)
{
    return yields(SN_CALLER) ? 0 : sn_pass(sched_yield)();
}

SN_EXPORT void thrd_yield(void)
{
    if (!yields(SN_CALLER))
        sn_pass(thrd_yield)();
}
