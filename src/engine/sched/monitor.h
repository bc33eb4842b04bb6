/* monitor.h: a running thread that waits where no hook sees it must not keep the baton. */
#ifndef SN_ENGINE_SCHED_MONITOR_H
#define SN_ENGINE_SCHED_MONITOR_H

#include "scheduler.h"

/* Lock held, by a thread that waits for the baton: true when the running thread was put outside. */
bool sn_monitor_look(void);
/* At a hook: t has the baton, or was put outside meanwhile and asks for it now. */
void sn_monitor_back(struct sn_thread *t);
void sn_monitor_rejoin(struct sn_thread *t); /* the same with the lock held */
void sn_monitor_seen(struct sn_thread *t);   /* it has come back by itself */
/* Until t, if it is outside, has come back or sleeps; gives the lock up meanwhile. False when there
 * was nothing to wait for. */
bool sn_monitor_await(struct sn_thread *t);

/* t is on its way back from outside, before it takes the lock: what it does is no sleep. */
static inline void sn_monitor_comes(struct sn_thread *t)
{
    __atomic_store_n(&sn_task_of(t)->comes, 1, __ATOMIC_RELEASE); /* pairs with sleeps_outside() */
}

static inline void sn_monitor_enter(struct sn_thread *t)
{
    if (__builtin_expect(sn_task_of(t)->wait == SN_WAIT_OUTSIDE, 0))
        sn_monitor_back(t);
}

#endif
