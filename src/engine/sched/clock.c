/*
 * clock.c: virtual time as the program sees it. Its clocks stand still while it runs and go on with
 * every look at them, so that a loop that waits for a time ends; when nobody can run they jump to
 * the next time limit. So what depends on time is the same in every execution.
 *
 * Timers (alarm, setitimer, timer_settime, timerfd_settime) run in virtual time too: the kernel's
 * own timer is armed, for a moment, when virtual time has come to its end, so that the right signal
 * or thread comes about.
 */
#include "scheduler.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "core/sys.h"
#include "runtime/real.h"

enum {
    LOOK_NS = 1000,       /* a look takes that long */
    WAITING_LOOKS = 64,   /* in a row: the thread waits for a time */
    WAITING_NS = 1000000, /* and a look takes that long then */
    MAX_TIMERS = 64,
};

/* Where the clocks begin: always there, so that what the program makes of the time (a random seed,
 * say) is always the same. 2025-01-01, and 1000 s after a machine's start. */
static const uint64_t wall_ns = 1735689600000000000u, uptime_ns = 1000000000000u;

static struct timer {
    uintptr_t id; /* 0: free */
    uint64_t end, interval_ns;
} timers[MAX_TIMERS];
static uint32_t narmed;

static uint64_t real_ns(int clock)
{
    struct timespec t;
    sn_sys2(SYS_clock_gettime, clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool is_virtual(int clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_TAI:
        return true;
    default: /* processor time is real */
        return false;
    }
}

uint64_t sn_clock_ns(int clock)
{
    if (!is_virtual(clock))
        return real_ns(clock);
    bool wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
    return (wall ? wall_ns : uptime_ns) + sn_sched.now;
}

static enum sn_gate_answer look(struct sn_thread *t, struct sn_event *ev)
{
    struct sn_task *k = sn_task_of(t);
    if (!is_virtual((int)ev->size))
        return SN_GO;
    k->clock_reads++;
    sn_sched.now += k->clock_reads < WAITING_LOOKS ? LOOK_NS : WAITING_NS;
    if (k->clock_reads % WAITING_LOOKS == 0) {
        k->next = (struct sn_next){.op = SN_EV_YIELD, .pc = ev->pc};
        sn_sched_point(t);
    }
    ev->value = sn_clock_ns((int)ev->size);
    return SN_DONE;
}

static struct timer *find(uintptr_t id)
{
    struct timer *free = 0;
    for (uint32_t i = 0; i < MAX_TIMERS; i++) {
        if (timers[i].id == id)
            return &timers[i];
        if (!timers[i].id && !free)
            free = &timers[i];
    }
    return free;
}

static enum sn_gate_answer arm(struct sn_event *ev)
{
    struct timer *t = find(ev->addr);
    if (!t)
        return SN_GO;
    uint64_t left = t->id && t->end > sn_sched.now ? t->end - sn_sched.now : t->id ? 1 : 0;
    narmed -= t->id != 0;
    *t = (struct timer){0};
    if (ev->value) {
        *t = (struct timer){ev->addr, sn_sched.now + ev->value, ev->size};
        narmed++;
    }
    ev->value = left;
    return SN_DONE;
}

enum sn_gate_answer sn_clock_gate(struct sn_thread *t, struct sn_event *ev)
{
    return ev->op == SN_EV_CLOCK ? look(t, ev) : arm(ev);
}

bool sn_clock_armed(void)
{
    return narmed != 0;
}

static struct timer *earliest(void)
{
    struct timer *best = 0;
    for (uint32_t i = 0; narmed && i < MAX_TIMERS; i++)
        if (timers[i].id && (!best || timers[i].end < best->end))
            best = &timers[i];
    return best;
}

/* The kernel's timer does what is to be done. */
static bool ring(uintptr_t id)
{
    struct itimerspec now = {.it_value = {.tv_nsec = 1}};
    struct itimerval soon = {.it_value = {.tv_usec = 1}};
    if (id == 1)
        return sn_sys3(SYS_setitimer, ITIMER_REAL, &soon, 0) == 0;
    if (id >= SN_TIMER_FD && id < 2 * SN_TIMER_FD)
        return sn_sys4(SYS_timerfd_settime, (int)(id - SN_TIMER_FD), 0, &now, 0) == 0;
    return sn_real.timer_settime((timer_t)id, 0, &now, 0) == 0;
}

bool sn_clock_fire(uint64_t before)
{
    struct timer *t = earliest();
    if (!t || t->end >= before)
        return false;
    uintptr_t id = t->id;
    if (t->end > sn_sched.now)
        sn_sched.now = t->end;
    t->end += t->interval_ns;
    sn_sched_stir(); /* who waits for a descriptor comes back */
    bool rang = ring(id);
    if (!rang || !t->interval_ns) { /* closed, or done */
        *t = (struct timer){0};
        narmed--;
    }
    return rang;
}
