/* await.h: threads that are on their way get as far as they can before anybody goes on. */
#ifndef SN_ENGINE_SCHED_AWAIT_H
#define SN_ENGINE_SCHED_AWAIT_H

#include "scheduler.h"

static inline bool sn_waits_here(const struct sn_task *k)
{
    return k->wait > SN_WAIT_BIRTH && k->wait < SN_WAIT_OUTSIDE;
}

void sn_await_end(void); /* of the thread that was on its last instructions; without the lock */
/* Lock held, given up meanwhile: whoever was woken outside, or has a signal to handle. */
void sn_await_stirred(struct sn_thread *self);
/* Without the lock: t has the baton and goes on after this. */
void sn_await_left(struct sn_thread *t);

#endif
