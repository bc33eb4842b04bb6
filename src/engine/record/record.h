/*
 * record.h: the engine that writes a trace: every event of every thread, in one total order, with
 * the values that were read and written.
 *
 * The order is a baton (order.c). A thread needs it for every event and keeps it afterwards:
 * whoever has it is the only one whose accesses can take place, so the value that is read in the
 * hook is the value that the program reads a moment later, and what a write has written is read
 * back at the writer's next event, or when the baton goes on. It goes on when somebody has asked
 * for it for some events, before every operation that may wait, and when its holder sleeps in a
 * call that snag does not see.
 *
 *   order.c   the baton            file.c    blocks to the disk, sites and modules
 *   access.c  reads and writes     pair.c    BarrierPairs: calls into code that is not recorded
 *   atomic.c  atomics              calls.c   where such calls are seen
 *   record.c  the other events     objects.c what a pointer points into: for D
 *                                  graph.c   the object graph in the trace
 *
 * Everything that is written to is the holder's, unless said otherwise.
 */
#ifndef SN_ENGINE_RECORD_H
#define SN_ENGINE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event.h"
#include "core/thread.h"
#include "trace/trace.h"

enum {
    SN_REC_PAIRS = 12, /* open pairs of a thread that are followed; deeper ones are part of those */
    SN_REC_MEMORY = 4096, /* bytes of a longer access that are recorded word by word */
};

enum sn_reach { SN_REACH_ARGUMENTS, SN_REACH_MODULE, SN_REACH_ALL };

/* A call into what is not recorded. */
struct sn_rec_pair {
    uint32_t depth;   /* call frames of the caller */
    uint32_t back_at; /* 0: unrecorded code runs; else it has called back: 1 + frames at that */
    uint32_t site;
    uint32_t reach; /* enum sn_reach */
    uintptr_t callee;
    uint32_t nargs;
    uint64_t arg[6];
};

/* What the recorder knows of a thread. */
struct sn_recorded {
    uint32_t turn;            /* futex: 1 when the baton is given to it */
    uint32_t queued;          /* owner only: in the queue for the baton */
    struct sn_thread *behind; /* in that queue */
    /* A write that was told and may not have happened yet: size 0 none. Holder only. */
    uintptr_t write_addr;
    uint64_t write_size;
    uint64_t write_old; /* what was there before; of more than eight bytes a sum */
    uint32_t write_site;
    uint32_t read_site; /* a read that was told after it and may have come first: access.c */
    uintptr_t read_addr;
    uint64_t read_size; /* 0: none */
    uint32_t npairs;    /* owner only */
    uint32_t pairs_lost;
    uint32_t back_at;   /* owner only: that of the innermost pair */
    uint32_t return_at; /* owner only: that of the innermost pair which has called back */
    uint32_t has_start; /* owner only: its start routine is not recorded: pair[0] */
    uint32_t hidden;    /* owner only: accesses in excluded functions */
    uint32_t spins;     /* owner only: looks at the same one or two places, nothing done between */
    uintptr_t seen[2];  /* owner only: those places */
    uint64_t hooks;     /* owner only: hooks so far; read by who waits, to see whether it moves */
    uint64_t away;      /* owner only: hooks when it went into code that is not recorded */
    uint32_t away_in;   /* owner only: where to; see calls.c */
    uint32_t marked;    /* owner only: its stack is known to objects.c */
    uint32_t calls;     /* owner only: pairs so far */
    uint32_t until_nap; /* owner only: pairs until others get time after one */
    uint32_t in_vain;   /* owner only: naps after them for nobody */
    struct sn_rec_pair *pair; /* owner only: SN_REC_PAIRS; kept for the next thread */
};

_Static_assert(sizeof(struct sn_recorded) <= SN_THREAD_ENGINE_WORDS * 8, "fits the thread record");

static inline struct sn_recorded *sn_rec_of(struct sn_thread *t)
{
    return (struct sn_recorded *)t->engine;
}

/* order.c */
extern uint32_t sn_order_owner; /* index of the holder (from 1); 0: nobody; atomic */
void sn_order_wait(struct sn_thread *t);
void sn_order_share(struct sn_thread *t);      /* somebody has asked for it */
void sn_order_give(struct sn_thread *t);       /* if t has it */
void sn_order_after_call(struct sn_thread *t); /* with the baton, which may have been away */
void sn_order_forked(struct sn_thread *self);
extern uint32_t sn_order_wanted;          /* atomic: threads in the queue */
extern int32_t sn_order_slice;            /* events until the holder shares */
void sn_order_long_call(uint32_t callee); /* calls.c: the order was lost in a call of it */

/* It has the baton, and nobody takes it away before its next hook. */
static inline bool sn_order_keep(struct sn_thread *t)
{
    sn_rec_of(t)->hooks++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return __atomic_load_n(&sn_order_owner, __ATOMIC_ACQUIRE) == t->index;
}

/* Returns with the baton. */
static inline void sn_order_take(struct sn_thread *t)
{
    if (__builtin_expect(!sn_order_keep(t), 0))
        sn_order_wait(t);
    else if (__builtin_expect(__atomic_load_n(&sn_order_wanted, __ATOMIC_RELAXED) != 0, 0))
        sn_order_share(t);
}

/* The thread has looked at addr; or it has done something. */
static inline void sn_spin_looked(struct sn_recorded *r, uintptr_t addr)
{
    if (r->seen[0] == addr || r->seen[1] == addr) {
        r->spins++;
        return;
    }
    r->seen[1] = r->seen[0];
    r->seen[0] = addr;
    r->spins = 0;
}

/* file.c: with the baton */
bool sn_file_open(void);
void sn_file_close(void);
void sn_file_forked(void);
extern int sn_file_live; /* 0: nothing is written (yet, any more) */
void sn_file_event(const struct sn_trace_event *ev);
/* The end of the thread's last call, in short; false: it has to be told as an event. */
bool sn_file_back(uint32_t thread, uint32_t site, uint64_t callee);
void sn_file_name(uintptr_t addr, uint64_t size, const char *name);
uint32_t sn_file_site(uint32_t ctx); /* the trace's number of a calling context */
bool sn_file_knows(uint32_t ctx);    /* it has one */
/* The site of t at pc. */
uint32_t sn_file_here(struct sn_thread *t, uintptr_t pc);

/* access.c: the pending write of t goes into the trace, with the value that memory has now. */
void sn_write_settle(struct sn_thread *t);
/* A write that is about to happen, or has happened. */
void sn_write_told(struct sn_thread *t, uintptr_t addr, size_t size, uint32_t site);
/* Enters the recorder for an access at pc: null when it is not to be recorded. Leave with
 * sn_busy_leave(). The baton is held, earlier writes and pairs are settled. `size`: of a plain
 * read, else 0; then a write may be left pending. */
struct sn_thread *sn_record_enter(uintptr_t pc, uintptr_t addr, size_t size);

/* pair.c */
extern uint32_t sn_exclude_any; /* 1: some functions are excluded */
void sn_pair_func_entry(uintptr_t caller, uintptr_t rsp, uintptr_t rbp, uintptr_t self);
void sn_pair_settle(struct sn_thread *t, uintptr_t pc); /* ends the pairs that are over */
void sn_pair_end_all(struct sn_thread *t);
void sn_pair_go_back(struct sn_thread *t); /* a callback has returned */
bool sn_pair_is_recorded(uintptr_t pc);    /* instrumented and not excluded */
/* t calls `callee`, which is not recorded, with these arguments. What it may reach: only what they
 * point to; the variables of its module as well; everything. */
void sn_pair_begin(struct sn_thread *t, uintptr_t callee, uintptr_t pc, const uint64_t *args,
                   unsigned nargs, enum sn_reach reach);
void sn_pair_init(void);
void sn_pair_forget_modules(void); /* some came or went */
void sn_pair_tell_unchanged(void); /* before the trace ends */
bool sn_exclude_has(uintptr_t pc);
struct sn_excluded {
    uintptr_t low, high;
    uint64_t name; /* its hash: sn_calls_hash() */
    bool patched;  /* calls of it are seen at its entry, with their arguments */
};
struct sn_excluded *sn_exclude_find(uintptr_t entry); /* null: not excluded */

#endif
