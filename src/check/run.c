/* run.c: see run.h. */
#include "check/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check/model.h"
#include "check/strategy.h"
#include "check/sync.h"

#define LEAST_STEPS 300u      /* what a run is charged at least: it has to be set up */
#define RUNS_TO_BE_CONCURRENT 8u
#define MIDDLE_SHARE 5u       /* in-the-middle starts get one part of so many of the steps */

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* An atomic block is not interrupted, as long as there are steps left. */
static bool go_on(struct sn_vm *vm)
{
    vm->fuel = 1000;
    return vm->steps < vm->bounds.steps_per_run;
}

static bool one_turn(struct sn_vm *vm)
{
    struct sn_task *t = vm->strategy->pick(vm, vm->strategy);
    if (t == NULL) {
        sn_stuck_check(vm);
        return false;
    }
    enum sn_result r;
    do
        r = sn_interpret(vm, t);
    while (r != SN_END && t->atomic_depth > 0 && t->state == SN_READY && go_on(vm));
    return r != SN_END;
}

/* One run from an entry to its end or to the bound. */
static void run_once(struct sn_vm *vm, const struct sn_entries *all, struct sn_entry *e, uint64_t seed)
{
    sn_vm_reset(vm, seed);
    vm->first_run = e->runs == 0;
    vm->was_concurrent = false;
    vm->strategy->begin(vm, vm->strategy);
    if (sn_entry_start(vm, all, e))
        while (vm->live > 0 && vm->steps < vm->bounds.steps_per_run && one_turn(vm))
            ;
    e->runs++;
    e->concurrent |= vm->was_concurrent;
    vm->counts.runs++;
    vm->counts.steps += vm->steps > LEAST_STEPS ? vm->steps : LEAST_STEPS;
    vm->issues->run++;
}

/* An entry is worth more runs while it may still turn out to be concurrent. */
static bool worth_it(const struct sn_entry *e) { return e->concurrent || e->runs < RUNS_TO_BE_CONCURRENT; }

static bool is_middle(const struct sn_entry *e) { return e->kind == SN_ENTRY_MIDDLE; }

struct budget {
    uint64_t steps;
    double end_s; /* 0: none */
    uint64_t seed;
    bool timed_out;
};

static bool over(struct sn_vm *vm, struct budget *b)
{
    if (b->end_s > 0 && now_s() > b->end_s)
        b->timed_out = true;
    return b->timed_out || vm->counts.steps >= b->steps;
}

/* All entries of one sort in turn, until nothing is left to try or the budget is used up. */
static void run_entries(struct sn_vm *vm, struct sn_entries *all, bool middle, struct budget *b)
{
    bool any = true;
    while (any) {
        any = false;
        for (size_t i = 0; i < all->n; i++) {
            struct sn_entry *e = &all->e[i];
            bool reached = middle && vm->reached[e->func]; /* from the real entries */
            if (is_middle(e) != middle || !worth_it(e) || (reached && e->runs == 0))
                continue;
            if (over(vm, b))
                return;
            run_once(vm, all, e, b->seed + vm->counts.runs);
            any = true;
        }
    }
}

static void run_program(struct sn_vm *vm, struct sn_entries *all, const struct sn_run_options *o,
                        struct sn_outcome *out)
{
    struct budget b = {.steps = o->bounds.steps, .seed = o->seed * 1000003};
    b.end_s = o->timeout_s > 0 ? now_s() + o->timeout_s : 0;
    bool has_middle = all->n > 0 && is_middle(&all->e[all->n - 1]);
    if (has_middle)
        b.steps -= b.steps / MIDDLE_SHARE;
    run_entries(vm, all, false, &b);
    b.steps = o->bounds.steps;
    run_entries(vm, all, true, &b);
    out->timed_out = b.timed_out;
}

int sn_run_all(struct sn_bytecode *code, const struct sn_run_options *o, struct sn_issues *issues,
               struct sn_contexts *contexts, struct sn_outcome *out)
{
    struct sn_entries entries;
    const struct sn_model **models;
    struct sn_vm *vm = calloc(1, sizeof *vm);
    double start = now_s();
    *out = (struct sn_outcome){0};
    if (vm == NULL)
        return -ENOMEM;
    sn_models_bind(code, &models);
    int r = sn_entries_find(code, o->entry, &entries);
    if (r != 0) {
        free(vm);
        return -ENOENT;
    }
    r = sn_vm_init(vm, code, &o->bounds);
    if (r == 0) {
        vm->model = models;
        vm->issues = issues;
        vm->strategy = sn_strategy_random();
        run_program(vm, &entries, o, out);
        out->no_entry = entries.n == 0;
        for (size_t i = 0; i < entries.n; i++)
            out->concurrent |= entries.e[i].concurrent;
        out->counts = vm->counts;
        out->seconds = now_s() - start;
        *contexts = vm->contexts; /* the call stacks that issues speak of */
        memset(&vm->contexts, 0, sizeof vm->contexts);
        sn_vm_free(vm);
    }
    sn_entries_free(&entries);
    free(vm);
    return r;
}
