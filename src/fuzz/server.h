/*
 * server.h: a process of the program, loaded but not yet at main, that forks executions on demand
 * (engine/sched/snapshot.h). Much cheaper than starting the program each time. Several can be at
 * work at once: each is asked, and looked at when its descriptor has something.
 */
#ifndef SN_FUZZ_SERVER_H
#define SN_FUZZ_SERVER_H

#include <stddef.h>

#include "cmd/launch.h"

struct sn_server; /* null: not started, or given up */

/* Null when the program cannot serve: then it is started for each execution. */
struct sn_server *sn_server_start(const struct sn_launch *like);
/* Begins an execution; plan: text for the engine. 0, or -1 when the server has gone: the caller
 * then starts the program itself. */
int sn_server_begin(struct sn_server *s, int64_t seed, const char *plan, double timeout_s);
/* Readable when the execution may have ended; it is to be looked at by the deadline, too. */
int sn_server_fd(const struct sn_server *s);
double sn_server_deadline(const struct sn_server *s); /* by sn_server_clock() */
double sn_server_clock(void);
/* 1: the execution has ended, *end is filled; 0: not yet; -1 the server has gone. Does not wait. */
int sn_server_look(struct sn_server *s, struct sn_ended *end);
int sn_server_await(struct sn_server *s, struct sn_ended *end); /* 0 or -1 */
void sn_server_cancel(struct sn_server *s); /* the execution that runs, if there is one */
void sn_server_stop(struct sn_server *s);

/* The run file that all executions write into, as it is now; *bytes of it. Null: none. */
const void *sn_server_run(const struct sn_server *s, size_t *bytes);
uint64_t sn_server_base(const struct sn_server *s); /* bytes of records that are the server's own */
const char *sn_server_run_name(const struct sn_server *s); /* in the run folder */

#endif
