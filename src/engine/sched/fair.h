/* fair.h: threads that spin; sn_sched.lock is held. */
#ifndef SN_ENGINE_SCHED_FAIR_H
#define SN_ENGINE_SCHED_FAIR_H

#include "scheduler.h"

/* Rounds of lazy threads only; then time goes on or a postponed one is let go. */
enum { SN_LAZY_ROUNDS = 16 };

void sn_fair_count(struct sn_thread *t); /* at its point: it may become LAZY */
void sn_fair_rouse(struct sn_thread *t); /* it does now what it stood before: who spins there? */

#endif
