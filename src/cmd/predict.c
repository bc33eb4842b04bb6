/* predict.c: `snag predict`: races and deadlocks that did not happen, proven from one trace. */
#include "cmd/command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/options.h"
#include "cmd/order_file.h"
#include "cmd/recording.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "fuzz/asked.h"
#include "fuzz/prove.h"
#include "predict/turns.h"
#include "predict/predict.h"
#include "report/report.h"
#include "store/store.h"
#include "store/suppress.h"
#include "store/xalloc.h"

static const char *trace_file, *part, *algorithm = "rdit";
static int64_t window = 10000, questions = 8;
static double time_limit_s = 2;
static bool no_deadlocks, no_confirm, list;
static struct sn_words excluded;

const struct sn_option sn_options_predict[] = {
    SN_OPTION_TEXT("trace", &trace_file, "FILE", "a recorded trace, or one written as text"),
    SN_OPTION_CHOICE("algorithm", &algorithm, "hb|cp|mc|rdit", "how (rdit)"),
    SN_OPTION_NUMBER("window", &window, 2, 10000000, "N", "events analysed together (10000)"),
    SN_OPTION_REAL("time-limit", &time_limit_s, "SECONDS", "for one question to the solver (2)"),
    SN_OPTION_NUMBER("questions", &questions, 0, 1 << 30, "N",
                     "for two sites in a window, 0: no limit (8)"),
    SN_OPTION_LIST("exclude", &excluded, "PATTERN", "functions not to record: BarrierPairs"),
    SN_OPTION_FLAG("no-deadlocks", &no_deadlocks, "races only"),
    SN_OPTION_FLAG("no-confirm", &no_confirm, "do not run the program again to confirm"),
    SN_OPTION_TEXT("part", &part, "I/N", "with --trace: every N-th window, from the I-th on"),
    SN_OPTION_FLAG("list", &list, "print `race SITE SITE` lines instead of a report"),
    SN_OPTION_ORDER,
    SN_OPTION_END,
};

static enum sn_algorithm chosen_algorithm(void)
{
    static const char *const names[] = {"hb", "cp", "mc", "rdit"};
    for (int i = 0; i < 3; i++)
        if (strcmp(algorithm, names[i]) == 0)
            return (enum sn_algorithm)i;
    return SN_RDIT;
}

static bool progress_shown;

static void show_progress(uint64_t done, uint64_t all)
{
    fprintf(stderr, "\rsnag: window %llu of %llu ", (unsigned long long)done,
            (unsigned long long)all);
    fflush(stderr);
    progress_shown = true;
}

static int fail_free(char *why)
{
    int status = sn_fail("%s", why);
    free(why);
    return status;
}

/* The tables of a trace, which are whole only at its end. */
static int read_tables(const char *path, struct sn_trace **t)
{
    struct sn_trace_event ev;
    char *why = NULL;
    if (sn_trace_open(path, t, &why) < 0)
        return fail_free(why);
    while (sn_trace_next(*t, &ev) > 0)
        ;
    return 0;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "file:line" of where it happens. malloc. */
static char *position(const struct sn_stack *stack)
{
    const struct sn_frame *f = sn_stack_frame(stack);
    if (!f || !f->file)
        return f && f->module ? sn_xformat("%s+0x%llx", f->module, (unsigned long long)f->offset)
                              : sn_xstrdup(f && f->function ? f->function : "?");
    const char *slash = strrchr(f->file, '/');
    return sn_xformat("%s:%d", slash ? slash + 1 : f->file, f->line);
}

/* `race a.c:3 b.c:9`: the words of `# expect:` lines, sites and lines sorted. */
static char *list_line(const struct sn_finding *f)
{
    char **site = sn_xcalloc(f->nsites, sizeof *site);
    char *line = sn_xstrdup(f->kind == SN_KIND_DEADLOCK ? "deadlock" : "race");
    for (size_t i = 0; i < f->nsites; i++)
        site[i] = position(&f->sites[i].stack);
    qsort(site, f->nsites, sizeof *site, compare_lines);
    for (size_t i = 0; i < f->nsites; i++) {
        char *longer = sn_xformat("%s %s", line, site[i]);
        free(line);
        free(site[i]);
        line = longer;
    }
    free(site);
    return line;
}

static void print_list(const struct sn_findings *found)
{
    char **line = sn_xcalloc(found->n, sizeof *line);
    for (size_t i = 0; i < found->n; i++)
        line[i] = list_line(&found->f[i]);
    qsort(line, found->n, sizeof *line, compare_lines);
    for (size_t i = 0; i < found->n; i++) {
        if (i == 0 || strcmp(line[i], line[i - 1]) != 0)
            puts(line[i]);
    }
    for (size_t i = 0; i < found->n; i++)
        free(line[i]);
    free(line);
}

static json_t *stats_of(const struct sn_predict_result *r)
{
    const struct sn_analyse_stats *s = &r->stats;
    return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "events", (json_int_t)s->events,
                     "windows", (json_int_t)r->windows, "pairs", (json_int_t)s->pairs, "cycles",
                     (json_int_t)s->cycles, "found_by_closure", (json_int_t)s->by_closure,
                     "found_by_solver", (json_int_t)s->by_solver, "refuted", (json_int_t)s->refuted,
                     "unknown", (json_int_t)s->unknown, "not_asked", (json_int_t)s->skipped);
}

static void note(struct sn_words *messages, char *text)
{
    sn_words_add(messages, text);
    free(text);
}

/* What the user must know to judge the result. */
static void note_limits(const struct sn_predict_result *r, struct sn_words *messages)
{
    const struct sn_analyse_stats *s = &r->stats;
    bool solver = r->algorithm == SN_MC || r->algorithm == SN_RDIT;
    if (r->remark)
        sn_words_add(messages, r->remark);
    if (solver && !sn_smt_available())
        sn_words_add(messages,
                     "Z3 cannot be loaded (Debian: libz3-4): what the linear-time pass leaves "
                     "open stays unknown");
    else if (s->unknown)
        note(messages, sn_xformat("%llu questions were not answered in time (--time-limit) or not "
                                  "asked (--questions)",
                                  (unsigned long long)s->unknown));
    if (s->unseen_pairs)
        note(messages, sn_xformat("%s takes no notice of code that was not recorded (%llu "
                                  "BarrierPairs): its findings are candidates; --algorithm rdit "
                                  "proves them",
                                  algorithm, (unsigned long long)s->unseen_pairs));
}

static int hide_suppressed(struct sn_findings *found, struct sn_words *messages)
{
    struct sn_suppressions *hidden = NULL;
    char *why = NULL;
    if (!sn_common.suppressions)
        return 0;
    if (sn_suppress_load(sn_common.suppressions, &hidden, &why) < 0)
        return fail_free(why);
    size_t n = sn_suppress_apply(hidden, found);
    if (n)
        note(messages, sn_xformat("%zu left out by %s", n, sn_common.suppressions));
    sn_suppress_free(hidden);
    return 0;
}

static int keep(struct sn_findings *found, double seconds)
{
    struct sn_store *store = NULL;
    char *why = NULL;
    int64_t run;
    if (!sn_common.store)
        return 0;
    if (sn_store_open(sn_common.store, SN_STORE_WRITE, &store, &why) < 0)
        return fail_free(why);
    char *command = sn_session_command_json();
    int status = 0, r = sn_store_run_begin(store, command, "predict", &run);
    if (r == 0)
        r = sn_store_add(store, run, found);
    if (r == 0)
        r = sn_store_run_end(store, run, 0, seconds);
    if (r < 0)
        status = sn_fail("the findings could not be stored in %s: %s", sn_common.store,
                         sn_store_error(store));
    free(command);
    sn_store_close(store);
    return status;
}

static int conclude(const struct sn_predict_result *r, struct sn_findings *found, double seconds)
{
    struct sn_report report = {.command = sn_command_line, .seconds = seconds, .runs = 1};
    struct sn_report_options options = sn_session_report_options();
    struct sn_words messages = {0};
    report.findings = *found;
    *found = (struct sn_findings){0};
    sn_findings_unite(&report.findings);
    note_limits(r, &messages);
    int status = hide_suppressed(&report.findings, &messages);
    if (!status)
        status = keep(&report.findings, seconds);
    report.stats = stats_of(r);
    report.messages = messages.v;
    if (sn_report_emit(&report, &options) < 0)
        status = SN_EXIT_FAILED;
    if (!status && sn_report_found(&report))
        status = (int)sn_common.exitcode;
    sn_findings_free(&report.findings);
    json_decref(report.stats);
    sn_words_free(&messages);
    return status;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* "2/8" */
static int read_part(struct sn_predict_options *o)
{
    unsigned i = 0, n = 0;
    char end;
    if (part && (sscanf(part, "%u/%u%c", &i, &n, &end) != 2 || i < 1 || i > n))
        return sn_fail("--part is I/N with I from 1 to N, not '%s'", part);
    o->part = n ? i - 1 : 0;
    o->parts = n;
    return 0;
}

/* The trace's predictions, and as findings, one each. 0, or SN_EXIT_FAILED after a message. */
static int analyse(const char *path, struct sn_predict_result *r, struct sn_findings *found)
{
    struct sn_predict_options o = {.algorithm = chosen_algorithm(),
                                   .window = (uint32_t)window,
                                   .limit_ms = (unsigned)(time_limit_s * 1000),
                                   .questions = (unsigned)questions,
                                   .jobs = (unsigned)sn_common.jobs,
                                   .deadlocks = !no_deadlocks};
    struct sn_trace *t = NULL;
    char *why = NULL;
    if (!sn_common.quiet && isatty(STDERR_FILENO))
        o.progress = show_progress;
    *r = (struct sn_predict_result){0};
    int status = read_part(&o);
    if (status)
        return status;
    status = sn_predict(path, &o, r, &why) < 0 ? fail_free(why) : 0;
    if (progress_shown)
        fputs("\r\033[K", stderr);
    progress_shown = false;
    if (!status)
        status = read_tables(path, &t);
    if (!status)
        sn_predict_findings(r, t, found);
    sn_trace_close(t);
    return status;
}

static int predict_trace(const char *path)
{
    struct sn_predict_result r;
    struct sn_findings found = {0};
    double start = now_s();
    int status = analyse(path, &r, &found);
    if (!status && list) {
        print_list(&found);
        status = found.n ? (int)sn_common.exitcode : 0;
    } else if (!status) {
        status = conclude(&r, &found, now_s() - start);
    }
    sn_findings_free(&found);
    sn_predict_result_free(&r);
    return status;
}

/* A program: record, predict, prove. */

enum { RUNS = 3 }; /* when --runs does not say: each records other turns of the threads */

struct program {
    struct sn_recording recording;
    char **argv;
    json_t *stats; /* of all its processes */
    int64_t confirmed, executions;
    struct sn_words proven; /* as list_line() has them */
};

static int before(const char *run_dir, struct sn_store *store, void *arg)
{
    struct program *p = arg;
    (void)store;
    return sn_recording_prepare(&p->recording, run_dir);
}

/* The witnesses as schedules, in the order of the findings. */
static struct sn_schedule *hints_of(const char *trace, const struct sn_predict_result *r)
{
    struct sn_schedule *hint = sn_xcalloc(r->n ? r->n : 1, sizeof *hint);
    uint64_t most = 0;
    for (size_t i = 0; i < r->n; i++)
        if (r->p[i].nruns && r->p[i].first + (uint64_t)window > most)
            most = r->p[i].first + (uint64_t)window;
    struct sn_turns *h = most ? sn_turns_new(trace, most) : NULL;
    for (size_t i = 0; h && i < r->n; i++)
        sn_turns_of(h, &r->p[i], &hint[i]);
    sn_turns_free(h);
    return hint;
}

static bool is_proven(const struct program *p, const struct sn_finding *f)
{
    char *line = list_line(f);
    bool is = false;
    for (size_t i = 0; i < p->proven.n && !is; i++)
        is = strcmp(p->proven.v[i], line) == 0;
    free(line);
    return is;
}

static void note_proven(struct program *p, const struct sn_findings *found)
{
    for (size_t i = 0; i < found->n; i++)
        if (found->f[i].status == SN_CONFIRMED && !is_proven(p, &found->f[i]))
            note(&p->proven, list_line(&found->f[i]));
}

/* All of a trace's predictions were confirmed in an earlier run: no need to do it again. */
static bool worth_proving(const struct program *p, const struct sn_findings *found)
{
    for (size_t i = 0; i < found->n; i++)
        if (found->f[i].status >= SN_PREDICTED && !is_proven(p, &found->f[i]))
            return true;
    return false;
}

static int prove(struct program *p, const char *trace, const struct sn_predict_result *r,
                 struct sn_store *store, struct sn_findings *found)
{
    if (sn_asked())
        return 0;
    struct sn_schedule *hint = hints_of(trace, r);
    size_t n = found->n;
    struct sn_proof proof = {.argv = p->argv,
                             .findings = found,
                             .hint = hint,
                             .store = store,
                             .seed = sn_common.seed,
                             .timeout_s = sn_common.timeout_s > 0 ? sn_common.timeout_s : 30,
                             .progress = !sn_common.quiet && isatty(STDERR_FILENO)};
    int status = sn_prove(&proof);
    p->confirmed += proof.confirmed;
    p->executions += proof.executions;
    for (size_t i = 0; i < n; i++)
        sn_schedule_clear(&hint[i]);
    free(hint);
    return status;
}

static void add_stats(json_t *sum, json_t *one)
{
    const char *key;
    json_t *value;
    json_object_foreach(one, key, value)
    {
        json_int_t before = json_integer_value(json_object_get(sum, key));
        json_object_set_new(sum, key, json_integer(before + json_integer_value(value)));
    }
    json_decref(one);
}

static int find_in(struct program *p, const char *trace, struct sn_store *store,
                   struct sn_findings *out, struct sn_words *messages)
{
    struct sn_predict_result r;
    struct sn_findings found = {0};
    int status = analyse(trace, &r, &found);
    if (!status) {
        note_limits(&r, messages);
        add_stats(p->stats, stats_of(&r));
    }
    if (!status && !no_confirm && worth_proving(p, &found))
        status = prove(p, trace, &r, store, &found);
    note_proven(p, &found);
    for (size_t i = 0; i < found.n; i++) {
        *sn_findings_add(out) = found.f[i];
        found.f[i] = (struct sn_finding){0};
    }
    sn_findings_free(&found);
    sn_predict_result_free(&r);
    return status;
}

static int find(const char *run_dir, struct sn_store *store, struct sn_findings *out,
                struct sn_words *messages, void *arg)
{
    struct program *p = arg;
    struct sn_words traces = {0};
    struct sn_findings found = {0};
    int status = 0;
    sn_recording_traces(run_dir, &traces);
    for (size_t i = 0; i < traces.n && !status; i++) {
        char *whole = sn_xformat("%s/whole.%zu", run_dir, i);
        status = sn_recording_pack(traces.v[i], whole, 0);
        if (!status)
            status = find_in(p, whole, store, &found, messages);
        free(whole);
    }
    sn_words_free(&traces);
    sn_findings_unite(&found);
    for (size_t i = 0; i < found.n; i++) {
        *sn_findings_add(out) = found.f[i];
        found.f[i] = (struct sn_finding){0};
    }
    sn_findings_free(&found);
    return status;
}

static void report_stats(json_t *counters, void *arg)
{
    struct program *p = arg;
    json_object_update(counters, p->stats);
    json_object_set_new(counters, "schedules", json_integer(p->executions));
    json_object_set_new(counters, "confirmed", json_integer(p->confirmed));
}

static int predict_program(char **argv)
{
    struct program p = {.recording = {.program = argv[0], .excluded = &excluded},
                        .argv = argv,
                        .stats = json_object()};
    struct sn_session s = {.engine = "record",
                           .command = "predict",
                           .rt = sn_session_rt(),
                           .needs_instrumentation = true,
                           .shows_once = true,
                           .argv = argv,
                           .before = before,
                           .find = find,
                           .stats = report_stats,
                           .arg = &p};
    int status = sn_session(&s);
    json_decref(p.stats);
    sn_words_free(&p.proven);
    return status;
}

int sn_cmd_predict(int argc, char **argv)
{
    int first;
    sn_common.runs = 0;
    int status = sn_options_read(argc, argv, sn_options_predict, &first);
    if (status)
        return status;
    if (!sn_common.runs)
        sn_common.runs = trace_file || no_confirm ? 1 : RUNS;
    if (!trace_file && first == argc)
        return sn_fail("no program given: snag predict [options] PROGRAM [ARGS…], or a trace: "
                       "snag predict --trace FILE");
    if (!trace_file)
        return list ? sn_fail("--list is for a trace: snag predict --list --trace FILE")
                    : predict_program(argv + first);
    if (first < argc)
        return sn_fail("either a program or --trace, not both: '%s'", argv[first]);
    if (excluded.n)
        return sn_fail("--exclude says what is not recorded; a trace is as it is");
    if (strcmp(trace_file, "-") == 0)
        return sn_fail("a trace is read more than once: --trace needs a file");
    status = sn_session_check_outputs();
    return status ? status : predict_trace(trace_file);
}

void sn_help_predict(void)
{
    sn_help_page(
        "snag predict [options] [--] PROGRAM [ARGS…] · snag predict --trace FILE",
        "Runs PROGRAM, built with snag cc, three times (--runs, with --no-confirm once), and\n"
        "finds races and deadlocks that did not happen in these runs but can happen in\n"
        "another order of the same events. Each comes\n"
        "with such an order, and the scheduler then runs the program in it: what happens is\n"
        "confirmed, and snag replay shows it again. Code that was not recorded (libraries, what\n"
        "--exclude names) is taken into account by the algorithm rdit; hb, cp and mc are there\n"
        "for comparison.",
        sn_options_predict, true, "snag cc -g -o prog prog.c && snag predict ./prog");
}
