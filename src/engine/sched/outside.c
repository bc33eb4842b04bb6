/*
 * outside.c: a thread that waits for the world gives the baton on before and asks for it
 * afterwards. A descriptor that is ready does not make it wait: such calls (files, most writes)
 * stay in the schedule, which keeps executions the same from time to time.
 */
#include "outside.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>

#include "core/sys.h"
#include "monitor.h"
#include "plan.h"
#include "runtime/real.h"

bool sn_sched_targets(uintptr_t pc)
{
    return sn_plan_filter[pc % SN_PLAN_FILTER] && sn_plan_is_site(pc);
}

static void leave(struct sn_thread *t, int fd, bool output, uintptr_t pc)
{
    struct sn_task *k = sn_task_of(t);
    k->fd = fd;
    k->comes = 0;
    k->output = output;
    k->wait_pc = pc;
    k->points++;
    k->next = (struct sn_next){.op = SN_EV_BLOCK, .pc = pc};
    k->wait = SN_WAIT_OUTSIDE;
    k->left_ns = sn_now_ns();
    k->left_at = sn_sched.now;
    sn_set_put(t, SN_SET_NONE);
    sn_sched.outside++;
    sn_sched_drop(t);
    sn_sched_stir(); /* it may not have to wait at all */
}

/* What took long outside took long in the program's own time as well: a wait with a limit comes to
 * it. */
static void let_time_pass(const struct sn_task *k)
{
    enum { MS = 1000000 };
    uint64_t now = k->left_at + (sn_now_ns() - k->left_ns) / MS * MS;
    if (now > sn_sched.now)
        sn_sched.now = now;
}

static void come_back(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    if (k->wait != SN_WAIT_OUTSIDE)
        return; /* it has not left, or a signal handler has brought it back (monitor.c) */
    let_time_pass(k);
    k->wait = SN_WAIT_NOTHING;
    k->points++;
    k->next = (struct sn_next){.op = SN_EV_UNBLOCK, .pc = k->next.pc};
    sn_monitor_seen(t);
    sn_sched.outside--;
    sn_sched_return(t);
}

bool sn_outside_ready(int fd, bool output)
{
    struct pollfd p = {.fd = fd, .events = output ? POLLOUT : POLLIN};
    return fd < 0 ? false : sn_sys3(SYS_poll, &p, 1, 0) != 0;
}

void sn_outside_enter(struct sn_thread *t, int fd, bool output, uintptr_t pc)
{
    if (!sn_outside_ready(fd, output))
        leave(t, fd, output, pc);
}

void sn_outside_back(struct sn_thread *t)
{
    come_back(t);
}

#define OUTSIDE(t, pc, r, call)                                                                    \
    do {                                                                                           \
        leave(t, -1, false, pc);                                                                   \
        sn_sched_unlock();                                                                         \
        (r) = (call);                                                                              \
        sn_monitor_comes(t);                                                                       \
        sn_sched_lock();                                                                           \
        come_back(t);                                                                              \
    } while (0)

int sn_outside_lock(struct sn_thread *t, const struct sn_event *ev)
{
    int r;
    pthread_rwlock_t *l = (pthread_rwlock_t *)ev->addr;
    pthread_mutex_t *m = (pthread_mutex_t *)ev->addr;
    const struct timespec *limit = ev->arg;
    if (ev->op == SN_EV_RDLOCK)
        OUTSIDE(t, ev->pc, r,
                limit ? sn_real.pthread_rwlock_timedrdlock(l, limit)
                      : sn_real.pthread_rwlock_rdlock(l));
    else if (ev->flags & SN_EF_RWLOCK)
        OUTSIDE(t, ev->pc, r,
                limit ? sn_real.pthread_rwlock_timedwrlock(l, limit)
                      : sn_real.pthread_rwlock_wrlock(l));
    else
        OUTSIDE(t, ev->pc, r,
                limit ? sn_real.pthread_mutex_timedlock(m, limit) : sn_real.pthread_mutex_lock(m));
    return r;
}

int sn_outside_barrier(struct sn_thread *t, const struct sn_event *ev)
{
    int r;
    OUTSIDE(t, ev->pc, r, sn_real.pthread_barrier_wait((pthread_barrier_t *)ev->addr));
    return r;
}

int sn_outside_sem(struct sn_thread *t, const struct sn_event *ev)
{
    int r;
    sem_t *sem = (sem_t *)ev->addr;
    OUTSIDE(t, ev->pc, r, ev->arg ? sn_real.sem_timedwait(sem, ev->arg) : sn_real.sem_wait(sem));
    return r;
}
