/*
 * await.c: before anybody goes on, those who are on their way get as far as they can: threads that
 * end, that have a signal to handle, that something outside has woken. How far they are would
 * otherwise depend on how fast they are, and so would the schedule.
 */
#include "await.h"

#include "core/sys.h"
#include "monitor.h"
#include "runtime/proc.h"

enum {
    PARTING_YIELDS = 8,
    PARTING_LOOK_NS = 20000000,
    PARTING_NS = 2000000000, /* for a thread's last instructions */
    ROUNDS = 8,              /* a thread outside may well wake again and again */
};

/* The thread before was on its last instructions in libc, which give memory back: they end first,
 * or addresses would depend on how fast they are. It may need for its end what another one holds:
 * then it sleeps. */
void sn_await_end(void)
{
    uint32_t tid = __atomic_exchange_n(&sn_sched.leaving, 0, __ATOMIC_ACQ_REL);
    long pid = sn_sys0(SYS_getpid);
    uint64_t begin = 0, now = 0;
    for (int i = 0; tid && tid != (uint32_t)pid && sn_sys3(SYS_tgkill, pid, tid, 0) == 0 &&
                    now - begin < PARTING_NS;
         i++) {
        sn_sys0(SYS_sched_yield);
        if (i < PARTING_YIELDS)
            continue; /* most often once is enough */
        now = sn_now_ns();
        begin = begin ? begin : now;
        if (now - begin > PARTING_LOOK_NS && sn_proc_sleeps((int)tid))
            return;
    }
}

/* One of those who wait has got a signal: it is awake until it stands in line with it. */
static void await_asleep(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    uint64_t begin = sn_now_ns();
    while ((k->set != SN_SET_NONE || sn_waits_here(k)) && !k->interrupted &&
           !sn_proc_sleeps(t->kernel_tid) && sn_now_ns() - begin < PARTING_NS) {
        sn_sched_unlock();
        sn_sys0(SYS_sched_yield);
        sn_sched_lock();
    }
}

/* A thread outside that something has woken comes back before anybody goes on, or when it does
 * would depend on how fast it is. It may wake another one on its way, so they are looked at until
 * all sleep. */
static void await_outside(struct sn_thread *self)
{
    bool moved = true;
    for (int round = 0; moved && round < ROUNDS; round++) {
        moved = false;
        for (uint32_t i = 0; i < sn_thread_count() && sn_sched.outside; i++) {
            struct sn_thread *t = sn_thread_at(i);
            if (t != self && t != sn_self)
                moved |= sn_monitor_await(t);
        }
    }
}

/* The same for one that has to handle a signal. */
static void await_signalled(struct sn_thread *self)
{
    for (uint32_t i = 0; i < sn_thread_count(); i++) {
        struct sn_thread *t = sn_thread_at(i);
        if (t != self && t != sn_self)
            await_asleep(t);
    }
}

void sn_await_stirred(struct sn_thread *self)
{
    bool look = sn_sched.outside && (sn_sched.stirred || sn_sched.unseen);
    bool signalled = sn_sched.signalled;
    sn_sched.stirred = 0;
    if ((!look && !signalled) || sn_sched.deciding)
        return;
    sn_sched.signalled = 0;
    sn_sched.deciding = 1;
    if (signalled)
        await_signalled(self);
    if (look)
        await_outside(self);
    sn_sched.deciding = 0;
}

/* Who gave the baton on to go outside is in libraries that t may call, too: it gets as far as it
 * can before t goes on. */
void sn_await_left(struct sn_thread *t)
{
    sn_sched_lock();
    if (sn_sched.stirred && !sn_sched.deciding && sn_sched.live) {
        sn_sched.stirred = 0;
        sn_sched.deciding = 1;
        await_outside(t);
        sn_sched.deciding = 0;
    }
    sn_sched_unlock();
}
