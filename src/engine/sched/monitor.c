/*
 * monitor.c: what the scheduler does not control (section 4 of the paper). A thread may wait in a
 * way that no hook sees: a system call of its own, a lock inside libc that a thread without the
 * baton holds; or compute for long without coming to any hook. Threads that wait for the baton look
 * up now and then. A running thread that sleeps in a futex waits for another thread, so the baton
 * goes on at once; in another call after a while; and when it only computes, after it has used that
 * much processor time. It then counts as outside: at its next hook it comes back into the schedule.
 */
#include "monitor.h"

#include <linux/futex.h>

#include "core/sys.h"
#include "runtime/proc.h"

enum {
    STILL_NS = 60000000,
    COMPUTES_NS = 300000000,
    BUSY_NS = 5000000,         /* of processor time, or */
    BUSY_LONG_NS = 2000000000, /* so long: a thread outside that neither comes back nor sleeps */
};

static uint64_t last_steps;
static struct sn_thread *last_current;
static uint64_t since_ns, since_cpu_ns; /* the first look at which it was as it is now */

static uint64_t hex(const char **p)
{
    uint64_t v = 0;
    while (**p == ' ')
        ++*p;
    if ((*p)[0] == '0' && (*p)[1] == 'x')
        *p += 2;
    for (; **p > ' '; ++*p)
        v = v * 16 + (unsigned)(**p <= '9' ? **p - '0' : (**p | 32) - 'a' + 10);
    return v;
}

/* "202 0xADDRESS 0xOPERATION 0xVALUE 0xTIMEOUT …": a wait without a limit. */
static bool waits_in_futex(int tid)
{
    char text[256];
    const char *p = text;
    if (!sn_proc_task(tid, "syscall", text, sizeof text) || hex(&p) != 0x202)
        return false;
    hex(&p);
    uint64_t op = hex(&p) & FUTEX_CMD_MASK;
    hex(&p);
    return (op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET || op == FUTEX_LOCK_PI) && hex(&p) == 0;
}

/* True from the second look on at which all was as it is. */
static bool nothing_moved(int tid)
{
    bool same = last_steps == sn_sched.steps && last_current == sn_sched.current;
    last_steps = sn_sched.steps;
    last_current = sn_sched.current;
    if (!same) {
        since_ns = sn_now_ns();
        since_cpu_ns = sn_proc_ran_ns(tid);
    }
    return same;
}

static bool is_stuck(int tid)
{
    if (!nothing_moved(tid))
        return false;
    if (sn_proc_ran_ns(tid) - since_cpu_ns > COMPUTES_NS)
        return true;
    return sn_proc_sleeps(tid) && (waits_in_futex(tid) || sn_now_ns() - since_ns > STILL_NS);
}

bool sn_monitor_look(void)
{
    struct sn_thread *t = sn_sched.current;
    struct sn_task *k = t ? sn_task_of(t) : 0;
    if (!t || k->set == SN_SET_NONE || (__atomic_load_n(&k->baton, __ATOMIC_ACQUIRE) & SN_BATON) ||
        sn_sched.hatching || !is_stuck(t->kernel_tid))
        return false;
    last_current = 0;
    k->wait = SN_WAIT_OUTSIDE;
    k->next = (struct sn_next){.op = SN_EV_BLOCK, .pc = k->next.pc};
    k->unseen = 1;
    k->comes = 0;
    k->fd = -1;
    sn_sched.unseen++;
    k->left_ns = sn_now_ns();
    k->left_at = sn_sched.now;
    sn_set_put(t, SN_SET_NONE);
    sn_sched.outside++;
    return true;
}

void sn_monitor_rejoin(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    if (k->wait != SN_WAIT_OUTSIDE)
        return;
    k->wait = SN_WAIT_NOTHING;
    k->points++;
    sn_monitor_seen(t);
    sn_sched.outside--;
    sn_sched_return(t);
}

void sn_monitor_seen(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    sn_sched.unseen -= k->unseen;
    k->unseen = k->busy = 0;
}

/* One that comes back may sleep a little before it gets the lock. */
static bool sleeps_outside(struct sn_thread *t)
{
    return !__atomic_load_n(&sn_task_of(t)->comes, __ATOMIC_ACQUIRE) &&
           sn_proc_sleeps(t->kernel_tid);
}

bool sn_monitor_await(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    if (k->wait != SN_WAIT_OUTSIDE || k->busy || sleeps_outside(t))
        return false;
    int tid = t->kernel_tid;
    uint64_t begin = sn_now_ns(), used = sn_proc_ran_ns(tid);
    while (k->wait == SN_WAIT_OUTSIDE && !sleeps_outside(t)) {
        if (sn_proc_ran_ns(tid) - used > BUSY_NS || sn_now_ns() - begin > BUSY_LONG_NS) {
            k->busy = 1;
            break;
        }
        sn_sched_unlock();
        sn_sys0(SYS_sched_yield);
        sn_sched_lock();
    }
    return true;
}

void sn_monitor_back(struct sn_thread *t)
{
    sn_monitor_comes(t);
    sn_sched_lock();
    sn_monitor_rejoin(t);
    sn_sched_unlock();
}
