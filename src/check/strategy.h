/*
 * strategy.h: who runs next. A strategy is three functions: begin a run, pick a task, and say at a
 * scheduling point whether to pick anew. One short file each.
 */
#ifndef SN_CHECK_STRATEGY_H
#define SN_CHECK_STRATEGY_H

#include "check/vm.h"

struct sn_strategy {
    const char *name;
    void (*begin)(struct sn_vm *vm, struct sn_strategy *s);
    /* A ready task, or one whose timed wait is to time out; null when none is left. Sets vm->fuel. */
    struct sn_task *(*pick)(struct sn_vm *vm, struct sn_strategy *s);
    /* Task t stands before a visible operation: true to call pick() first. */
    bool (*point)(struct sn_vm *vm, struct sn_strategy *s, struct sn_task *t);
    uint64_t (*choose)(struct sn_vm *vm, struct sn_strategy *s, uint64_t n); /* null: by chance */
    void *state;
};

/* Asked by every visible operation. True: return SN_POINT and come back later. */
static inline bool sn_at_point(struct sn_vm *vm, struct sn_task *t)
{
    if (!vm->concurrent || t->atomic_depth > 0)
        return false;
    if (t->passed_point) {
        t->passed_point = false;
        return false;
    }
    return t->at_point = vm->strategy->point(vm, vm->strategy, t);
}

struct sn_strategy *sn_strategy_random(void);
struct sn_strategy *sn_strategy_pct(void);

/* Systematic search (explore.c): every run is another order of visible operations, until none is left. */
struct sn_explorer;
struct sn_explorer *sn_explorer_new(void);
void sn_explorer_free(struct sn_explorer *x);
struct sn_strategy *sn_explorer_strategy(struct sn_explorer *x);
/* After a run: prepares the next one. False: there is none. */
bool sn_explorer_next(struct sn_explorer *x);
/* Whether nothing was cut off so far. */
bool sn_explorer_complete(const struct sn_explorer *x);
void sn_explorer_cut(struct sn_explorer *x); /* a run was ended by a bound */

/* Any ready task; any in a wait that may time out. Null when there is none. */
struct sn_task *sn_pick_ready(struct sn_vm *vm);
struct sn_task *sn_pick_timeout(struct sn_vm *vm);
/* The slice of a picked task begins; a timed wait ends by its timeout. */
void sn_resume(struct sn_vm *vm, struct sn_task *t, int64_t slice);

#endif
