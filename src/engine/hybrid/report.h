/* report.h: a candidate becomes a finding, once for each pair of sites. */
#ifndef SN_HYBRID_REPORT_H
#define SN_HYBRID_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "core/thread.h"

/* A thread's access `place` clashes at byte addr with the record (a, b); see record.h. */
struct sn_candidate {
    uintptr_t addr;
    uint32_t place, b;
    uint64_t a;
};

/* 1, once: it is to be told. May be asked under a granule's lock. */
int sn_hybrid_is_new(const struct sn_candidate *c);
/* Writes the finding; `t` is the thread of `place`. Not under a lock. */
void sn_hybrid_report(struct sn_thread *t, const struct sn_candidate *c);

#endif
