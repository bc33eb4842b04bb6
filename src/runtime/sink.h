/*
 * sink.h: the run file, written from inside the program under test. Every record is in the kernel's
 * hands the moment it is committed, so SIGKILL loses nothing.
 */
#ifndef SN_RUNTIME_SINK_H
#define SN_RUNTIME_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "core/runfile.h"

/* SNAG_RUN_DIR names the folder; without it there is no run file and records are dropped. */
void sn_sink_open(const char *dir, const char *engine);
void sn_sink_forked(void); /* in a fork's child: a file of its own */
/* A process that forks executions, one after the other: they all write into its file, which somebody
 * else sets back to what it is now before each of them. */
void sn_sink_share(void);  /* in that process */
void sn_sink_shared(void); /* in each execution */
void sn_sink_state(enum sn_run_state state);
void sn_sink_instrumented(void);
/* 0, or -1 when it could not be written (counted). Safe from any thread and from signal handlers. */
int sn_sink_write(enum sn_rec_type type, const void *payload, size_t bytes);
/* Room for `bytes` of an SN_REC_ENGINE record of that sub-type, zeroed, to be filled in place: what is
 * there counts at once. 8-byte aligned; null when there is none (counted). */
void *sn_sink_area(uint32_t subtype, size_t bytes);
const char *sn_sink_dir(void); /* "": there is no run file */
void sn_sink_message(const char *text);

#endif
