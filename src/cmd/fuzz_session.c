/*
 * fuzz_session.c: the two phases of race-directed testing around one program, see fuzz_session.h.
 * Phase 1 is a run of the race engine and what the store already has; phase 2 is a campaign.
 */
#include "cmd/fuzz_session.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/launch.h"
#include "cmd/options.h"
#include "cmd/place.h"
#include "cmd/run_dir.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "fuzz/asked.h"
#include "fuzz/campaign.h"
#include "fuzz/order_file.h"
#include "fuzz/pair.h"
#include "fuzz/relocate.h"
#include "store/ingest.h"
#include "store/store.h"
#include "store/suppress.h"
#include "store/xalloc.h"

enum { MINIMISE_BUDGET = 120, GRACE_S = 2 };

struct state {
    const struct sn_fuzz_options *o;
    char **argv;
    char *program; /* absolute path */
    struct sn_store *store;
    struct sn_suppressions *hidden;
    struct sn_options rt;
    struct sn_campaign c;
    struct sn_report report;
    struct sn_schedule order;
    struct sn_words messages;
    size_t nhidden;
    int free_end;      /* the program's status in the first run */
    bool cut_short;    /* a run without a schedule was, by a signal of the program's own */
    double patience_s; /* with that run */
    int stopped;       /* the signal that ended the search; 0: none */
};

static int fail_free(char *why)
{
    int status = sn_fail("%s", why);
    free(why);
    return status;
}

static int prepare(struct state *st)
{
    char path[PATH_MAX], *why = NULL;
    int status = sn_launch_check(st->argv[0], path);
    if (status)
        return status;
    st->program = realpath(path, NULL);
    char *library = sn_place_engine("sched");
    free(library);
    if (!library)
        return SN_EXIT_FAILED;
    if ((status = sn_session_check_outputs()))
        return status;
    if (sn_common.suppressions && sn_suppress_load(sn_common.suppressions, &st->hidden, &why) < 0)
        return fail_free(why);
    if (sn_common.store && sn_store_open(sn_common.store, SN_STORE_WRITE, &st->store, &why) < 0)
        return fail_free(why);
    if (sn_run_dir_make_quick(sn_common.store, &st->c.runner.dir, &why) < 0 ||
        sn_pool_open(&st->c.pool, &st->c.runner, (size_t)sn_common.jobs, &why) < 0)
        return fail_free(why);
    return 0;
}

static void note(struct state *st, char *text)
{
    sn_words_add(&st->messages, text);
    free(text);
}

/* Stores findings of one engine; their ids are then known. */
static int keep(struct state *st, const char *engine, struct sn_findings *found, int exit,
                double seconds)
{
    int64_t run = 0;
    if (st->hidden)
        st->nhidden += sn_suppress_apply(st->hidden, found);
    if (!st->store)
        return 0;
    char *command = sn_session_command_json();
    int r = sn_store_run_begin(st->store, command, engine, &run);
    free(command);
    if (r == 0)
        r = sn_store_add(st->store, run, found);
    if (r == 0)
        r = sn_store_run_end(st->store, run, exit, seconds);
    return r == 0 ? 0
                  : sn_fail("the findings could not be stored in %s: %s", sn_common.store,
                            sn_store_error(st->store));
}

static void move_all(struct sn_findings *to, struct sn_findings *from)
{
    for (size_t i = 0; i < from->n; i++) {
        *sn_findings_add(to) = from->f[i];
        from->f[i] = (struct sn_finding){0};
    }
    sn_findings_free(from);
}

/* Phase 1: one run under a detector. Its findings go to `found`. */
static int look(struct state *st, const char *engine, struct sn_findings *found)
{
    enum { FILTER_TREE = 2 };
    struct sn_runner *r = &st->c.runner;
    struct sn_options rt = st->rt;
    bool hybrid = strcmp(engine, "hybrid") == 0;
    if (hybrid) {
        rt.detector = 1;
        rt.filter = FILTER_TREE;
    }
    struct sn_launch launch = {.engine = engine,
                               .argv = st->argv,
                               .run_dir = r->dir,
                               .rt = &rt,
                               .timeout_s = st->patience_s,
                               .out = "/dev/null",
                               .err = "/dev/null",
                               .no_input = true};
    struct sn_ended end;
    struct sn_ingest_info info = {0};
    sn_runner_clean(r);
    int status = sn_launch(&launch, &end);
    if (status)
        return status;
    sn_asked_note(end.asked_to_stop);
    if (end.status == 128 + SIGSYS && !hybrid)
        note(st, sn_xformat(SN_LAUNCH_FILTERED, st->argv[0]));
    else if (end.status > 128 && !end.timed_out && !end.asked_to_stop)
        st->cut_short = true;
    st->report.runs++;
    if (!hybrid)
        st->free_end = end.timed_out ? -1 : end.status;
    st->report.seconds += end.seconds;
    if (sn_common.timeout_s <= 0 && !hybrid && !end.timed_out) {
        r->timeout_s = 50 * end.seconds;
        r->timeout_s = r->timeout_s < 5 ? 5 : r->timeout_s > 60 ? 60 : r->timeout_s;
    }
    if (sn_ingest(r->dir, found, &info) < 0)
        sn_say("the run files of the engine %s cannot be read", engine);
    sn_ingest_info_free(&info);
    return keep(st, engine, found, end.status, end.seconds);
}

/* A program that hangs when it runs freely would take all of the time. How long it takes is seen in
 * an execution without preemptions: its own time and, for what it sleeps, the virtual one. */
static int estimate(struct state *st)
{
    enum { LEAST_S = 5, MOST_S = 60, SLOWER = 50 };
    struct sn_runner *r = &st->c.runner;
    struct sn_schedule s = {.strategy = "replay", .points = "sync"};
    struct sn_execution e;
    st->patience_s = sn_common.timeout_s > 0 ? sn_common.timeout_s : MOST_S;
    if (sn_common.timeout_s > 0)
        return 0;
    int status = sn_execute(r, &s, &e);
    if (!status && e.end == SN_END_DEADLOCK)
        st->patience_s = LEAST_S; /* it will hang as well */
    if (!status && (e.end == SN_END_OK || e.end == SN_END_STATUS) && e.summary.steps) {
        double seconds = SLOWER * e.seconds + 2e-9 * (double)e.summary.end_ns;
        st->patience_s = seconds < LEAST_S ? LEAST_S : seconds > MOST_S ? MOST_S : seconds;
    }
    sn_execution_clear(&e);
    sn_runner_stop(r); /* its run file is none of the first run's */
    return status;
}

static bool wants(const struct state *st, const char *strategy)
{
    return !st->o->strategy || strcmp(st->o->strategy, strategy) == 0;
}

static bool is_directed(const char *strategy)
{
    return !strategy || strcmp(strategy, "race") == 0 || strcmp(strategy, "deadlock") == 0 ||
           strcmp(strategy, "order") == 0;
}

/* Candidates are wanted. */
static bool directed(const struct state *st)
{
    return is_directed(st->o->strategy) && !st->o->pair && !st->o->order;
}

/* The hybrid detector sees what another schedule would have shown: candidates. */
static int look_wider(struct state *st, struct sn_findings *found)
{
    struct sn_findings more = {0};
    int status = look(st, "hybrid", &more);
    move_all(found, &more);
    sn_findings_unite(found);
    return status;
}

/* What earlier commands left about this program. Findings of another build, and those of `snag
 * check`, get their places in this one by file and line. */
static int recall(struct state *st, struct sn_findings *found)
{
    struct sn_findings all = {0}, old = {0};
    if (!st->store || sn_store_all(st->store, &all) < 0)
        return 0;
    for (size_t i = 0; i < all.n; i++) {
        struct sn_finding *f = &all.f[i];
        *sn_findings_add(sn_pair_is_current(f, st->program) ? found : &old) = *f;
        *f = (struct sn_finding){0};
    }
    sn_findings_free(&all);
    int status = sn_relocate(&st->c.runner, &old);
    for (size_t i = 0; i < old.n; i++)
        if (old.f[i].status == SN_CONFIRMED || old.f[i].status == SN_OBSERVED)
            old.f[i].status = SN_CANDIDATE; /* of another build: it has to be shown again */
    move_all(found, &old);
    sn_findings_unite(found);
    return status;
}

static void add_candidates(struct state *st, struct sn_findings *found)
{
    for (size_t i = 0; i < found->n; i++) {
        struct sn_finding *f = &found->f[i];
        const char *strategy = f->kind == SN_KIND_DATA_RACE || f->kind == SN_KIND_ATOMICITY ? "race"
                               : f->kind == SN_KIND_ORDER ? "order"
                                                          : "deadlock";
        if (!is_directed(st->o->strategy) || !wants(st, strategy) || !sn_campaign_add(&st->c, f))
            *sn_findings_add(&st->report.findings) = *f;
        found->f[i] = (struct sn_finding){0};
    }
    found->n = 0;
    sn_findings_free(found);
}

/* Explicit positions: the pair, as it ran in one execution. */
static int add_pair(struct state *st)
{
    struct sn_finding f = {0};
    char *why = NULL;
    int status = sn_pair_find(&st->c.runner, st->o->pair, &f, &why);
    if (status)
        return why ? fail_free(why) : status;
    sn_campaign_add(&st->c, &f);
    sn_finding_clear(&f);
    return 0;
}

/* An order by hand: the program's bad ends under it are the finding. */
static int add_order(struct state *st)
{
    struct sn_finding f = {0};
    char *why = NULL;
    int status = sn_order_file_read(&st->c.runner, st->o->order, &st->order, &f, &why);
    if (status)
        return why ? fail_free(why) : status;
    if (sn_campaign_add(&st->c, &f))
        st->c.result[st->c.n - 1].hint = &st->order;
    sn_finding_clear(&f);
    return 0;
}

/* A run that has crashed, because its bug showed by itself say, may not have come to what there is
 * to see. */
static int look_around(struct state *st, struct sn_findings *found)
{
    enum { TRIES = 5 };
    int status = 0;
    st->cut_short = true;
    for (int i = 0; i < TRIES && st->cut_short && !found->n && !status && !sn_asked(); i++) {
        st->cut_short = false;
        status = look(st, "race", found);
        if (!status && directed(st) && !sn_asked())
            status = look_wider(st, found);
    }
    return status;
}

static int phase1(struct state *st)
{
    struct sn_findings found = {0};
    int status = estimate(st);
    if (!status && !sn_asked())
        status = look_around(st, &found);
    if (!status)
        status = sn_campaign_learn_usual_end(&st->c, st->free_end);
    if (status)
        return status;
    if (st->o->pair || st->o->order) {
        sn_findings_free(&found);
        return st->o->pair ? add_pair(st) : add_order(st);
    }
    if (directed(st))
        status = recall(st, &found);
    add_candidates(st, &found);
    return status;
}

/* Of a small program all schedules with few preemptions. Among other strategies it has a part of
 * the time, and executions are many: they are cheap when they are of use. */
static int search(struct state *st, const char *points)
{
    enum { TIMES = 10, PART = 4 };
    struct sn_campaign *c = &st->c;
    struct sn_campaign saved = {.schedules = c->schedules, .limit_s = c->limit_s};
    if (!st->o->strategy) {
        c->schedules *= TIMES;
        c->limit_s /= PART;
    }
    int status = sn_campaign_dfs(c, points, (unsigned)st->o->bound);
    c->schedules = saved.schedules;
    c->limit_s = saved.limit_s;
    return status;
}

static int at_large(struct state *st)
{
    const char *p = st->o->points;
    int status = 0;
    if (st->o->pair || st->o->order || (st->o->strategy && is_directed(st->o->strategy)))
        return 0;
    if (wants(st, "random"))
        status = sn_campaign_at_large(&st->c, "random", p ? p : "sync");
    if (!status && wants(st, "random") && !p)
        status = sn_campaign_at_large(&st->c, "random", "all");
    if (!status && wants(st, "pct"))
        status = sn_campaign_at_large(&st->c, "pct", p ? p : "sync");
    if (!status && st->o->strategy && wants(st, "pos"))
        status = sn_campaign_at_large(&st->c, "pos", p ? p : "all");
    if (!status && wants(st, "dfs"))
        status = search(st, p ? p : "sync");
    return status;
}

static void say_stats(const struct state *st)
{
    sn_say("%lld executions, %lld of them ended badly", (long long)st->c.executions,
           (long long)st->c.failures);
    if (st->o->strategy && strcmp(st->o->strategy, "dfs") == 0)
        sn_say("%s; %lld more were cut short as equivalent",
               st->c.exhausted ? "there are no others within the bound" : "there are more",
               (long long)st->c.redundant);
    for (size_t i = 0; i < st->c.n; i++) {
        const struct sn_result *r = &st->c.result[i];
        if (r->tries)
            sn_say("%s: %s; tried %lld, hit %lld (%.2f), harm in %lld, %.1f ms each", r->f.title,
                   r->confirmed ? "confirmed" : "not confirmed", (long long)r->tries,
                   (long long)r->hits, (double)r->hits / (double)r->tries, (long long)r->bad,
                   r->seconds * 1000 / (double)r->tries);
    }
}

static bool same_place(const struct sn_site *a, const struct sn_site *b)
{
    const struct sn_frame *f = sn_site_frame(a), *g = sn_site_frame(b);
    return f && g && f->line == g->line && f->file && g->file && strcmp(f->file, g->file) == 0;
}

/* b, a failure or a lock order, is what a brings about: the same deadlock, the same assertion or
 * status, a crash where one of the racing accesses is. */
static bool explains(const struct sn_finding *a, const struct sn_finding *b)
{
    if (!a->effect || !b->effect || a->harmful != 1 || strcmp(a->effect, b->effect) != 0)
        return false;
    if (b->kind == SN_KIND_LOCK_ORDER)
        return a->kind == SN_KIND_DEADLOCK && a->nsites == b->nsites &&
               same_place(&a->sites[0], &b->sites[0]);
    if (b->kind != SN_KIND_ORDER || b->nsites != 1 || a->kind != SN_KIND_DATA_RACE)
        return false;
    if (strncmp(b->effect, "assertion", 9) == 0 || strncmp(b->effect, "exit status", 11) == 0)
        return true;
    return same_place(&a->sites[0], &b->sites[0]) || same_place(&a->sites[1], &b->sites[0]);
}

/* What another finding explains is in the store, not in the report. */
static void leave_out_explained(struct sn_findings *all)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->n; i++) {
        bool explained = false;
        for (size_t k = 0; k < all->n && !explained; k++)
            explained = k != i && all->f[k].effect && explains(&all->f[k], &all->f[i]);
        if (explained)
            sn_finding_clear(&all->f[i]);
        else if (kept++ != i) {
            all->f[kept - 1] = all->f[i];
            all->f[i] = (struct sn_finding){0};
        }
    }
    all->n = kept;
}

/* What was shown is stored and reported with the rest. */
static int conclude_campaign(struct state *st)
{
    struct sn_findings shown = {0};
    int status = sn_campaign_save(&st->c, st->store, st->program);
    for (size_t i = 0; i < st->c.n; i++) {
        struct sn_result *r = &st->c.result[i];
        if (!r->f.key)
            continue;
        *sn_findings_add(r->hits ? &shown : &st->report.findings) = r->f;
        r->f = (struct sn_finding){0};
    }
    sn_findings_unite(&shown);
    if (!status)
        status = keep(st, "fuzz", &shown, st->report.exit, 0);
    leave_out_explained(&shown);
    move_all(&st->report.findings, &shown);
    return status;
}

/* Most harmful first: the report keeps the order. */
static int by_harm(const void *a, const void *b)
{
    const struct sn_finding *x = a, *y = b;
    if (x->harmful != y->harmful)
        return y->harmful - x->harmful;
    if (x->status != y->status)
        return (int)y->status - (int)x->status;
    return x->id == y->id ? 0 : x->id < y->id ? -1 : 1;
}

static int report(struct state *st)
{
    struct sn_report *r = &st->report;
    struct sn_report_options options = sn_session_report_options();
    if (st->nhidden)
        note(st, sn_xformat("%zu left out by %s", st->nhidden, sn_common.suppressions));
    if (st->c.executions && !st->c.instrumented)
        note(st, sn_xformat("%s is not instrumented: it was scheduled at its synchronisation "
                            "operations only (build it with snag cc to see data races)",
                            st->argv[0]));
    if (st->stopped)
        note(st, sn_xformat("stopped after %lld schedule%s; what was found until then is kept",
                            (long long)st->c.executions, st->c.executions == 1 ? "" : "s"));
    sn_findings_unite(&r->findings);
    qsort(r->findings.f, r->findings.n, sizeof *r->findings.f, by_harm);
    r->command = sn_command_line;
    r->stats = json_pack("{s:I, s:I}", "schedules", (json_int_t)st->c.executions, "failures",
                         (json_int_t)st->c.failures);
    r->messages = st->messages.v;
    if (sn_report_emit(r, &options) < 0)
        return SN_EXIT_FAILED;
    if (sn_report_found(r))
        return (int)sn_common.exitcode;
    return st->stopped ? 128 + st->stopped : st->c.runner.expected;
}

static void clean_up(struct state *st)
{
    sn_runner_stop(&st->c.runner);
    if (st->c.runner.dir)
        sn_run_dir_remove(st->c.runner.dir);
    free(st->c.runner.dir);
    sn_campaign_clear(&st->c);
    sn_schedule_clear(&st->order);
    sn_findings_free(&st->report.findings);
    json_decref(st->report.stats);
    sn_words_free(&st->messages);
    sn_suppress_free(st->hidden);
    sn_store_close(st->store);
    free(st->program);
}

/* Whoever ends the search wants what it has found: that is tried again, not minimised, as long as a
 * user can be kept waiting. */
static int finish(struct state *st)
{
    bool whole = !st->o->no_minimise && !sn_asked();
    if ((st->stopped = sn_asked())) {
        sn_runner_stop(&st->c.runner); /* the terminal's signal may have ended its server */
        sn_asked_put_off(GRACE_S);
    }
    int status = sn_campaign_finish(&st->c, whole ? MINIMISE_BUDGET : 1);
    if (sn_asked())
        st->stopped = sn_asked();
    return status;
}

static int run(struct state *st)
{
    int status = phase1(st);
    if (!status)
        status = sn_campaign_directed(&st->c);
    if (!status)
        status = at_large(st);
    if (!status && sn_common.stats)
        say_stats(st);
    if (!status)
        status = finish(st);
    if (!status)
        status = conclude_campaign(st);
    return status ? status : report(st);
}

int sn_fuzz_session(const struct sn_fuzz_options *o, char **argv)
{
    struct state st = {.o = o, .argv = argv, .rt = sn_session_rt()};
    st.c = (struct sn_campaign){
        .runner = {.argv = argv,
                   .timeout_s = sn_common.timeout_s > 0 ? sn_common.timeout_s : 10,
                   .rt = &st.rt,
                   .keep_output = o->decisions != NULL},
        .schedules = o->schedules,
        .limit_s = o->limit_s,
        .end_s = o->budget_s > 0 ? sn_campaign_clock() + o->budget_s : 0,
        .seed = sn_common.seed,
        .depth = (unsigned)o->depth,
        .stop_on_first = o->stop_on_first,
        .progress = !sn_common.quiet && isatty(STDERR_FILENO),
    };
    sn_asked_watch();
    int status = prepare(&st);
    if (!status && o->decisions && !(st.c.decisions = fopen(o->decisions, "w")))
        status = sn_fail("--decisions %s cannot be written: %s", o->decisions, strerror(errno));
    if (!status)
        status = run(&st);
    if (st.c.decisions)
        fclose(st.c.decisions);
    clean_up(&st);
    sn_asked_leave();
    return status;
}
