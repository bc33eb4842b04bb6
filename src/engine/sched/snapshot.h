/*
 * snapshot.h: many executions from one process. The command asks through a pipe, the process,
 * loaded and linked but not yet at main, forks; the child is the execution. Messages are struct
 * sn_snapshot_ask and struct sn_snapshot_answer, on descriptors that the command gives by number.
 */
#ifndef SN_ENGINE_SCHED_SNAPSHOT_H
#define SN_ENGINE_SCHED_SNAPSHOT_H

#include <stdint.h>

#define SN_SNAPSHOT_ASK_FD 610
#define SN_SNAPSHOT_ANSWER_FD 611

struct sn_snapshot_ask {
    int64_t seed;
};

/* First with the child's process id and ended 0; then, when it has ended, with its wait status. */
struct sn_snapshot_answer {
    int32_t pid, ended, status, zero;
};

/* Returns in every child; in the server, only when there is none to be (no pipe). */
void sn_snapshot_serve(void);

#endif
