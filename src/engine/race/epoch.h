/*
 * epoch.h: numbers: epochs in batches, slots of clocks, and what happens when epochs are used up.
 *
 * An epoch has 32 bits, and a program that does nothing but take locks uses all of them in a minute
 * or two. Then they are numbered anew, from the start, while nobody is inside the engine. Whatever
 * is in the shadow is forgotten, and so is what clocks and objects know of it: a race between
 * accesses before and after is not seen (counted), and none is invented, for what is left is not
 * published yet:
 *
 * A thread that is outside goes on with its quick accesses (access.c) meanwhile, and may have its
 * old epoch in hand. That epoch stays good: its batch is not given to anybody else this time, and
 * stays the thread's old slot's. The thread itself has moved to another slot, whose numbers begin
 * again, and knows the last epoch of the old one: so does whoever it tells anything. The old slot
 * is free when epochs are used up the next time.
 *
 * Sets of readers (readset.h) are used up too; those that no granule names are given back at the
 * same place, and nothing is forgotten.
 */
#ifndef SN_RACE_EPOCH_H
#define SN_RACE_EPOCH_H

#include <stdint.h>

#include "clock.h"

/* The first epoch of a fresh batch of the thread's slot. 0: there is none left. */
uint32_t sn_epoch_take(const struct sn_thread *t);

/* A slot for a child of `parent` (null: the first thread); SN_MAX_SLOTS: none left. */
uint32_t sn_slot_take(const struct sn_race_thread *parent);
/* Its thread has ended in epoch `final`; between the two calls that follow. */
void sn_slot_give(uint32_t slot, uint32_t final);
/* Keeps renewal away from a thread that is no longer one: nobody waits for it. */
void sn_slots_lock(void);
void sn_slots_unlock(void);
/* In a fork's child: the lock may have been a thread's that is not there. */
void sn_slots_forked(void);
/* The thread knows all that was done by threads that are gone. */
void sn_slots_learn(struct sn_thread *t);

/* What is nearly used up; not 0: sn_epoch_renew() should be called; atomic. */
enum { SN_DUE_EPOCHS = 1, SN_DUE_SETS = 2 };
extern uint32_t sn_renewal_due SN_HIDDEN;
/* By a thread that is inside a hook and has not begun with its event. */
void sn_epoch_renew(struct sn_thread *self);

#endif
