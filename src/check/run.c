/* run.c: see run.h. */
#include "check/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check/model.h"
#include "check/rules.h"
#include "check/strategy.h"
#include "check/sync.h"

#define LEAST_STEPS 300u      /* what a run is charged at least: it has to be set up */
#define RUNS_TO_BE_CONCURRENT 8u
#define MIDDLE_SHARE 5u       /* in-the-middle starts get one part of so many of the steps */
#define EXPLORE_PERCENT 40u   /* of the steps: to try all orders; if they are not enough, chance goes on */
#define PCT_EVERY 3u          /* one run of so many is scheduled by priorities */

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
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
    sn_charge(vm, 1); /* so that turns in which nothing happens come to an end, too */
    enum sn_result r;
    do
        r = sn_interpret(vm, t);
    while (r != SN_END && t->atomic_depth > 0 && t->state == SN_READY && go_on(vm));
    return r != SN_END;
}

/* One run from an entry to its end or to the bound. */
static void run_once(struct sn_vm *vm, const struct sn_entries *all, struct sn_entry *e, uint64_t seed, bool exploring)
{
    sn_vm_reset(vm, seed);
    vm->first_run = e->runs == 0 || exploring;
    vm->was_concurrent = false;
    vm->strategy->begin(vm, vm->strategy);
    if (sn_entry_start(vm, all, e))
        while (vm->live > 0 && vm->steps < vm->bounds.steps_per_run && one_turn(vm))
            ;
    e->runs++;
    e->concurrent |= vm->was_concurrent;
    vm->counts.runs++;
    vm->counts.instructions += vm->steps - vm->charged;
    vm->counts.steps += vm->steps > LEAST_STEPS ? vm->steps : LEAST_STEPS;
    vm->issues->run++;
}

/* An entry is worth more runs while it may still turn out to be concurrent. */
static bool worth_it(const struct sn_entry *e) { return e->concurrent || e->runs < RUNS_TO_BE_CONCURRENT; }

/* Tried only when nothing leads there from the real entries. */
static bool is_middle(const struct sn_entry *e)
{
    return e->kind == SN_ENTRY_MIDDLE || e->kind == SN_ENTRY_UNRUN_TEST;
}

struct budget {
    uint64_t steps;
    double end_s; /* 0: none */
    uint64_t seed;
    bool timed_out;
    bool explores, pct, mixed; /* --strategy */
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
            bool reached = is_middle(e) && vm->reached[e->func]; /* from the real entries */
            if (is_middle(e) != middle || e->exhausted || !worth_it(e) || (reached && e->runs == 0))
                continue;
            if (over(vm, b))
                return;
            vm->strategy = b->pct || (b->mixed && vm->counts.runs % PCT_EVERY == 1) ? sn_strategy_pct()
                                                                                    : sn_strategy_random();
            run_once(vm, all, e, b->seed + vm->counts.runs, false);
            any = true;
        }
    }
}

/* Whether what a run did depends on the order of its threads alone. */
static bool is_definite(const struct sn_vm *vm, bool last_turn_ended)
{
    bool daemons = false;
    for (size_t i = 0; i < vm->ntask; i++)
        daemons |= vm->task[i]->daemon;
    return vm->exact && !vm->used_input && !vm->bounded && !daemons && last_turn_ended;
}

/* All orders of visible operations of one entry, if they are few enough. */
static void explore(struct sn_vm *vm, const struct sn_entries *all, struct sn_entry *e, struct budget *b)
{
    struct sn_explorer *x = sn_explorer_new();
    size_t found = vm->issues->n;
    bool more = true;
    vm->strategy = sn_explorer_strategy(x);
    while (more && sn_explorer_complete(x) && !over(vm, b)) {
        run_once(vm, all, e, b->seed, true);
        if (!is_definite(vm, vm->steps < vm->bounds.steps_per_run))
            sn_explorer_cut(x);
        more = sn_explorer_next(x);
    }
    e->exhausted = !more && sn_explorer_complete(x) && e->concurrent && vm->issues->n == found;
    sn_explorer_free(x);
}

static void explore_entries(struct sn_vm *vm, struct sn_entries *all, struct budget *b)
{
    uint64_t whole = b->steps;
    for (size_t i = 0; i < all->n; i++) {
        if (is_middle(&all->e[i]) || all->e[i].kind == SN_ENTRY_LIBRARY)
            continue;
        b->steps = vm->counts.steps + whole * (b->mixed ? EXPLORE_PERCENT : 100) / 100 / all->n;
        explore(vm, all, &all->e[i], b);
    }
    b->steps = whole;
}

static void run_program(struct sn_vm *vm, struct sn_entries *all, const struct sn_run_options *o,
                        struct sn_outcome *out)
{
    struct budget b = {.steps = o->bounds.steps, .seed = o->seed * 1000003};
    b.end_s = o->timeout_s > 0 ? now_s() + o->timeout_s : 0;
    bool has_middle = all->n > 0 && is_middle(&all->e[all->n - 1]);
    if (has_middle)
        b.steps -= b.steps / MIDDLE_SHARE;
    const char *strategy = o->strategy ? o->strategy : "auto";
    b.mixed = strcmp(strategy, "auto") == 0;
    b.pct = strcmp(strategy, "pct") == 0;
    b.explores = b.mixed || strcmp(strategy, "explore") == 0;
    if (b.explores)
        explore_entries(vm, all, &b);
    if (b.mixed || !b.explores)
        run_entries(vm, all, false, &b);
    b.steps = o->bounds.steps;
    if (b.mixed || !b.explores)
        run_entries(vm, all, true, &b);
    out->timed_out = b.timed_out;
    out->exhausted = all->n > 0;
    for (size_t i = 0; i < all->n; i++)
        out->exhausted &= all->e[i].exhausted || (is_middle(&all->e[i]) && all->e[i].runs == 0);
}

int sn_run_all(struct sn_bytecode *code, const struct sn_run_options *o, struct sn_issues *issues,
               struct sn_contexts *contexts, struct sn_outcome *out)
{
    struct sn_entries entries;
    const struct sn_model **models;
    struct sn_vm *vm = calloc(1, sizeof *vm);
    double start = cpu_s();
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
        vm->rules = sn_rules_bind(code, o->contracts);
        vm->issues = issues;
        vm->strategy = sn_strategy_random();
        run_program(vm, &entries, o, out);
        out->no_entry = entries.n == 0;
        for (size_t i = 0; i < entries.n; i++)
            out->concurrent |= entries.e[i].concurrent;
        out->counts = vm->counts;
        out->cpu_seconds = cpu_s() - start;
        *contexts = vm->contexts; /* the call stacks that issues speak of */
        memset(&vm->contexts, 0, sizeof vm->contexts);
        sn_rules_free(vm->rules);
        sn_vm_free(vm);
    }
    sn_entries_free(&entries);
    free(vm);
    return r;
}
