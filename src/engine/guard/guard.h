/*
 * guard.h: the engine `guard`: anticipating invariants ("A Lightweight System for Detecting and
 * Tolerating Concurrency Bugs"). One engine, three modes: learn computes remote predecessors
 * (section 3.2), guard checks and stalls (Algorithm 1), expose stalls where the order that was learned
 * would turn around (Algorithm 3) and checks.
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

enum sn_guard_mode { SN_MODE_LEARN, SN_MODE_GUARD, SN_MODE_EXPOSE };

struct sn_guard {
    enum sn_guard_mode mode;
    uint32_t ninv;      /* sites in the invariants file */
    bool lock_points;   /* expose: some stalls are before locks */
    uint32_t ncolours;  /* ranges that are coloured; atomic */
    uint32_t violations; /* so far; atomic */
};
extern struct sn_guard sn_guard;

/* What the engine keeps of a thread. */
struct sn_guard_thread {
    uint64_t second_ns;  /* when the second of the budget began */
    uint64_t stalled_us; /* in that second */
    uint64_t random;
    uint32_t ignore;     /* nested annotations */
    uint32_t perturbed_us;
};

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

/* check.c: Algorithm 1. */
void sn_check(struct sn_thread *t, struct sn_guard_site *s, uint64_t *word, uintptr_t addr,
              unsigned size);

/* stall.c */
bool sn_stall_may(struct sn_thread *t);            /* someone could come, nobody waits for t's locks */
bool sn_stall(struct sn_thread *t, uint64_t us);   /* false: the budget is used up, it did not */
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
void sn_report_violation(struct sn_thread *t, struct sn_guard_site *s, uint32_t pred,
                         uint32_t pred_thread, uintptr_t addr, unsigned size, bool resolved,
                         uint32_t ms);

#endif
