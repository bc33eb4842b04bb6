/*
 * expose.c: `snag expose`: is an order that all correct runs had enforced by the program, or luck?
 * It is turned around (Algorithm 3): by holding threads back in a free run, or by the scheduler's
 * strategy `order`. When the program then fails, that is a finding; when it is still correct, the
 * order does not matter and is taken out of the invariants (section 4.1).
 */
#include "cmd/command.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/fuzz_session.h"
#include "cmd/invariant_words.h"
#include "cmd/launch.h"
#include "cmd/oracle.h"
#include "cmd/order_file.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "store/xalloc.h"
#include "symbol/symbol.h"

static const char *oracle, *mode = "stall";
static int64_t hold_ms = 100, times = 2, schedules = 20;
static bool list;

const struct sn_option sn_options_expose[] = {
    SN_OPTION_CHOICE("mode", &mode, "stall|order", "threads held back (stall), or schedules"),
    SN_OPTION_TEXT("oracle", &oracle, "COMMAND", "says whether a run was correct (exit status 0)"),
    SN_OPTION_NUMBER("hold-ms", &hold_ms, 1, 60000, "N", "how long a thread is held back (100)"),
    SN_OPTION_NUMBER("times", &times, 1, 1 << 20, "N", "at one place in one run (2)"),
    SN_OPTION_NUMBER("schedules", &schedules, 1, 1 << 30, "N", "for each order (20); --mode order"),
    SN_OPTION_FLAG("list", &list, "run nothing: print the orders that would be tried"),
    SN_OPTION_ORDER,
    SN_OPTION_END,
};

struct exposing {
    struct sn_inv v;
    char path[4096];
    struct sn_inv_point *point;
    size_t n;
    size_t run; /* 0: all places at once; then one by one */
    size_t exposed, relaxed, failed;
};

static void prepare(struct exposing *e)
{
    free(e->point);
    sn_inv_locate(&e->v, e->path);
    sn_inv_select(&e->v, &(struct sn_inv_choice){0});
    e->point = sn_inv_points(&e->v, &e->n);
}

static void print_points(struct exposing *e)
{
    for (size_t i = 0; i < e->n; i++) {
        char *first = sn_keys_words(e->v.keys, e->v.place[e->point[i].first].key);
        char *then = sn_keys_words(e->v.keys, e->v.place[e->point[i].then].key);
        char *stall = sn_keys_words(e->v.keys, e->v.place[e->point[i].stall].key);
        printf("%s\n    always came before %s\n    hold back at %s\n", first, then, stall);
        free(first);
        free(then);
        free(stall);
    }
}

/* ---- stalls in a free run ---- */

static int before(const char *run_dir, struct sn_store *store, void *arg)
{
    struct exposing *e = arg;
    uint32_t *stall = sn_xcalloc(e->n, sizeof *stall);
    size_t n = 0;
    (void)store;
    for (size_t i = 0; i < e->n; i++)
        if (e->run % (e->n + 1) == 0 || i + 1 == e->run % (e->n + 1))
            stall[n++] = e->point[i].stall;
    e->run++;
    int r = sn_inv_write_file(&e->v, run_dir, stall, n);
    free(stall);
    return r ? sn_fail("the orders cannot be given to the program: %s", strerror(-r)) : 0;
}

/* What a failing run violated explains the failure, or is near to it. */
static void blame(struct exposing *e, const struct sn_judged_run *run)
{
    for (size_t i = 0; i < run->found->n; i++) {
        struct sn_finding *f = &run->found->f[i];
        if (f->kind != SN_KIND_ORDER && f->kind != SN_KIND_ATOMICITY)
            continue;
        f->harmful = 1;
        free(f->effect);
        f->effect = run->end->timed_out ? sn_xstrdup("the program did not end")
                    : run->end->status > 128
                        ? sn_xformat("killed by signal %d", run->end->status - 128)
                    : run->end->status ? sn_xformat("exit status %d", run->end->status)
                                       : sn_xstrdup("the oracle found the output wrong");
        e->exposed++;
    }
}

static int relax(struct exposing *e, const struct sn_judged_run *run, const struct sn_inv_run *got)
{
    size_t added = 0;
    for (size_t i = 0; i < got->n; i++)
        added += sn_inv_add(&e->v, got->violation[i].site, got->violation[i].pred, SN_GUARD_REMOTE);
    sn_findings_free(run->found);
    e->relaxed += added;
    if (added)
        prepare(e);
    if (added && run->store && sn_inv_write_store(&e->v, run->store) < 0)
        return sn_fail("the invariants cannot be stored: %s", sn_store_error(run->store));
    return 0;
}

static int judge(const struct sn_judged_run *run, void *arg)
{
    struct exposing *e = arg;
    struct sn_inv_run got = {0};
    bool correct;
    int r = sn_oracle(oracle, run->end->status, run->output, &correct);
    if (r)
        return r;
    if (!correct || run->end->timed_out) {
        e->failed++;
        blame(e, run);
        return e->exposed ? 1 : 0;
    }
    if (sn_inv_take_in(&e->v, run->run_dir, false, &got) == 0)
        r = relax(e, run, &got);
    sn_inv_run_clear(&got);
    return r;
}

static int stall(struct exposing *e, char **argv)
{
    enum { MANY = 20 };
    struct sn_session s = {
        .engine = "guard",
        .command = "expose",
        .rt = sn_session_rt(),
        .needs_instrumentation = true,
        .argv = argv,
        .before = before,
        .judge = judge,
        .arg = e,
        .keeps_output = oracle != NULL,
    };
    s.rt.guard_mode = 2;
    s.rt.expose_ms = hold_ms;
    s.rt.expose_times = times;
    s.rt.lock_order = 0;
    if (sn_common.runs == 1) /* all at once, then each alone */
        sn_common.runs = (int64_t)(e->n < MANY ? e->n + 1 : MANY);
    size_t orders = e->n;
    int status = sn_session(&s);
    if (status != SN_EXIT_FAILED && !sn_common.quiet)
        sn_say("%zu orders tried in %zu runs: %zu runs failed, %zu orders turned out not to matter",
               orders, e->run, e->failed, e->relaxed);
    return status;
}

/* ---- the scheduler ---- */

static void fill_site(struct exposing *e, struct sn_symboliser *s, uint32_t place,
                      struct sn_site *to)
{
    const struct sn_inv_place *p = &e->v.place[place];
    unsigned module;
    to->thread = to->creator = -1;
    to->op = strstr(p->key, "/write")  ? SN_OP_WRITE
             : strstr(p->key, "/read") ? SN_OP_READ
                                       : SN_OP_LOCK;
    if (sn_symbol_module(s, sn_keys_path(e->v.keys, p->module), NULL, 0, &module) == 0)
        sn_symbol_code(s, module, p->returns, true, &to->stack);
}

/* Every order becomes a candidate in the store, which snag fuzz aims at. */
static int put_candidates(struct exposing *e)
{
    struct sn_symboliser *s = sn_symboliser_new();
    struct sn_findings all = {0};
    struct sn_store *store = NULL;
    char *why = NULL, *command = sn_session_command_json();
    int64_t run;
    for (size_t i = 0; i < e->n; i++) {
        struct sn_finding *f = sn_findings_add(&all);
        f->kind = SN_KIND_ORDER;
        f->status = SN_CANDIDATE;
        f->engine = sn_xstrdup("expose");
        f->text = sn_xstrdup("the same order in all correct runs");
        f->nsites = 2;
        f->sites = sn_xcalloc(2, sizeof *f->sites);
        fill_site(e, s, e->point[i].stall, &f->sites[0]);
        fill_site(e, s, e->point[i].then, &f->sites[1]);
        sn_finding_finish(f);
    }
    sn_symboliser_free(s);
    int r = sn_common.store ? sn_store_open(sn_common.store, SN_STORE_WRITE, &store, &why) : -1;
    if (r == 0)
        r = sn_store_run_begin(store, command, "expose", &run);
    if (r == 0)
        r = sn_store_add(store, run, &all);
    if (r == 0)
        r = sn_store_run_end(store, run, 0, 0);
    if (r)
        sn_say("the orders cannot be stored: %s", why     ? why
                                                  : store ? sn_store_error(store)
                                                          : "--mode order needs a store");
    free(why);
    free(command);
    sn_store_close(store);
    sn_findings_free(&all);
    return r ? SN_EXIT_FAILED : 0;
}

static int schedule(struct exposing *e, char **argv)
{
    struct sn_fuzz_options o = {
        .strategy = "order", .schedules = schedules, .depth = 3, .bound = 2, .limit_s = 30};
    int status = put_candidates(e);
    return status ? status : sn_fuzz_session(&o, argv);
}

static int expose(struct exposing *e, char **argv)
{
    prepare(e);
    if (list) {
        print_points(e);
        return 0;
    }
    if (!e->v.npairs)
        return sn_fail("nothing was learned about %s yet: snag learn --runs 20 %s", argv[0],
                       argv[0]);
    sn_words_gone(&e->v, false);
    return strcmp(mode, "order") == 0 ? schedule(e, argv) : stall(e, argv);
}

int sn_cmd_expose(int argc, char **argv)
{
    struct exposing e = {0};
    int first, status = sn_options_read(argc, argv, sn_options_expose, &first);
    if (status)
        return status;
    if (first == argc)
        return sn_fail("no program given: snag expose [options] PROGRAM [ARGS…]");
    status = sn_words_load(&e.v, argv[first], e.path);
    if (!status)
        status = expose(&e, argv + first);
    free(e.point);
    sn_inv_clear(&e.v);
    return status;
}

void sn_help_expose(void)
{
    sn_help_page(
        "snag expose [options] [--] PROGRAM [ARGS…]",
        "Tries to turn around each order that snag learn saw in all correct runs: a thread is\n"
        "held back before the access that always came first (before the first lock that it takes\n"
        "there, if any). When the program then fails, that is a finding. When it does not, the\n"
        "order does not matter, and snag guard will not insist on it. The first run holds back at\n"
        "all places, further runs at one place each.",
        sn_options_expose, true, "snag expose ./prog");
}
