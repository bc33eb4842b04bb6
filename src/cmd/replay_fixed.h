/* replay_fixed.h: `snag replay --fixed`. */
#ifndef SN_CMD_REPLAY_FIXED_H
#define SN_CMD_REPLAY_FIXED_H

#include "fuzz/goal.h"
#include "store/finding.h"

/* Tries `times` schedules around s, in which saved's goal has its places in the program as it is
 * now. 0 when the finding did not come again, else the exit status of something found, or of a
 * failure. */
int sn_replay_fixed(struct sn_runner *r, const struct sn_schedule *s, const struct sn_goal *g,
                    const struct sn_finding *f, int64_t times);

#endif
