/* replay_fixed.h: `snag replay --fixed`. */
#ifndef SN_CMD_REPLAY_FIXED_H
#define SN_CMD_REPLAY_FIXED_H

#include "fuzz/goal.h"
#include "store/finding.h"

/* Tries `times` schedules around `old`, decisions, and around s, the same as places in the program
 * as it is now, where the goal's are, too. 0 when the finding did not come again, else the exit
 * status of something found, or of a failure. */
int sn_replay_fixed(struct sn_runner *r, const struct sn_schedule *old, const struct sn_schedule *s,
                    const struct sn_goal *g, const struct sn_finding *f, int64_t times);

#endif
