/* minimise.h: the fewest preemptions that still show it. */
#ifndef SN_FUZZ_MINIMISE_H
#define SN_FUZZ_MINIMISE_H

#include "fuzz/goal.h"

/* s replays an execution that met the goal. Replaces it by one with as few preemptions as `budget`
 * executions can find; *last is then an execution of it (the caller clears it). 0, 1 when not even
 * the schedule itself meets the goal again, or an exit status after a message. */
int sn_minimise(struct sn_runner *r, const struct sn_goal *g, struct sn_schedule *s,
                unsigned budget, struct sn_execution *last);

#endif
