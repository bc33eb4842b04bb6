/*
 * fuzz_session.c: the two phases of race-directed testing around one program, see fuzz_session.h.
 * Phase 1 is a run of the race engine and what the store already has; phase 2 is a campaign.
 */
#include "cmd/fuzz_session.h"

#include <errno.h>
#include <limits.h>
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
#include "fuzz/campaign.h"
#include "fuzz/order_file.h"
#include "fuzz/pair.h"
#include "store/ingest.h"
#include "store/store.h"
#include "store/suppress.h"
#include "store/xalloc.h"

enum { MINIMISE_BUDGET = 120 };

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
    int free_end; /* the program's status in the first run */
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
    if (sn_run_dir_make(sn_common.store, &st->c.runner.dir, &why) < 0)
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

/* Phase 1: one run under the race engine. Its findings go to `found`. */
static int look(struct state *st, struct sn_findings *found)
{
    struct sn_runner *r = &st->c.runner;
    struct sn_launch launch = {.engine = "race",
                               .argv = st->argv,
                               .run_dir = r->dir,
                               .rt = &st->rt,
                               .timeout_s = sn_common.timeout_s > 0 ? sn_common.timeout_s : 60,
                               .out = "/dev/null",
                               .err = "/dev/null",
                               .no_input = true};
    struct sn_ended end;
    struct sn_ingest_info info = {0};
    sn_runner_clean(r);
    int status = sn_launch(&launch, &end);
    if (status)
        return status;
    st->report.runs++;
    st->free_end = end.timed_out ? -1 : end.status;
    st->report.seconds += end.seconds;
    if (sn_common.timeout_s <= 0) {
        r->timeout_s = 50 * end.seconds;
        r->timeout_s = r->timeout_s < 5 ? 5 : r->timeout_s > 60 ? 60 : r->timeout_s;
    }
    if (sn_ingest(r->dir, found, &info) < 0)
        sn_say("the run files of the race engine cannot be read");
    sn_ingest_info_free(&info);
    return keep(st, "race", found, end.status, end.seconds);
}

/* What earlier runs left about this program, of the build that is here now. */
static void recall(struct state *st, struct sn_findings *found)
{
    struct sn_findings all = {0};
    if (!st->store || sn_store_all(st->store, &all) < 0)
        return;
    for (size_t i = 0; i < all.n; i++)
        if (sn_pair_is_current(&all.f[i], st->program)) {
            *sn_findings_add(found) = all.f[i];
            all.f[i] = (struct sn_finding){0};
        }
    for (size_t i = 0; i < all.n; i++)
        sn_finding_clear(&all.f[i]);
    all.n = 0;
    sn_findings_free(&all);
    sn_findings_unite(found);
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

static int phase1(struct state *st)
{
    struct sn_findings found = {0};
    int status = look(st, &found);
    if (!status)
        status = sn_campaign_learn_usual_end(&st->c, st->free_end);
    if (status)
        return status;
    if (st->o->pair || st->o->order) {
        sn_findings_free(&found);
        return st->o->pair ? add_pair(st) : add_order(st);
    }
    recall(st, &found);
    add_candidates(st, &found);
    return 0;
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
    if (!status && st->o->strategy && wants(st, "dfs"))
        status = sn_campaign_dfs(&st->c, p ? p : "sync", (unsigned)st->o->bound);
    return status;
}

static void say_stats(const struct state *st)
{
    sn_say("%lld executions, %lld of them ended badly", (long long)st->c.executions,
           (long long)st->c.failures);
    for (size_t i = 0; i < st->c.n; i++) {
        const struct sn_result *r = &st->c.result[i];
        if (r->tries)
            sn_say("%s: %s; tried %lld, hit %lld (%.2f), harm in %lld, %.1f ms each", r->f.title,
                   r->confirmed ? "confirmed" : "not confirmed", (long long)r->tries,
                   (long long)r->hits, (double)r->hits / (double)r->tries, (long long)r->bad,
                   r->seconds * 1000 / (double)r->tries);
    }
}

/* Confirmed results are stored and reported with the rest. */
static int conclude_campaign(struct state *st)
{
    struct sn_findings confirmed = {0};
    int status = sn_campaign_save(&st->c, st->store, st->program);
    for (size_t i = 0; i < st->c.n; i++) {
        struct sn_result *r = &st->c.result[i];
        *sn_findings_add(r->confirmed ? &confirmed : &st->report.findings) = r->f;
        r->f = (struct sn_finding){0};
    }
    sn_findings_unite(&confirmed);
    if (!status)
        status = keep(st, "fuzz", &confirmed, st->report.exit, 0);
    move_all(&st->report.findings, &confirmed);
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
    sn_findings_unite(&r->findings);
    qsort(r->findings.f, r->findings.n, sizeof *r->findings.f, by_harm);
    r->command = sn_command_line;
    r->stats = json_pack("{s:I, s:I}", "schedules", (json_int_t)st->c.executions, "failures",
                         (json_int_t)st->c.failures);
    r->messages = st->messages.v;
    if (sn_report_emit(r, &options) < 0)
        return SN_EXIT_FAILED;
    return sn_report_found(r) ? (int)sn_common.exitcode : st->c.runner.expected;
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
        status = sn_campaign_finish(&st->c, st->o->no_minimise ? 1 : MINIMISE_BUDGET);
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
                   .rt = &st.rt},
        .schedules = o->schedules,
        .limit_s = o->limit_s,
        .seed = sn_common.seed,
        .depth = (unsigned)o->depth,
        .stop_on_first = o->stop_on_first,
        .progress = !sn_common.quiet && isatty(STDERR_FILENO),
    };
    int status = prepare(&st);
    if (!status && o->decisions && !(st.c.decisions = fopen(o->decisions, "w")))
        status = sn_fail("--decisions %s cannot be written: %s", o->decisions, strerror(errno));
    if (!status)
        status = run(&st);
    if (st.c.decisions)
        fclose(st.c.decisions);
    clean_up(&st);
    return status;
}
