/* race.h: what the race engine's files share. */
#ifndef SN_RACE_RACE_H
#define SN_RACE_RACE_H

#include "cell.h"
#include "core/event.h"

/* The thread's access `me` to the granule at addr clashes with earlier ones. */
void sn_race_report(struct sn_thread *t, uintptr_t addr, uint64_t me, unsigned kind,
                    const struct sn_conflicts *with);
/* Races in this range are not told. */
void sn_race_benign(uintptr_t addr, size_t size);
/* A range access at a known context, inside the engine. */
void sn_race_range(struct sn_thread *t, uintptr_t addr, size_t size, uint32_t where, int write);
/* The locks that thread `number` held in `epoch`. -1: not known any more. */
int sn_order_held_at(uint32_t number, uint32_t epoch, struct sn_held *out, int max);

#endif
