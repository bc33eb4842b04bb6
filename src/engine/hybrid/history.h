/*
 * history.h: the history of a granule, and the question that the hybrid detector asks of it: two
 * threads, common bytes, at least one write, not both atomic, no common lock, no message between
 * (RaceFuzzer, section 2.2).
 *
 * A history has at most one record for each (thread, lock set, site, kind) and byte: a record that is
 * ordered before a newer one of the same lock set, site and kind is given up to it, since whatever is
 * concurrent with the older is concurrent with the newer too. So it stays short however long the
 * program runs; beyond SN_HISTORY_MAX records accesses are not kept, and counted.
 */
#ifndef SN_HYBRID_HISTORY_H
#define SN_HYBRID_HISTORY_H

#include <stdint.h>

#include "core/thread.h"
#include "record.h"
#include "shadow.h"

enum { SN_HISTORY_MAX = 256 }; /* records of a granule: some sites times some tens of threads */

/* Is there a record of this context, site and kind with all bytes of mask? Takes no lock: records of a
 * thread's current epoch are written by that thread only, and stay. */
int sn_history_has(const struct sn_granule *g, uint64_t key, uint32_t place, unsigned mask);
/* Looks for candidates, tells them (report.h), and remembers the access. */
void sn_history_access(struct sn_thread *t, struct sn_granule *g, uintptr_t addr, uint32_t place,
                       unsigned mask);
void sn_history_clear(struct sn_granule *g, uintptr_t addr);

#endif
