/*
 * history.h: the history of a granule, and the question that the hybrid detector asks of it: two
 * threads, common bytes, at least one write, not both atomic, no common lock, no message between
 * (RaceFuzzer, section 2.2).
 *
 * A history stays short however long the program runs. Of two records of one site and kind, one
 * stands for the other when it has no more locks and is not older: in the same epoch, or with the
 * other one ordered before it. For whatever is concurrent with the older is concurrent with the
 * newer too, and whatever shares no lock with the larger set shares none with the smaller.
 *
 * When a thread comes to a site with ever other locks (accounts, locked in pairs), more than
 * SN_HISTORY_SETS records become one with the locks that they have in common. That can only add
 * candidates: some pair of them would not have met without a common lock. Beyond SN_HISTORY_MAX
 * records accesses are not kept, and counted.
 */
#ifndef SN_HYBRID_HISTORY_H
#define SN_HYBRID_HISTORY_H

#include <stdint.h>

#include "clock.h"
#include "core/thread.h"
#include "record.h"
#include "shadow.h"

enum {
    SN_HISTORY_MAX = 256, /* records of a granule: some sites times some tens of threads */
    SN_HISTORY_SETS = 6,
};

/* Is there a record that stands for this access of the thread? Takes no lock: records of a thread's
 * current epoch are written by that thread only, and nobody else gives them up. */
int sn_history_has(struct sn_hybrid_thread *r, struct sn_granule *g, uint32_t place, unsigned mask);
/* Looks for candidates, tells them (report.h), and remembers the access. */
void sn_history_access(struct sn_thread *t, struct sn_granule *g, uintptr_t addr, uint32_t place,
                       unsigned mask);
void sn_history_clear(struct sn_granule *g, uintptr_t addr);

#endif
