/*
 * guard.c: `snag guard`: runs the program with the learned invariants checked before every access
 * to shared memory; who would violate one is stalled for a while. `snag guard build` is in
 * guard_build.c.
 */
#include "cmd/guard.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/invariant_words.h"
#include "cmd/launch.h"
#include "cmd/oracle.h"
#include "cmd/order_file.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "store/xalloc.h"

struct sn_guard_options sn_guard_options = {
    .bias_percent = 10, .stall_ms = 10, .step_us = 1000, .budget_ms = 200};

static const char *oracle, *relax_log;
static int64_t relax;

const struct sn_option sn_options_guard[] = {
    SN_OPTION_NUMBER("stall-ms", &sn_guard_options.stall_ms, 0, 10000, "N", "longest stall (10)"),
    SN_OPTION_NUMBER("step-us", &sn_guard_options.step_us, 10, 1000000, "N",
                     "a stalled thread looks again (1000)"),
    SN_OPTION_NUMBER("budget-ms", &sn_guard_options.budget_ms, 0, 1000, "N",
                     "stalls of one thread in one second (200)"),
    SN_OPTION_TEXT("oracle", &oracle, "COMMAND",
                   "what a correct run violates is taken in, and no finding"),
    SN_OPTION_NUMBER("relax", &relax, 1, INT32_MAX, "ID", "finding ID is no bug: take it in"),
    SN_OPTION_TEXT("relax-log", &relax_log, "FILE",
                   "take in what a guarded program logged in correct runs"),
    SN_OPTION_FLAG("bias", &sn_guard_options.bias, "leave out the hottest groups (Algorithm 2)"),
    SN_OPTION_REAL("threshold", &sn_guard_options.bias_percent, "PERCENT",
                   "of the shared accesses that makes a group hot (10)"),
    SN_OPTION_REAL("budget", &sn_guard_options.budget, "PERCENT",
                   "build: leave out groups until the estimated cost is so much processor time "
                   "(1 where a run takes 0.1 s or more of it; 100: guard everything)"),
    SN_OPTION_FLAG("annotated", &sn_guard_options.annotated, "guard only what SNAG_INS_… name"),
    SN_OPTION_FLAG("all", &sn_guard_options.all,
                   "build: check and record every access, also where no order depends on it"),
    SN_OPTION_NUMBER("patch", &sn_guard_options.patch, 1, INT32_MAX, "ID",
                     "guard only finding ID: an emergency patch"),
    SN_OPTION_FLAG("groups", &sn_guard_options.groups, "print the groups of places (Table 4)"),
    SN_OPTION_TEXT("hot", &sn_guard_options.hot, "FILE",
                   "build: functions that need no instrumentation"),
    SN_OPTION_FLAG("anew", &sn_guard_options.anew,
                   "build: compile the sources anew without --bias, too, so that functions in "
                   "which nothing is guarded run without instrumentation"),
    SN_OPTION_FLAG("as-is", &sn_guard_options.as_is,
                   "build --bias: compile nothing anew, whatever is left out"),
    SN_OPTION_FLAG("strip", &sn_guard_options.strip,
                   "build: without symbols and debug information"),
    SN_OPTION_TEXT("o", &sn_guard_options.output, "FILE", "build: the guarded program"),
    SN_OPTION_ORDER,
    SN_OPTION_END,
};

struct guarding {
    struct sn_inv v;
    char path[4096];
};

/* ---- which finding is which violation ---- */

static bool is_at(const struct sn_inv *v, uint32_t place, const struct sn_site *s)
{
    const struct sn_inv_place *p = &v->place[place];
    return s->stack.n && p->module >= 0 && s->stack.frame[0].offset == p->returns;
}

static bool has_place(const struct sn_inv *v, const struct sn_finding *f, uint32_t place)
{
    for (size_t i = 0; i < f->nsites; i++)
        if (is_at(v, place, &f->sites[i]))
            return true;
    return false;
}

size_t sn_guard_places(struct sn_inv *v, const struct sn_finding *f, uint32_t *out, size_t max)
{
    size_t n = 0;
    for (uint32_t i = 1; i < v->n && n < max; i++)
        if (has_place(v, f, i))
            out[n++] = i;
    return n;
}

/* ---- relaxing (section 5.6) ---- */

/* Of an atomicity violation either side may be the one that came too early: both orders are taken
 * in. Of an order violation: that it comes first. */
static size_t relax_finding(struct sn_inv *v, const struct sn_finding *f)
{
    uint32_t place[8];
    size_t n = sn_guard_places(v, f, place, 8), added = 0;
    for (size_t i = 0; i < n; i++) {
        if (f->kind == SN_KIND_ORDER) {
            added += sn_inv_add(v, place[i], 0, SN_GUARD_REMOTE);
            continue;
        }
        for (size_t j = 0; j < n; j++)
            if (i != j || n == 1)
                added += sn_inv_add(v, place[i], place[j], SN_GUARD_REMOTE);
    }
    return added;
}

static int relax_by_id(struct guarding *g)
{
    struct sn_store *store = NULL;
    struct sn_finding f = {0};
    char *why = NULL;
    if (!sn_common.store || sn_store_open(sn_common.store, SN_STORE_WRITE, &store, &why) < 0)
        return sn_fail("%s", why ? why : "--relax needs a store");
    int status = 0;
    if (sn_store_get(store, relax, &f) < 0)
        status = sn_fail("%s", sn_store_error(store));
    else if (!relax_finding(&g->v, &f))
        status = sn_fail("finding %lld is no violation of an invariant of %s in this build",
                         (long long)relax, g->v.program);
    else if (sn_inv_write_store(&g->v, store) < 0)
        status = sn_fail("%s", sn_store_error(store));
    else
        sn_say("finding %lld is taken in: %s", (long long)relax, f.title);
    sn_finding_clear(&f);
    sn_store_close(store);
    return status;
}

/* A line of a guarded program's log: SITE, "after", PRED, what became of it, how long; tabs. What
 * a stall has prevented did not happen, and no correct run speaks for it. */
static bool relax_line(struct sn_inv *v, char *line)
{
    char *site = strtok(line, "\t"), *after = strtok(NULL, "\t"), *pred = strtok(NULL, "\t");
    const char *end = strtok(NULL, "\t");
    uint32_t s, p = 0;
    if (!end || strcmp(after, "after") != 0 || strcmp(end, "resolved") == 0)
        return false;
    return sn_inv_known(v, site, &s) &&
           (strcmp(pred, "nothing") == 0 || sn_inv_known(v, pred, &p)) &&
           sn_inv_add(v, s, p, SN_GUARD_REMOTE);
}

static int relax_by_log(struct guarding *g)
{
    struct sn_store *store = NULL;
    char *why = NULL, *line = NULL;
    size_t cap = 0, added = 0;
    FILE *f = fopen(relax_log, "re");
    if (!f)
        return sn_fail("%s cannot be read: %s", relax_log, strerror(errno));
    while (getline(&line, &cap, f) > 0)
        added += relax_line(&g->v, line);
    free(line);
    fclose(f);
    int status = 0;
    if (!sn_common.store || sn_store_open(sn_common.store, SN_STORE_WRITE, &store, &why) < 0)
        status = sn_fail("%s", why ? why : "--relax-log needs a store");
    else if (sn_inv_write_store(&g->v, store) < 0)
        status = sn_fail("%s", sn_store_error(store));
    else
        sn_say("%zu new orders are taken in from %s", added, relax_log);
    free(why);
    if (store)
        sn_store_close(store);
    return status;
}

static bool is_about(const struct sn_inv *v, const struct sn_finding *f,
                     const struct sn_inv_violation *x)
{
    return has_place(v, f, x->site) && (!x->pred || has_place(v, f, x->pred));
}

/* What was prevented is still a finding, what happened in a correct run is none. */
static void keep_prevented(const struct sn_inv *v, struct sn_findings *all,
                           const struct sn_inv_run *got)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->n; i++) {
        bool prevented = false, happened = false;
        for (size_t k = 0; k < got->n; k++)
            if (is_about(v, &all->f[i], &got->violation[k]))
                *(got->violation[k].resolved ? &prevented : &happened) = true;
        if (prevented && !happened)
            all->f[kept++] = all->f[i];
        else
            sn_finding_clear(&all->f[i]);
    }
    all->n = kept;
}

/* A correct run: what it violated is allowed from now on. */
static int relax_run(struct guarding *g, const struct sn_judged_run *run,
                     const struct sn_inv_run *got)
{
    size_t added = 0;
    for (size_t i = 0; i < got->n; i++)
        added += !got->violation[i].resolved &&
                 sn_inv_add(&g->v, got->violation[i].site, got->violation[i].pred, SN_GUARD_REMOTE);
    keep_prevented(&g->v, run->found, got);
    if (!added)
        return 0;
    sn_inv_select(&g->v, &(struct sn_inv_choice){0});
    sn_say("a correct run: %zu new orders are taken in", added);
    if (run->store && sn_inv_write_store(&g->v, run->store) < 0)
        return sn_fail("the invariants cannot be stored: %s", sn_store_error(run->store));
    return 0;
}

static int judge(const struct sn_judged_run *run, void *arg)
{
    struct guarding *g = arg;
    struct sn_inv_run got = {0};
    bool correct = false;
    int r = oracle ? sn_oracle(oracle, run->end->status, run->output, &correct) : 0;
    if (!r && correct && sn_inv_take_in(&g->v, run->run_dir, false, &got) == 0)
        r = relax_run(g, run, &got);
    sn_inv_run_clear(&got);
    return r;
}

/* ---- the run ---- */

static struct sn_inv_choice what_options_say(sn_guard_can *can, void *arg, const struct sn_inv *was)
{
    struct sn_inv_choice c = {
        .bias = sn_guard_options.bias ? sn_guard_options.bias_percent / 100 : 0,
        .was = was,
        .annotated = sn_guard_options.annotated,
        .light =
            can && !sn_guard_options.all && !sn_guard_options.annotated && !sn_guard_options.patch,
        .can = can,
        .arg = arg,
    };
    c.behind = c.light && sn_guard_options.stall_ms; /* what only watches is to see all */
    return c;
}

void sn_guard_default_budget(struct sn_inv *v, sn_guard_can *can, void *arg)
{
    const struct sn_guard_options *o = &sn_guard_options;
    bool chosen = o->budget || o->all || o->bias || o->annotated || o->patch || o->hot;
    if (chosen || !o->stall_ms || sn_inv_run_ms(v) < SN_GUARD_LONG_MS)
        return;
    struct sn_inv_choice c = what_options_say(can, arg, NULL);
    sn_inv_select(v, &c);
    double gone, cost = sn_inv_cost(v, &gone);
    if (cost + gone > SN_GUARD_BUDGET) {
        sn_guard_options.budget = SN_GUARD_BUDGET;
        sn_guard_options.by_default = true;
    }
}

int sn_guard_choose(struct sn_inv *v, sn_guard_can *can, void *arg, const struct sn_inv *was)
{
    uint32_t only[256];
    struct sn_inv_choice c = what_options_say(can, arg, was);
    if (sn_guard_options.patch) {
        int status = sn_guard_patch(v, only, 256, &c.nonly);
        if (status)
            return status;
        c.only = only;
    }
    sn_inv_select(v, &c);
    int status = can && !was ? sn_guard_within_budget(v, &c) : 0;
    if (!status && sn_guard_options.groups)
        sn_guard_print_groups(v);
    return status;
}

static int before(const char *run_dir, struct sn_store *store, void *arg)
{
    struct guarding *g = arg;
    (void)store;
    int status = sn_guard_choose(&g->v, NULL, NULL, NULL);
    if (status)
        return status;
    int r = sn_inv_write_file(&g->v, run_dir, NULL, 0);
    return r ? sn_fail("the invariants cannot be given to the program: %s", strerror(-r)) : 0;
}

static int run(struct guarding *g, char **argv)
{
    struct sn_session s = {
        .engine = "guard",
        .command = "guard",
        .rt = sn_session_rt(),
        .needs_instrumentation = true,
        .argv = argv,
        .before = before,
        .judge = judge,
        .arg = g,
        .keeps_output = oracle != NULL,
    };
    s.rt.guard_mode = 1;
    s.rt.stall_us = sn_guard_options.step_us;
    s.rt.stall_steps = sn_guard_options.stall_ms * 1000 / sn_guard_options.step_us;
    s.rt.stall_budget_ms = sn_guard_options.budget_ms;
    s.rt.lock_order = 0;
    return sn_session(&s);
}

static int guard_program(char **argv)
{
    struct guarding g = {0};
    int status = sn_words_load(&g.v, argv[0], g.path);
    if (!status) {
        sn_inv_locate(&g.v, g.path);
        sn_inv_select(&g.v, &(struct sn_inv_choice){0});
        sn_words_gone(&g.v, false);
        if (!g.v.npairs)
            sn_say(
                "nothing was learned about %s yet, so nothing is guarded: snag learn --runs 20 %s",
                argv[0], argv[0]);
        status = relax ? relax_by_id(&g) : relax_log ? relax_by_log(&g) : run(&g, argv);
    }
    sn_inv_clear(&g.v);
    return status;
}

/* An option without a meaning where nothing is built; null: none was given. */
static const char *option_of_build(void)
{
    const struct sn_guard_options *o = &sn_guard_options;
    return o->budget   ? "--budget"
           : o->all    ? "--all"
           : o->hot    ? "--hot"
           : o->anew   ? "--anew"
           : o->as_is  ? "--as-is"
           : o->strip  ? "--strip"
           : o->output ? "-o"
                       : NULL;
}

const char *sn_guard_option_of_runs(void)
{
    return oracle ? "--oracle" : relax ? "--relax" : relax_log ? "--relax-log" : NULL;
}

int sn_cmd_guard(int argc, char **argv)
{
    int first;
    if (argc > 1 && strcmp(argv[1], "build") == 0)
        return sn_guard_build(argc - 1, argv + 1);
    int status = sn_options_read(argc, argv, sn_options_guard, &first);
    if (status)
        return status;
    if (first == argc)
        return sn_fail("no program given: snag guard [options] PROGRAM [ARGS…]");
    if (strcmp(argv[first], "build") == 0)
        return sn_fail("options come after `build`: snag guard build [options] PROGRAM -o OUT");
    const char *building = option_of_build();
    if (building)
        return sn_fail("%s is for snag guard build", building);
    return guard_program(argv + first);
}

void sn_help_guard(void)
{
    sn_help_page(
        "snag guard [build] [options] [--] PROGRAM [ARGS…]",
        "Runs PROGRAM with what snag learn has learned: a thread that is about to access shared\n"
        "memory in an order that no correct run had is stalled, for 10 ms at most; then it goes "
        "on\n"
        "in any case. What was violated is reported. `snag guard build PROGRAM -o OUT` makes OUT,\n"
        "which guards itself without snag; instrumentation that nothing needs is gone from it.",
        sn_options_guard, true, "snag guard ./prog");
}
