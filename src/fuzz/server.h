/*
 * server.h: a process of the program, loaded but not yet at main, that forks executions on demand
 * (engine/sched/snapshot.h). Much cheaper than starting the program each time.
 */
#ifndef SN_FUZZ_SERVER_H
#define SN_FUZZ_SERVER_H

#include "cmd/launch.h"

struct sn_server; /* null: not started, or given up */

/* Null when the program cannot serve: then it is started for each execution. */
struct sn_server *sn_server_start(const struct sn_launch *like);
/* One execution. 0, or -1 when the server has gone: the caller then starts the program itself. */
int sn_server_run(struct sn_server *s, int64_t seed, double timeout_s, struct sn_ended *end);
void sn_server_stop(struct sn_server *s);

#endif
