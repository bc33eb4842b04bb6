/* dfs.h (sched): what the threads of a systematic search touch between their points. */
#ifndef SN_ENGINE_SCHED_DFS_H
#define SN_ENGINE_SCHED_DFS_H

#include "scheduler.h"

extern bool sn_dfs; /* the strategy is dfs */

/* t does something with the object, since its last decision. */
void sn_dfs_touch(struct sn_thread *t, uintptr_t addr, uint64_t size, bool write);

#endif
