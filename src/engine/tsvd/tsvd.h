/*
 * tsvd.h: what the files of this engine share. The algorithm is TSVD's (sections 3 and 4 of the
 * paper): calls under a contract are points; accesses of two threads to one object that are near in
 * time make their two places a dangerous pair; at places in such a pair threads are delayed with a
 * trap set; whoever comes to a conflicting call on the same object meanwhile is caught in the act.
 *
 * - point.c: every call: site, history, near misses. Touches no vector register, takes no global
 * lock
 * - pair.c: the trap set: pairs of sites and the probability of a delay at each site
 * - trap.c, delay.c: traps and delays, inferred happens-before
 * - object.c, object_slow.c: which object a call is about; modes, marks, freezing, spans, locks
 * - memory.c: memory accesses of instrumented code
 * - clock.c: vector clocks
 * - load.c: pairs that earlier runs left over
 * - report.c: findings, coverage, the trap set for the next run
 */
#ifndef SN_TSVD_H
#define SN_TSVD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/contract.h"
#include "core/engine.h"
#include "core/thread.h"

enum sn_tsvd_mode { SN_TSVD, SN_TSVD_HB, SN_TSVD_RANDOM, SN_TSVD_STATIC };

/* What the fast half wants the slow half to do. */
enum sn_tsvd_action {
    SN_DO_ALL = 1,   /* the objects of this call take the slow way */
    SN_DO_ADOPT = 2, /* a thread that has no record yet */
    SN_DO_PAIR = 4,  /* a near miss of places that are not known as a pair */
    SN_DO_TRAP = 8,  /* a trap may be set on one of the objects */
    SN_DO_DELAY = 16,
    SN_DO_GAP = 32,  /* the thread was away for long, while another was delayed */
    SN_DO_NOW = 512, /* delay, whatever is known of the place */
    SN_DO_NEW = 256, /* a place that was not reached before, and there are pairs of earlier runs */
    SN_DO_FIRST = 128, /* the first point of a thread */
    SN_DO_SIGNAL = 64, /* a signal handler waits for the end of the hook */
};

#define SN_SITE_BITS 15
#define SN_MAX_SITES                                                                               \
    (1u << SN_SITE_BITS)  /* places in the code; a large program has some thousands */
#define SN_CERTAIN 65536u /* probability 1 */
#define SN_MAX_HISTORY 64
#define SN_MAX_CAUSES 6 /* delays that one gap is put down to */

enum sn_site_flag {
    SN_SITE_CONCURRENT = 1, /* was reached in a concurrent phase */
    SN_SITE_ARMED = 2,      /* mode static-random: the next call here is delayed */
    SN_SITE_MEMORY = 4,     /* a memory access, not a call */
    SN_SITE_EXPECTED = 8,   /* in a pair of an earlier run */
};

/* A place in the code that calls a function under a contract. */
struct sn_point {
    uintptr_t pc;         /* return address; 0: free. Written last */
    uint32_t entry;       /* of the contracts; a memory access: 1 write, 0 read */
    uint32_t probability; /* of a delay; atomic */
    uint32_t flags;       /* enum sn_site_flag; atomic */
    uint32_t npairs;      /* dangerous pairs with this place; atomic */
    uint64_t delays;      /* atomic */
};

/* What a thread does to one object now. */
struct sn_touch {
    uint64_t key; /* object: address and type in one number; never 0 */
    uintptr_t addr;
    uint16_t does, conflicts;
    uint8_t act;
    uint8_t bytes;   /* memory: mask of the bytes of its granule */
    uint32_t effect; /* index in the contracts */
};

enum { SN_CONTRACT_LOCKS = 4 };
enum {
    SN_LOCKS = 3
}; /* that are kept of an access: two of the threads library, one of a contract */

enum sn_phase { SN_SEQUENTIAL, SN_CONCURRENT, SN_ALONE }; /* alone: the only thread there is */

struct sn_past {
    uint64_t when; /* time stamp counter */
    uint32_t thread, point;
    uint16_t does, conflicts;
    uint8_t bytes, concurrent, destroys, pad;
    uint32_t tick;           /* the thread's own time at this access */
    uint32_t lock[SN_LOCKS]; /* that the thread held, see lock.h; 0: none */
};

/* The last accesses to one object. Slots are found by hash; a newer object may take the slot of one
 * that was not used for longest, which can lose a near miss, never more. */
struct sn_history {
    uint64_t key;
    uint32_t lock; /* guards the slot */
    uint32_t next; /* where the next access goes */
    struct sn_past past[];
};

/* Per thread, in sn_thread.engine. */
struct sn_tsvd_thread {
    uint64_t last; /* time of its last point; owner only */
    uint64_t random;
    uint64_t delayed_ms; /* so far */
    uint32_t credit;     /* points for which the phase still counts as concurrent */
    uint32_t after;      /* points that are still ordered after a delay at … */
    uint32_t nafter, after_point[SN_MAX_CAUSES];
    uint32_t point;            /* of the call that is in its slow half */
    uint32_t tick;             /* advanced at points only */
    uint32_t clock;            /* tree, see clock.c */
    uintptr_t pending_lock[2]; /* acquired by the call before this one */
    uintptr_t pending_mark;    /* address of the pointer to an object that gets a mark */
    uintptr_t pending_old;     /* what it pointed to before */
    uint32_t pending_mark_effect, pending_left, pending_where, pending_point, pending_on_stack;
    uint32_t concurrent;     /* enum sn_phase of the current point */
    uint32_t begun;          /* it has come to a point */
    uintptr_t hold_frame;    /* of the innermost long call; 0: none */
    uint32_t is_new;         /* the current point was reached for the first time */
    uint32_t lock[SN_LOCKS]; /* as in struct sn_past, at the current point */
    uint32_t contract_lock[SN_CONTRACT_LOCKS]; /* taken by functions of contracts */
    uint32_t ncontract_locks, lost_locks;      /* lost: taken when there was no room */
    uint32_t after_serial; /* of the delay that ended early for it; 0: of a lock or a gap */
    uint32_t stands;       /* it is delayed; atomic */
    uint32_t reads;        /* from a channel inside the process; atomic */
    uint32_t evidence;     /* enum sn_evidence of the current point */
};

_Static_assert(sizeof(struct sn_tsvd_thread) <= SN_THREAD_ENGINE_WORDS * 8, "fits the record");

static inline struct sn_tsvd_thread *sn_tsvd_of(struct sn_thread *t)
{
    return (struct sn_tsvd_thread *)t->engine;
}

struct sn_tsvd {
    uint64_t window, gap; /* in ticks of the time stamp counter */
    uint64_t ticks_per_ms;
    uint64_t last_delay_end; /* atomic */
    uint32_t mode, history, phase_buffer;
    uint32_t phase_thread; /* 1 + thread that came to a point last; atomic, often stale by design */
    uint32_t threads;      /* alive; atomic */
    uint32_t npoints;      /* atomic */
    uint16_t used[SN_MAX_SITES]; /* the points in the order in which they were reached */
    uint32_t nexpected;          /* pairs of earlier runs */
    uint32_t looked;             /* a thread was started, and sn_trapset_arm() called; atomic */
    char *slots;                 /* of struct sn_history */
    uint32_t slot_bytes;
    uint32_t trap_count[256]; /* by hash of the object: traps set; atomic */
};

extern struct sn_tsvd sn_tsvd;
extern struct sn_point sn_points[SN_MAX_SITES];

static inline uint64_t sn_ticks(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

static inline uint32_t sn_trap_bucket(uint64_t key)
{
    return (uint32_t)(key >> 56);
}

/* point.c. Touches: the objects of one call. Returns what is left to do (enum sn_tsvd_action). */
int sn_tsvd_point(struct sn_thread *t, uintptr_t pc, uint32_t entry, uint32_t flags,
                  const struct sn_touch *touch, unsigned n);
uint32_t sn_tsvd_place(uintptr_t pc, uint32_t entry); /* the point there; 0: no room */
/* What the object's history says for a delay at this point. */
enum sn_evidence {
    SN_EVIDENCE_NONE,      /* used often, and nobody who could be met came lately */
    SN_EVIDENCE_YOUNG = 1, /* an object of which little is known */
    SN_EVIDENCE_NEAR = 2,  /* a near miss just now */
};
bool sn_is_near_miss(struct sn_thread *t, const struct sn_past *p, const struct sn_touch *x,
                     uint64_t now);
struct sn_history *sn_history_lock(uint64_t key); /* the slot of the object, locked */
uint64_t sn_tsvd_random(struct sn_tsvd_thread *s);

/* pair.c */
enum sn_pair_state {
    SN_PAIR_NONE,
    SN_PAIR_DANGEROUS,
    SN_PAIR_ORDERED,
    SN_PAIR_FOUND,
    SN_PAIR_WORN
};
enum sn_pair_state sn_pair_state(uint32_t a, uint32_t b);
/* A near miss, `first` before `then`, is of interest: the pair is not known, or known to be ordered
 * in the other direction only. */
bool sn_pair_is_open(uint32_t first, uint32_t then);
void sn_pair_add(uint32_t first, uint32_t then); /* becomes dangerous if it is open */
void sn_pair_end(uint32_t a, uint32_t b, enum sn_pair_state why);
/* The program makes `then` wait for `first`. serial: of the delay that says so, when two are
 * needed; 0: it is sure. */
void sn_pair_order(uint32_t first, uint32_t then, uint32_t serial);
void sn_pair_decay(uint32_t point, enum sn_evidence why); /* a delay there was in vain */
/* A pair of an earlier run whose places are not both known yet: the one that is gets delays. */
void sn_pair_expect(uint32_t point);
void sn_pair_put(uint32_t a, uint32_t b);      /* both are known: the pair, without raising again */
bool sn_pair_is_quiet(uint32_t a, uint32_t b); /* an earlier run had no success with it */

/* load.c: the pairs that earlier runs left over. */
void sn_trapset_read(void);
void sn_trapset_arm(void);             /* hidden state that was of interest in an earlier run */
void sn_trapset_point(uint32_t point); /* reached for the first time: it may be in one of them */

/* trap.c. c is null for a memory access. */
uint32_t sn_tsvd_where(struct sn_thread *t, const struct sn_call *c);
void sn_tsvd_slow(struct sn_thread *t, const struct sn_call *c, const struct sn_touch *touch,
                  unsigned n, int action);
/* Until sn_engine_call_leave(). */
void sn_trap_hold(struct sn_thread *t, struct sn_call *c, const struct sn_touch *touch, unsigned n);
/* The same in the fast half. False: somebody is there. */
bool sn_trap_hold_fast(struct sn_thread *t, struct sn_call *c, const struct sn_touch *touch,
                       unsigned n);
void sn_trap_drop_left(struct sn_thread *t, const struct sn_call *c);
void sn_trap_forget(struct sn_thread *t); /* it is gone */
void sn_trap_forked(void);

/* object.c. Fills touch; returns how many. -1: take the slow way. */
int sn_tsvd_touches(const struct sn_call *c, const struct sn_contract_entry *e,
                    struct sn_touch *touch);
unsigned sn_tsvd_touches_slow(struct sn_thread *t, const struct sn_call *c,
                              const struct sn_contract_entry *e, struct sn_touch *touch);
/* What a rule beyond overlapping forbids: who did what before, in which call. */
struct sn_broken {
    uint32_t thread, where, point;
};
bool sn_object_broken(struct sn_thread *t, const struct sn_touch *x, struct sn_broken *out);
void sn_tsvd_pending(struct sn_thread *t); /* what its last call has done is known now */
/* In the fast half: the rules of these touches are kept, as far as can be said without asking. */
bool sn_object_is_well(struct sn_thread *t, const struct sn_touch *touch, unsigned n);
/* What the calls make known of their objects, after the point; returns SN_DO_NOW for a delay.
 * where: of the call, for spans. */
int sn_object_note(struct sn_thread *t, uint32_t where, const struct sn_touch *touch, unsigned n);
bool sn_object_needs_where(const struct sn_touch *touch, unsigned n);

/* clock.c: mode hb; in mode tsvd only what orders two threads whatever happens. */
void sn_tsvd_clock_event(struct sn_thread *t, const struct sn_event *ev);
void sn_tsvd_clock_new(struct sn_thread *t, struct sn_thread *parent);
bool sn_tsvd_clock_before(struct sn_thread *t, uint32_t thread, uint32_t tick);

/* report.c */
struct sn_trap;
void sn_tsvd_report(struct sn_thread *t, const struct sn_call *c, const struct sn_touch *touch,
                    const struct sn_trap *trap);
void sn_tsvd_report_broken(struct sn_thread *t, const struct sn_call *c,
                           const struct sn_touch *touch, const struct sn_broken *other);
void sn_tsvd_report_pair(uint32_t a, uint32_t b, enum sn_pair_state state);
void sn_tsvd_report_state(uint32_t object);
void sn_tsvd_state_name(uint32_t object, char *name); /* SN_TSVD_NAME bytes */
void sn_tsvd_report_coverage(void);
const char *sn_point_name(uint32_t point); /* the function that is called there */

#endif
