/*
 * guard.h: the engine `guard`: anticipating invariants ("A Lightweight System for Detecting and
 * Tolerating Concurrency Bugs"). One engine, four modes: learn computes remote predecessors
 * (section 3.2), guard checks and stalls (Algorithm 1), expose stalls where the order that was
 * learned would turn around (Algorithm 3) and checks, speed only counts accesses, so that what the
 * program does in how much time is known at (nearly) full speed.
 */
#ifndef SN_GUARD_GUARD_H
#define SN_GUARD_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/spin.h"
#include "core/thread.h"
#include "recorder.h"
#include "site.h"

enum sn_guard_mode { SN_MODE_LEARN, SN_MODE_GUARD, SN_MODE_EXPOSE, SN_MODE_SPEED };

struct sn_guard {
    enum sn_guard_mode mode;
    uint32_t ninv;       /* sites in the invariants file */
    bool lock_points;    /* expose: some stalls are before locks */
    uint32_t ncolours;   /* ranges that are coloured; atomic */
    uint32_t violations; /* so far; atomic */
    uint64_t counted;    /* speed: by threads that have ended; atomic */
};
extern struct sn_guard sn_guard;

/* Telling takes time, and an access must follow its record at once: between the two nobody else
 * should come. So what is new is put off until the thread's next access or other event. */
enum { SN_PENDING = 7, SN_LATE_LOCKS = 8 };

struct sn_guard_pending {
    uint32_t site, pred, what; /* enum sn_guard_pair */
    uint32_t doubt;            /* thread + 1 that had recorded, but perhaps not accessed; 0: none */
    const uint64_t *word;
    uint64_t left; /* what was left there; it says when somebody came since */
};

struct sn_guard_late {
    struct sn_guard_site *site; /* null: none */
    uintptr_t addr;
    uint32_t pred, pred_thread, size, ms;
    uint32_t where, nheld; /* as it was then: the thread has gone on when it is told */
    struct sn_held held[SN_LATE_LOCKS];
};

/* What the engine keeps of a thread. */
struct sn_guard_thread {
    uint64_t second_ns;  /* when the second of the budget began */
    uint64_t stalled_us; /* in that second */
    union {
        uint64_t random;  /* learn, expose */
        uint64_t counted; /* speed: accesses; owner; read by others at the end of the process */
    };
    uint32_t ignore; /* nested annotations */
    uint32_t perturbed_us;
    uint32_t npending; /* owner; read by others at the end of the process */
    uint32_t doubt;    /* learn: see struct sn_guard_pending; about `doubtful` */
    const uint64_t *doubtful;
    const uint64_t *at; /* learn: recorded last, and no event since; read by others */
    struct sn_guard_pending pending[SN_PENDING]; /* learn */
    struct sn_guard_late late;                   /* guard: a violation that was resolved */
};
_Static_assert(sizeof(struct sn_guard_thread) <= SN_THREAD_ENGINE_WORDS * sizeof(uint64_t), "");

static inline struct sn_guard_thread *sn_guard_of(struct sn_thread *t)
{
    return (struct sn_guard_thread *)t->engine;
}

enum sn_touch { SN_TOUCH_READ, SN_TOUCH_WRITE, SN_TOUCH_ATOMIC, SN_TOUCH_FREE };

/* access.c: one access of up to 16 bytes, and one of any size. */
void sn_guard_access(uintptr_t addr, unsigned size, uintptr_t pc, enum sn_touch how);
void sn_guard_range(uintptr_t addr, size_t size, uintptr_t pc, enum sn_touch how);

/* learn.c */
void sn_learn(struct sn_thread *t, struct sn_guard_site *s, uint64_t *word);
void sn_learn_chosen(struct sn_guard_site *s);
void sn_learn_flush(struct sn_thread *t);

/* check.c: Algorithm 1. */
void sn_check(struct sn_thread *t, struct sn_guard_site *s, uint64_t *word, uintptr_t addr,
              unsigned size);

/* stall.c */
bool sn_stall_may(struct sn_thread *t); /* someone could come, nobody waits for t's locks */
bool sn_stall(struct sn_thread *t, uint64_t us); /* false: the budget is used up, it did not */
void sn_stall_expose(struct sn_thread *t, struct sn_guard_site *s);
void sn_stall_perturb(struct sn_thread *t);

/* load.c */
void sn_inv_load(void);
void sn_inv_site(struct sn_guard_site *s); /* fills id, flags, set */
uintptr_t sn_inv_address(uint32_t id);     /* of invariant site `id`; 0: its module is not loaded */

/* colour.c: SNAG_COLOUR and SNAG_INS_THIS_ADDR. */
uint64_t *sn_colour_word(uintptr_t addr); /* null: not coloured */
bool sn_chosen_has(uintptr_t addr);
extern uint32_t sn_nchosen; /* atomic */

/* report.c */
void sn_report_flush(struct sn_thread *t);

static inline void sn_guard_flush(struct sn_thread *t)
{
    struct sn_guard_thread *g = sn_guard_of(t);
    __atomic_store_n(&g->at, 0, __ATOMIC_RELEASE); /* its access is done: doubt_of() */
    if (__builtin_expect(g->npending != 0, 0))
        sn_learn_flush(t);
    if (__builtin_expect(g->late.site != 0, 0))
        sn_report_flush(t);
}

void sn_report_violation(struct sn_thread *t, const struct sn_guard_late *v, bool resolved);

#endif
