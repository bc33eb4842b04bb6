/*
 * snapshot.h: many executions from one process. The command asks through a pipe, the process,
 * loaded and linked but not yet at main, forks; the child is the execution. Messages are struct
 * sn_snapshot_ask with the plan behind it, and struct sn_snapshot_answer, on descriptors that the
 * command gives by number. All executions write into the process's own run file: before each of
 * them the command sets it back to what it was at the first answer.
 */
#ifndef SN_ENGINE_SCHED_SNAPSHOT_H
#define SN_ENGINE_SCHED_SNAPSHOT_H

#include <stdint.h>

#define SN_SNAPSHOT_ASK_FD 610
#define SN_SNAPSHOT_ANSWER_FD 611

struct sn_snapshot_ask {
    int64_t seed;
    uint64_t plan_bytes; /* so many follow */
};

/* sn_options.server, and sn_snapshot_answer.status of the first answer. */
enum {
    SN_SNAPSHOT_AT_MAIN = 1,  /* constructors have run */
    SN_SNAPSHOT_AT_START = 2, /* nothing of the program has run */
};

/* When it has ended, with its wait status; with ended 0 when there could be none. While it runs its
 * process id is in the run file. */
struct sn_snapshot_answer {
    int32_t pid, ended, status, zero;
};

/* At the beginning of the process: may its constructors run before the snapshot is taken? They run
 * once then, and not in each execution. */
int sn_snapshot_may_wait(void);
/* Returns in every child, with its plan taken; in the server, only when there is none to be (no
 * pipe). */
void sn_snapshot_serve(void);

#endif
