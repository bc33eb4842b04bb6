/* replay_gdb.h: `snag replay --gdb`. */
#ifndef SN_CMD_REPLAY_GDB_H
#define SN_CMD_REPLAY_GDB_H

#include "fuzz/goal.h"
#include "store/finding.h"

/* Returns gdb's exit status. */
int sn_replay_gdb(const struct sn_runner *r, const struct sn_saved *saved,
                  const struct sn_finding *f);

#endif
