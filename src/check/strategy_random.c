/*
 * strategy_random.c: the paper's scheduler: any runnable task, by chance. How long a task runs at a
 * stretch, and how often it is interrupted before a visible operation, differs from run to run: some
 * races need close interleaving, some deadlocks need long stretches.
 */
#include "check/strategy.h"

struct random_state {
    uint64_t slice;      /* mean length of a stretch, in steps */
    unsigned stay_of_16; /* chance to go on at a visible operation */
};

static void begin(struct sn_vm *vm, struct sn_strategy *s)
{
    static const uint64_t slices[] = {3, 8, 32, 128, 1024, 4000};
    static const unsigned stays[] = {0, 4, 8, 12, 14, 15};
    struct random_state *r = s->state;
    r->slice = slices[sn_random_below(&vm->random, 6)];
    r->stay_of_16 = stays[sn_random_below(&vm->random, 6)];
}

#define TIMEOUT_CHANCE 32 /* one pick of so many may let a wait time out early */

static struct sn_task *pick(struct sn_vm *vm, struct sn_strategy *s)
{
    const struct random_state *r = s->state;
    bool early = sn_random_below(&vm->random, TIMEOUT_CHANCE) == 0;
    struct sn_task *t = early ? sn_pick_timeout(vm) : NULL;
    if (t == NULL)
        t = sn_pick_ready(vm);
    if (t == NULL)
        t = sn_pick_timeout(vm);
    if (t == NULL)
        return NULL;
    sn_resume(vm, t, 1 + (int64_t)sn_random_below(&vm->random, 2 * r->slice));
    return t;
}

static bool point(struct sn_vm *vm, struct sn_strategy *s, struct sn_task *t)
{
    const struct random_state *r = s->state;
    (void)t;
    return sn_random_below(&vm->random, 16) >= r->stay_of_16;
}

struct sn_strategy *sn_strategy_random(void)
{
    static struct random_state state;
    static struct sn_strategy s = {"random", begin, pick, point, NULL, &state};
    return &s;
}
