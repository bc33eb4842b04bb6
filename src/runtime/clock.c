/*
 * clock.c: what time it is, and timers. They order nothing; a scheduler's gate may have a time of
 * its own.
 */
#include "runtime/clock.h"

#include <sys/time.h>
#include <time.h>

#include "runtime/emit.h"
#include "runtime/real.h"
#include "runtime/thread_hooks.h"

enum { INTERVAL_TIMER = 1 };

uint64_t sn_clock_now(struct sn_thread *t, clockid_t clock)
{
    struct sn_event ev = {.op = SN_EV_CLOCK, .size = (uint64_t)clock, .pc = t->pc};
    struct timespec now;
    if (sn_gate(t, &ev) == SN_DONE)
        return ev.value;
    sn_sys2(SYS_clock_gettime, clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Nanoseconds of the gate's own clock; false: there is none. */
static bool ask(int clock, uint64_t *ns, uintptr_t pc)
{
    struct sn_thread *t = sn_engine_gates ? sn_hook_enter(pc) : 0;
    struct sn_event ev = {.op = SN_EV_CLOCK, .size = (uint64_t)clock, .pc = pc};
    if (!t)
        return false;
    bool done = sn_gate(t, &ev) == SN_DONE;
    sn_hook_leave(t);
    *ns = ev.value;
    return done;
}

SN_EXPORT int clock_gettime(clockid_t clock, struct timespec *out)
{
    uint64_t ns;
    if (!ask(clock, &ns, SN_CALLER))
        return sn_pass(clock_gettime)(clock, out);
    *out = (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    return 0;
}

SN_EXPORT int timespec_get(struct timespec *out, int base)
{
    uint64_t ns;
    if (base != TIME_UTC || !ask(CLOCK_REALTIME, &ns, SN_CALLER))
        return sn_pass(timespec_get)(out, base);
    *out = (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    return base;
}

SN_EXPORT int gettimeofday(struct timeval *out, void *zone)
{
    uint64_t ns;
    if (!ask(CLOCK_REALTIME, &ns, SN_CALLER))
        return sn_pass(gettimeofday)(out, zone);
    *out = (struct timeval){(time_t)(ns / 1000000000u), (suseconds_t)(ns / 1000 % 1000000u)};
    return 0;
}

SN_EXPORT time_t time(time_t *out)
{
    uint64_t ns;
    if (!ask(CLOCK_REALTIME, &ns, SN_CALLER))
        return sn_pass(time)(out);
    time_t s = (time_t)(ns / 1000000000u);
    if (out)
        *out = s;
    return s;
}

/* True when the gate keeps the timer; *ns is then what was left before. */
static bool keeps(uintptr_t id, uint64_t *ns, uint64_t interval_ns, uintptr_t pc)
{
    struct sn_thread *t = sn_engine_gates ? sn_hook_enter(pc) : 0;
    struct sn_event ev = {
        .op = SN_EV_TIMER, .addr = id, .value = *ns, .size = interval_ns, .pc = pc};
    if (!t)
        return false;
    bool done = sn_gate(t, &ev) == SN_DONE;
    sn_hook_leave(t);
    *ns = ev.value;
    return done;
}

SN_EXPORT unsigned alarm(unsigned seconds)
{
    uint64_t ns = seconds * 1000000000ull;
    if (!keeps(INTERVAL_TIMER, &ns, 0, SN_CALLER))
        return sn_pass(alarm)(seconds);
    return (unsigned)((ns + 999999999u) / 1000000000u);
}

static uint64_t ns_of_timeval(const struct timeval *t)
{
    return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_usec * 1000;
}

SN_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *at, struct itimerval *old)
{
    uint64_t ns = at ? ns_of_timeval(&at->it_value) : 0;
    if (which != ITIMER_REAL || !at ||
        !keeps(INTERVAL_TIMER, &ns, ns_of_timeval(&at->it_interval), SN_CALLER))
        return sn_pass(setitimer)(which, at, old);
    if (old)
        *old = (struct itimerval){
            .it_value = {(time_t)(ns / 1000000000u), (suseconds_t)(ns / 1000 % 1000000u)}};
    return 0;
}

static uint64_t ns_of(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

/* Absolute limits are of the wall clock here: which clock the timer has is not known. */
static uint64_t until_end(int flags, const struct itimerspec *at, uintptr_t pc)
{
    uint64_t end = ns_of(&at->it_value), now = 0;
    if (!end || !(flags & TIMER_ABSTIME) || !ask(CLOCK_REALTIME, &now, pc))
        return end;
    return end > now ? end - now : 1;
}

/* Whether the timer notifies by a thread is not known here; an order too many does no harm. */
SN_EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *at,
                            struct itimerspec *old)
{
    uintptr_t pc = SN_CALLER;
    sn_adopt_expect_here(pc);
    uint64_t ns = until_end(flags, at, pc);
    if (!keeps((uintptr_t)timer, &ns, ns_of(&at->it_interval), pc))
        return sn_pass(timer_settime)(timer, flags, at, old);
    if (old)
        *old =
            (struct itimerspec){.it_value = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}};
    return 0;
}

/* The clock of an absolute limit is seen by its size: the wall clock is decades on. */
static uint64_t until_fd_end(int flags, const struct itimerspec *at, uintptr_t pc)
{
    uint64_t end = ns_of(&at->it_value), now = 0;
    int clock = end > 100000000000000000u ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    if (!end || !(flags & TFD_TIMER_ABSTIME) || !ask(clock, &now, pc))
        return end;
    return end > now ? end - now : 1;
}

SN_EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *at,
                              struct itimerspec *old)
{
    static const struct itimerspec never;
    uintptr_t pc = SN_CALLER;
    if (!sn_engine_gates || !at)
        return sn_pass(timerfd_settime)(fd, flags, at, old);
    int r = sn_pass(timerfd_settime)(fd, 0, &never, old);
    if (r != 0)
        return r;
    uint64_t ns = until_fd_end(flags, at, pc);
    if (!keeps(SN_TIMER_FD + (uintptr_t)fd, &ns, ns_of(&at->it_interval), pc))
        return sn_pass(timerfd_settime)(fd, flags, at, 0);
    if (old)
        *old =
            (struct itimerspec){.it_value = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}};
    return 0;
}

SN_EXPORT int timer_delete(timer_t timer)
{
    uint64_t ns = 0;
    keeps((uintptr_t)timer, &ns, 0, SN_CALLER);
    return sn_pass(timer_delete)(timer);
}
