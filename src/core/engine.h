/*
 * engine.h: what an engine is. One engine is linked into one build of the runtime
 * (libsnag-NAME.so), so these are direct calls; nothing outside engine/NAME/ knows the name.
 *
 * An engine is a folder engine/NAME/ with
 *   access.h   the memory path, inline: sn_access_read/write(addr, size, pc), see engine/none/
 *   *.c        the functions below
 * and one word in SNAG_ENGINES in CMakeLists.txt. doc/add-an-engine.md shows it.
 */
#ifndef SN_CORE_ENGINE_H
#define SN_CORE_ENGINE_H

#include <stdint.h>

#include "core/event.h"
#include "core/sync.h"
#include "core/thread.h"

enum sn_gate_answer {
    SN_GO,   /* perform the operation */
    SN_DONE, /* the gate has performed it: return ev->result */
};

extern const char sn_engine_name[];
/* 1: sn_engine_gate() is called before operations that may block or be delayed. */
extern const int sn_engine_gates;

/* 1: nothing to do in a process in which no module is instrumented. */
extern const int sn_engine_needs_code;

/* Once, before main, single-threaded; options are parsed, the sink is open. */
void sn_engine_init(void);
/* At a regular end of the process; other threads may still run. */
void sn_engine_exit(void);
/* In a fork's child, before it goes on. */
void sn_engine_forked(struct sn_thread *self);
/* A new thread record, in the parent, before the child exists; and when a record is given back. */
void sn_engine_thread_new(struct sn_thread *t, struct sn_thread *parent);
void sn_engine_thread_gone(struct sn_thread *t);
enum sn_gate_answer sn_engine_gate(struct sn_thread *t, struct sn_event *ev);
void sn_engine_event(struct sn_thread *t, const struct sn_event *ev);

#endif
