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

/* 1: it wants to know of heap blocks (SN_EV_ALLOC, SN_EV_FREE). */
extern const int sn_engine_sees_blocks;

/* 1: small blocks of the program come from core/small.h, unless something is against it. */
extern const int sn_engine_own_heap;

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

#define SN_HELD 4 /* objects of one call that are held */

/* A call under a contract, as runtime/redirect_entry.S has it on the stack: it writes all but what
 * the compiler keeps. */
struct sn_call {
    uint64_t arg[6]; /* rdi rsi rdx rcx r8 r9 */
    uint64_t rax, r10;
    uint64_t kept[6];       /* rbx rbp r12 r13 r14 r15; in the slow half, and during a long call */
    uint16_t held[SN_HELD]; /* for the engine, from the beginning of a long call to its end */
    uint64_t outer_hold;
    uint64_t result[4]; /* vector registers that the call may have returned something in */
    uint64_t saved[2];  /* for the engine: what arguments pointed to */
    uint64_t stub;      /* index */
    uint64_t pc;   /* return address: the call's site */
};

/* Optional: an engine that has these gets the calls that contracts describe (runtime/redirect.h).
 * The fast half must touch no vector register: compile its file with -mgeneral-regs-only. When it
 * returns other than 0, the slow half is called with that, all registers saved. */
__attribute__((weak, visibility("hidden"))) int sn_engine_call_fast(struct sn_call *c);
__attribute__((weak, visibility("hidden"))) void sn_engine_call_slow(struct sn_call *c, int action);
/* Optional: a call that a contract calls `long` has returned. c is the same as at its beginning. */
__attribute__((weak, visibility("hidden"))) void sn_engine_call_leave(struct sn_call *c);
/* The innermost long call of this thread ends by an exception, or with the thread. */
__attribute__((weak, visibility("hidden"))) void sn_engine_call_unwound(void);

/* Optional: SNAG_COLOUR and SNAG_INS_THIS_ADDR (include/snag.h). */
__attribute__((weak, visibility("hidden"))) void sn_engine_colour(uint64_t group, uintptr_t addr,
                                                                  uint64_t size);
__attribute__((weak, visibility("hidden"))) void sn_engine_choose(uintptr_t addr);
/* Of syscall(SYS_sched_getaffinity, …) and its twin, where the engine has another answer than the
 * kernel: that of a system call, -errno included. */
__attribute__((weak, visibility("hidden"))) long sn_engine_affinity(long number, int tid,
                                                                    size_t bytes, void *mask);

#endif
