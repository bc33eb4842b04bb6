/*
 * strategy_pct.c: probabilistic concurrency testing (Burckhardt et al.): tasks have random priorities,
 * the highest ready one runs, and at a few random moments the running one falls behind all others. A
 * bug that needs d orderings is found with a chance of at least 1/(n k^(d-1)).
 */
#include "check/strategy.h"

#define CHANGES 3u
#define OPERATIONS 200u /* visible operations over which the changes are spread */
#define TIMEOUT_CHANCE 32
#define SLICE 3000      /* a task that spins gives way */

struct pct {
    uint64_t change[CHANGES];
    uint64_t operations;
    uint64_t lowest; /* the next one to fall goes below all that fell before */
};

static void begin(struct sn_vm *vm, struct sn_strategy *s)
{
    struct pct *p = s->state;
    *p = (struct pct){.lowest = 1u << 20};
    for (unsigned k = 0; k < CHANGES; k++)
        p->change[k] = 1 + sn_random_below(&vm->random, OPERATIONS);
}

static void fall(struct pct *p, struct sn_task *t) { t->priority = p->lowest-- & ~(1ull << 63); }

static struct sn_task *pick(struct sn_vm *vm, struct sn_strategy *s)
{
    struct pct *p = s->state;
    struct sn_task *best = sn_random_below(&vm->random, TIMEOUT_CHANCE) == 0 ? sn_pick_timeout(vm) : NULL;
    bool early = best != NULL;
    for (size_t i = 0; i < vm->nready && !early; i++) {
        struct sn_task *t = vm->task[vm->ready[i]];
        if (t->priority == 0)
            t->priority = 1ull << 40 | sn_random(&vm->random) >> 24;
        if (best == NULL || t->priority > best->priority)
            best = t;
    }
    if (best == NULL)
        best = sn_pick_timeout(vm);
    if (best == NULL)
        return NULL;
    if (best->sync_streak++ > 16) { /* it makes no progress: others may */
        best->sync_streak = 0;
        fall(p, best);
    }
    sn_resume(vm, best, SLICE);
    return best;
}

static bool point(struct sn_vm *vm, struct sn_strategy *s, struct sn_task *t)
{
    struct pct *p = s->state;
    (void)vm;
    p->operations++;
    t->sync_streak = 0;
    for (unsigned k = 0; k < CHANGES; k++) {
        if (p->operations == p->change[k]) {
            fall(p, t);
            return true;
        }
    }
    return false;
}

struct sn_strategy *sn_strategy_pct(void)
{
    static struct pct state;
    static struct sn_strategy s = {"pct", begin, pick, point, NULL, &state};
    return &s;
}
