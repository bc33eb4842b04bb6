/*
 * trace.h: what a stored trace is: events in one total order, and the tables that explain them.
 *
 * A trace is a file in the binary form (format.h) or the text form (text.h); sn_trace_open() takes
 * both. Events come one at a time and memory does not grow with their number, only with the tables
 * (sites, modules, names). Nothing here knows an analysis: an engine without a gate can be driven
 * by the struct sn_event inside each item.
 *
 * Conventions on top of core/event.def, for stored events:
 *   read, write, atomic-*   size at most 8 and SN_TRACE_VALUE: `value` is exact; a longer access,
 * or one without the flag, has an unknown value (recorders split long accesses into words)
 *   atomic-rmw              `old` was read, `ev.value` was written, in one step
 *   create, start, end,     ev.value is the other thread's number; ev.addr, when not 0, is the
 *   join                    address of the thread object (of the child; for start and end, of the
 *                           thread itself), by which a call that is handed a thread can be matched
 *   unlock and lock with    the halves of a condition wait; ev.value is the address of the
 *   SN_EF_COND              condition variable, 0 when it is not known
 *   leave-code, enter-code  a BarrierPair: the thread is in code whose events are not in the trace.
 *                           `ranges` of leave-code is what that code can reach
 *   none                    not an event: a memory block and its outgoing pointers, see below
 *
 * Ownership: what sn_trace_next() and the table functions hand out belongs to the trace. An event's
 * ranges are valid until the next call of sn_trace_next(), table entries until sn_trace_close().
 */
#ifndef SN_TRACE_TRACE_H
#define SN_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event.h"

struct sn_trace_range {
    uint64_t addr;
    uint64_t size;
};

enum sn_trace_flag {
    SN_TRACE_VALUE = 1, /* ev.value (and old) is known; always so for what is not an access */
    SN_TRACE_ROOTS = 2, /* leave-code: ranges are where the walk starts, not all that it reaches */
};

/*
 * op == SN_EV_NONE describes one node of the object graph, logged once per block: ranges[0] is the
 * block, each further range is a pointer in it: `addr` is the offset in the block, `size` the
 * target address. Later writes in the trace bring it up to date. A block without pointers that is a
 * root of the next leave-code is not logged.
 */
struct sn_trace_event {
    struct sn_event ev;
    uint32_t thread;
    uint32_t site;  /* 0: unknown */
    uint64_t old;   /* atomic-rmw: the value that was read */
    uint32_t flags; /* enum sn_trace_flag */
    uint32_t nranges;
    const struct sn_trace_range *ranges;
};

#define SN_TRACE_NO_MODULE 0xffffffffu

/* A code position with its callers. */
struct sn_trace_site {
    uint32_t parent; /* the caller's site; 0: none */
    uint32_t module; /* SN_TRACE_NO_MODULE: only `where` says what it is */
    uint64_t offset; /* in the module: ELF virtual address */
    char *where;     /* "file:line" or "function(file:line)"; null when module and offset tell */
};

struct sn_trace_module {
    char *path;
    uint8_t build_id[32];
    uint32_t build_id_bytes;
    uint64_t base, start, end; /* load bias, mapped range */
};

struct sn_trace_name {
    char *name;
    uint64_t addr, size;
};

/* A name that says: this memory of code that was not recorded was the same at the beginning and the
 * end of every call, so no call told another anything by it. */
#define SN_TRACE_UNCHANGED "(unchanged)"

struct sn_trace;

/* 0, or -errno with a sentence for the user in *why (malloc). path "-" is standard input. */
int sn_trace_open(const char *path, struct sn_trace **out, char **why);
void sn_trace_close(struct sn_trace *t);
/* 1: *ev is the next event; 0: the end; -EBADMSG: damaged, sn_trace_why() says where and how. */
int sn_trace_next(struct sn_trace *t, struct sn_trace_event *ev);
/* After an error its reason; after the end a remark (the program was killed), or null. */
const char *sn_trace_why(const struct sn_trace *t);

uint32_t sn_trace_sites(const struct sn_trace *t); /* numbers are 1 … this */
const struct sn_trace_site *sn_trace_site(const struct sn_trace *t, uint32_t site); /* or null */
uint32_t sn_trace_modules(const struct sn_trace *t); /* numbers are 0 … this - 1 */
const struct sn_trace_module *sn_trace_module(const struct sn_trace *t, uint32_t module);
uint32_t sn_trace_names(const struct sn_trace *t);
const struct sn_trace_name *sn_trace_name(const struct sn_trace *t, uint32_t i);
/* The name that covers `addr`, or null. */
const struct sn_trace_name *sn_trace_name_at(const struct sn_trace *t, uint64_t addr);
/* `# expect…` lines of a text trace, without the `# `. */
uint32_t sn_trace_expects(const struct sn_trace *t);
const char *sn_trace_expect(const struct sn_trace *t, uint32_t i);

/* True for read, write and the atomics: what has a value. */
static inline bool sn_trace_is_access(enum sn_event_op op)
{
    return op == SN_EV_READ || op == SN_EV_WRITE || op == SN_EV_ATOMIC_LOAD ||
           op == SN_EV_ATOMIC_STORE || op == SN_EV_ATOMIC_RMW;
}

#endif
