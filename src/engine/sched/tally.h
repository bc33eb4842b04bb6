/* tally.h: what the run file is told about the execution: decisions, races, numbers at the end. */
#ifndef SN_ENGINE_SCHED_TALLY_H
#define SN_ENGINE_SCHED_TALLY_H

#include <stdbool.h>

#include "scheduler.h"

struct sn_tally {
    uint64_t switches, hits, lost, diverged, followed, redundant;
};
extern struct sn_tally sn_tally;

/* self (null: nobody) is at its point and next goes on. */
void sn_tally_decision(struct sn_thread *self, struct sn_thread *next);
void sn_tally_choice(enum sn_log_kind kind, struct sn_thread *by, struct sn_thread *chosen);
void sn_tally_hit(struct sn_thread *a, struct sn_thread *b);
void sn_tally_count(struct sn_thread *t);      /* it stands at its point */
void sn_tally_seen(uintptr_t pc, uint32_t op); /* tells it the first time */
/* t does this now, or `waits` to do it; only when the plan asks. `object`: address, or the number
 * of the other thread. */
void sn_tally_step(struct sn_thread *t, uint8_t op, uintptr_t object, uintptr_t pc,
                   enum sn_step_how how);
void sn_tally_summary(void);
void sn_tally_forked(void);

#endif
