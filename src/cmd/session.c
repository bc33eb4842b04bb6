/* session.c: one command's run of a program from check to exit status, see session.h. */
#include "cmd/session.h"

#include <errno.h>
#include <jansson.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/unit.h"
#include "cmd/command.h"
#include "cmd/launch.h"
#include "cmd/options.h"
#include "cmd/place.h"
#include "cmd/run_dir.h"
#include "cmd/say.h"
#include "cmd/words.h"
#include "fuzz/asked.h"
#include "report/judge.h"
#include "store/ingest.h"
#include "store/store.h"
#include "store/suppress.h"
#include "store/xalloc.h"

static const char output_file[] = "stdout";

struct state {
    const struct sn_session *s;
    struct sn_store *store;         /* null: --no-store */
    struct sn_suppressions *hidden; /* null: none */
    size_t nhidden;
    struct sn_report report;
    struct sn_words messages;
    struct sn_ingest_info total; /* over all runs */
    bool failed;                 /* snag's own part went wrong: a message was given */
    bool stop;                   /* no further runs */
    bool stopped;                /* by a signal */
};

struct sn_report_options sn_session_report_options(void)
{
    static const char *const colors[] = {"auto", "always", "never"};
    struct sn_report_options o = {
        .json = sn_common.json,
        .sarif = sn_common.sarif,
        .junit = sn_common.junit,
        .html = sn_common.html,
        .quiet = sn_common.quiet,
        .stats = sn_common.stats,
    };
    for (int i = 0; i < 3; i++)
        if (strcmp(sn_common.color, colors[i]) == 0)
            o.color = i;
    sn_report_store = sn_common.store;
    return o;
}

struct sn_options sn_session_rt(void)
{
    struct sn_options rt = sn_opt;
    rt.seed = sn_common.seed;
    rt.stats = sn_common.stats;
    rt.deadlock_exit = sn_common.exitcode;
    return rt;
}

static int fail_free(char *why)
{
    int status = sn_fail("%s", why);
    free(why);
    return status;
}

static int check_output(const char *option, const char *file)
{
    if (!file || strcmp(file, "-") == 0)
        return 0;
    char *copy = sn_xstrdup(file);
    bool exists = access(file, F_OK) == 0;
    int r = access(exists ? file : dirname(copy), exists ? W_OK : W_OK | X_OK);
    int error = errno;
    free(copy);
    return r == 0 ? 0 : sn_fail("--%s %s cannot be written: %s; name a file in a folder that you may write to", option, file, strerror(error));
}

/* What `snag suppress` keeps in the store is read late, so that what a command itself made counts. */
static int judge_blob(void *arg, const char *key, const void *data, size_t bytes)
{
    (void)arg;
    json_t *j = json_loadb(data, bytes, 0, NULL);
    if (json_object_size(j)) /* an empty one was taken back */
        sn_judge_suppress(key, json_string_value(json_object_get(j, "fingerprint")));
    json_decref(j);
    return 0;
}

static void read_suppressed(void)
{
    struct sn_store *store = NULL;
    char *why = NULL;
    sn_report_prepare = NULL; /* once */
    if (!sn_common.store || sn_store_open(sn_common.store, SN_STORE_READ, &store, &why) < 0) {
        free(why);
        return;
    }
    sn_store_each_blob(store, "suppressed", judge_blob, NULL);
    sn_store_close(store);
}

int sn_session_check_outputs(void)
{
    char *why = NULL;
    sn_report_prepare = read_suppressed;
    if (sn_common.baseline && sn_judge_baseline(sn_common.baseline, &why) < 0)
        return fail_free(why);
    int status = check_output("json", sn_common.json);
    if (!status)
        status = check_output("sarif", sn_common.sarif);
    if (!status)
        status = check_output("html", sn_common.html);
    return status ? status : check_output("junit", sn_common.junit);
}

static int check_program(const struct sn_session *s)
{
    char path[PATH_MAX];
    int status = sn_launch_check(s->argv[0], path);
    char *library = status ? NULL : sn_place_engine(s->engine);
    if (!status && !library)
        status = SN_EXIT_FAILED;
    free(library);
    return status;
}

/* What can be known to fail is found before the program has run, and changed the world. */
static int prepare(struct state *st)
{
    char *why = NULL;
    int status = sn_session_check_outputs();
    if (status)
        return status;
    if (sn_common.suppressions && sn_suppress_load(sn_common.suppressions, &st->hidden, &why) < 0)
        return fail_free(why);
    if (sn_common.store && sn_store_open(sn_common.store, SN_STORE_WRITE, &st->store, &why) < 0)
        return fail_free(why);
    return 0;
}

char *sn_session_command_json(void)
{
    json_t *words = json_array();
    for (char **w = sn_command_line; *w; w++) {
        json_t *word = json_string(*w); /* null when it is no UTF-8 */
        json_array_append_new(words, word ? word : json_string("?"));
    }
    char *text = sn_xcheck(json_dumps(words, JSON_COMPACT));
    json_decref(words);
    return text;
}

static int begin_in_store(struct state *st, int64_t *run)
{
    if (!st->store)
        return 0;
    char *command = sn_session_command_json();
    int r = sn_store_run_begin(st->store, command, st->s->command, run);
    free(command);
    if (r < 0)
        return sn_fail("the store %s cannot be written: %s (--no-store runs without it)",
                       sn_common.store, sn_store_error(st->store));
    return 0;
}

/* The same words about each of many runs are said once. */
static void note_once(struct state *st, const char *text)
{
    for (size_t i = 0; i < st->messages.n; i++)
        if (strcmp(st->messages.v[i], text) == 0)
            return;
    sn_words_add(&st->messages, text);
}

static void note(struct state *st, char *text)
{
    note_once(st, text);
    free(text);
}

static void note_end(struct state *st, const struct sn_ended *end)
{
    const char *program = st->s->argv[0];
    if (end->timed_out)
        note(st, sn_xformat("%s was ended after %g s (--timeout), with all it had started", program,
                            sn_common.timeout_s));
    if (end->left)
        note(st,
             sn_xformat("processes that %s started still run (%u): what they find from now on is "
                        "not in this report",
                        program, end->left));
    if (end->status == 128 + SIGSYS)
        note(st, sn_xformat(SN_LAUNCH_FILTERED, program));
}

static void add_info(struct state *st, const struct sn_ingest_info *info)
{
    st->total.processes += info->processes;
    st->total.instrumented += info->instrumented;
    st->total.unfinished += info->unfinished;
    for (int i = 0; i < SN_RUN_COUNTERS; i++)
        st->total.counters[i] += info->counters[i];
    for (char **m = info->messages; m && *m; m++)
        note_once(st, *m);
}

/* Stores what a run found. 0, or -errno after a message. */
static int keep(struct state *st, int64_t run, struct sn_findings *found,
                const struct sn_ended *end)
{
    if (!st->store)
        return 0;
    int r = sn_store_add(st->store, run, found);
    if (r == 0)
        r = sn_store_run_end(st->store, run, end->status, end->seconds);
    if (r < 0)
        sn_say("the findings could not be stored in %s: %s", sn_common.store,
               sn_store_error(st->store));
    return r;
}

static void move_findings(struct sn_findings *to, struct sn_findings *from)
{
    for (size_t i = 0; i < from->n; i++) {
        *sn_findings_add(to) = from->f[i];
        from->f[i] = (struct sn_finding){0};
    }
    sn_findings_free(from);
    sn_findings_unite(to);
}

/* The command's own word on the run. 0, or -errno after a message. */
static int judge(struct state *st, const char *dir, struct sn_findings *found,
                 const struct sn_ended *end)
{
    if (!st->s->judge)
        return 0;
    char *output = st->s->keeps_output ? sn_xformat("%s/%s", dir, output_file) : NULL;
    struct sn_judged_run run = {dir, output, end, found, st->store};
    int r = st->s->judge(&run, st->s->arg);
    free(output);
    if (r == 1)
        st->stop = true;
    return r > 1 ? -EIO : 0;
}

/* Reads what the run left in its folder. 0, or -errno after a message: then the folder stays. */
static int take_in(struct state *st, const char *dir, int64_t run, const struct sn_ended *end)
{
    struct sn_findings found = {0};
    struct sn_ingest_info info = {0};
    int r = sn_ingest(dir, &found, &info);
    if (r < 0) {
        sn_say("the run files cannot be read: %s", strerror(-r));
    } else {
        const struct sn_session *s = st->s;
        add_info(st, &info);
        if (s->find && s->find(dir, st->store, &found, &st->messages, s->arg))
            st->failed = true;
        if (st->hidden)
            st->nhidden += sn_suppress_apply(st->hidden, &found);
        if (sn_asked())
            st->stop = true;
        r = judge(st, dir, &found, end);
        if (r == 0)
            r = keep(st, run, &found, end);
        move_findings(&st->report.findings, &found);
        if (r == 0 && info.damaged)
            r = -EBADMSG; /* said already; the files stay, so that nothing more is lost */
    }
    sn_ingest_info_free(&info);
    return r;
}

static void note_run(struct state *st, const struct sn_ended *end)
{
    st->report.runs++;
    st->report.seconds += end->seconds;
    if (!st->report.exit)
        st->report.exit = end->status;
    st->stop = st->stopped = end->asked_to_stop != 0;
    sn_asked_note(end->asked_to_stop); /* whoever is about to run the program again looks there */
    note_end(st, end);
}

/* What the program wrote goes on to where it would have gone. */
static void show_output(const char *path)
{
    char buffer[65536];
    size_t n;
    FILE *f = fopen(path, "re");
    while (f && (n = fread(buffer, 1, sizeof buffer, f)) > 0)
        fwrite(buffer, 1, n, stdout);
    fflush(stdout);
    if (f)
        fclose(f);
}

static int run_in(struct state *st, const char *dir, int64_t run)
{
    struct sn_options rt = st->s->rt;
    rt.seed += st->report.runs; /* each run has its own */
    struct sn_launch launch = {
        .engine = st->s->engine,
        .argv = st->s->argv,
        .run_dir = dir,
        .rt = &rt,
        .timeout_s = sn_common.timeout_s,
    };
    struct sn_ended end;
    const struct sn_session *s = st->s;
    char *output = s->keeps_output ? sn_xformat("%s/%s", dir, output_file) : NULL;
    launch.out = s->shows_once && st->report.runs ? "/dev/null" : output;
    int status = s->before ? s->before(dir, st->store, s->arg) : 0;
    if (!status)
        status = sn_launch(&launch, &end);
    if (!status && output)
        show_output(output);
    free(output);
    if (!status && sn_unit_disturbed(end.status, end.timed_out))
        status = SN_EXIT_FAILED;
    if (!status) {
        note_run(st, &end);
        if (s->after && s->after(dir, st->store, s->arg))
            st->failed = true;
        if (take_in(st, dir, run, &end) < 0) {
            sn_say("the run files are kept in %s; snag report --run %s reads them", dir, dir);
            st->failed = true;
            return 0;
        }
    }
    sn_run_dir_remove(dir);
    return status;
}

static int run_once(struct state *st)
{
    int64_t run = 0;
    char *dir = NULL, *why = NULL;
    int status = begin_in_store(st, &run);
    if (status)
        return status;
    if (sn_run_dir_make(sn_common.store, &dir, &why) < 0)
        return fail_free(why);
    status = run_in(st, dir, run);
    free(dir);
    return status;
}

static json_t *stats(const struct sn_ingest_info *total)
{
    json_t *o = json_object();
#define SN_COUNT(id, name, class, words)                                                           \
    json_object_set_new(o, name, json_integer((json_int_t)total->counters[SN_C_##id]));
#include "core/count.def"
#undef SN_COUNT
    uint64_t events = total->counters[SN_C_EVENTS];
    uint64_t skipped = total->counters[SN_C_FILTERED_SPAN] + total->counters[SN_C_FILTERED_TREE];
    if (events)
        json_object_set_new(o, "skipped_percent", json_real(100.0 * (double)skipped / (double)events));
    return o;
}

static int not_watched(const struct state *st)
{
    const char *program = st->s->argv[0];
    if (st->total.processes == 0)
        return sn_fail("no process of %s loaded snag's library: is it a wrapper around a static or "
                       "setuid program? snag doctor looks at this machine",
                       program);
    return sn_fail("%s is not instrumented, so snag %s saw nothing: build it with CC=\"snag cc\" "
                   "CXX=\"snag c++\" (snag help cc). snag run needs no rebuild",
                   program, st->s->command);
}

static int conclude(struct state *st)
{
    struct sn_report *r = &st->report;
    struct sn_report_options options = sn_session_report_options();
    if (st->nhidden)
        note(st, sn_xformat("%zu left out by %s", st->nhidden, sn_common.suppressions));
    r->command = sn_command_line;
    r->stats = stats(&st->total);
    if (st->s->stats)
        st->s->stats(r->stats, st->s->arg);
    r->messages = st->messages.v;
    if (sn_report_emit(r, &options) < 0 || st->failed)
        return SN_EXIT_FAILED;
    if (sn_report_found(r))
        return (int)sn_common.exitcode;
    if (st->stopped && st->total.processes == 0)
        return r->exit; /* before it had begun */
    if (st->s->needs_instrumentation && !st->total.instrumented)
        return not_watched(st);
    if (st->s->argv && st->total.processes == 0 && r->exit < SN_EXIT_CANNOT_EXEC &&
        r->exit != SN_EXIT_FAILED)
        sn_say("no process of %s loaded snag's library, so nothing was watched: is it a wrapper around "
               "a static or setuid program? snag doctor looks at this machine",
               st->s->argv[0]);
    return st->s->status && !st->stopped ? st->s->status(r->exit, st->s->arg) : r->exit;
}

static void clean_up(struct state *st)
{
    sn_findings_free(&st->report.findings);
    json_decref(st->report.stats);
    sn_words_free(&st->messages);
    sn_suppress_free(st->hidden);
    sn_store_close(st->store);
}

static void show_progress(int64_t run)
{
    if (sn_common.runs > 1 && !sn_common.quiet && isatty(STDERR_FILENO))
        sn_say("run %lld of %lld", (long long)run, (long long)sn_common.runs);
}

int sn_session(const struct sn_session *s)
{
    struct state st = {.s = s};
    int status = check_program(s);
    if (!status)
        status = prepare(&st);
    for (int64_t i = 1; i <= sn_common.runs && !status && !st.stop; i++) {
        show_progress(i);
        status = run_once(&st);
    }
    if (!status)
        status = conclude(&st);
    clean_up(&st);
    return status;
}

int sn_session_take_in(const char *run_dir)
{
    const struct sn_session s = {.command = "report"};
    const struct sn_ended end = {0};
    struct state st = {.s = &s};
    int64_t run = 0;
    int status = prepare(&st);
    if (!status)
        status = begin_in_store(&st, &run);
    if (!status) {
        st.report.runs = 1;
        if (take_in(&st, run_dir, run, &end) < 0)
            st.failed = true;
        else if (st.total.processes && st.store)
            sn_run_dir_remove(run_dir);
        status = conclude(&st);
    }
    clean_up(&st);
    return status;
}
