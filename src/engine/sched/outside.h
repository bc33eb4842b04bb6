/* outside.h: calls in which a thread waits for the world, out of the schedule. */
#ifndef SN_ENGINE_SCHED_OUTSIDE_H
#define SN_ENGINE_SCHED_OUTSIDE_H

#include "scheduler.h"

bool sn_sched_targets(uintptr_t pc); /* a statement that the plan names */

/* Lock held: the real operation on an object that another process shares. */
int sn_outside_lock(struct sn_thread *t, const struct sn_event *ev);
int sn_outside_sem(struct sn_thread *t, const struct sn_event *ev);
int sn_outside_barrier(struct sn_thread *t, const struct sn_event *ev);

/* Lock held: t is about to enter a call on descriptor fd (-1: unknown) that may wait; t is back. A
 * call that need not wait stays in the schedule. */
void sn_outside_enter(struct sn_thread *t, int fd, bool output, uintptr_t pc);
void sn_outside_back(struct sn_thread *t);
bool sn_outside_ready(int fd, bool output); /* a call on it would not wait */

#endif
