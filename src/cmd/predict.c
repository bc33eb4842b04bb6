/* predict.c: `snag predict`: races and deadlocks that did not happen, proven from one trace. */
#include "cmd/command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/options.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "predict/predict.h"
#include "report/report.h"
#include "store/store.h"
#include "store/suppress.h"
#include "store/xalloc.h"
#include "trace/text.h"

static const char *trace_file, *part, *algorithm = "rdit";
static int64_t window = 10000, questions = 8;
static double time_limit_s = 2;
static bool no_deadlocks, list;
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
    SN_OPTION_TEXT("part", &part, "I/N", "with --trace: every N-th window, from the I-th on"),
    SN_OPTION_FLAG("list", &list, "print `race SITE SITE` lines instead of a report"),
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

/* "file:line" of "function(file:line)". Changes the buffer. */
static char *position(char *site)
{
    char *open = strchr(site, '('), *close = strrchr(site, ')');
    if (!open || !close || close[1])
        return site;
    *close = '\0';
    return open + 1;
}

/* `race a.c:3 b.c:9`: the words of `# expect:` lines, sites and lines sorted. */
static void print_list(const struct sn_predict_result *r, const struct sn_trace *t)
{
    char **line = sn_xcalloc(r->n, sizeof *line), buffer[SN_MAX_MEET][512], *site[SN_MAX_MEET];
    for (size_t i = 0; i < r->n; i++) {
        const struct sn_predicted *p = &r->p[i];
        for (uint32_t k = 0; k < p->nmeet; k++)
            site[k] = position(
                sn_trace_print_site(t, p->meet[k].site, false, buffer[k], sizeof buffer[k]));
        qsort(site, p->nmeet, sizeof *site, compare_lines);
        line[i] = sn_xstrdup(p->deadlock ? "deadlock" : "race");
        for (uint32_t k = 0; k < p->nmeet; k++) {
            char *longer = sn_xformat("%s %s", line[i], site[k][0] ? site[k] : "?");
            free(line[i]);
            line[i] = longer;
        }
    }
    qsort(line, r->n, sizeof *line, compare_lines);
    for (size_t i = 0; i < r->n; i++) {
        puts(line[i]);
        free(line[i]);
    }
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
        sn_words_add(messages, "this snag was built without Z3: what the linear-time pass leaves "
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

static char *command_json(void)
{
    json_t *words = sn_xcheck(json_array());
    for (char **w = sn_command_line; *w; w++) {
        json_t *word = json_string(*w); /* null when it is no UTF-8 */
        json_array_append_new(words, word ? word : json_string("?"));
    }
    char *text = sn_xcheck(json_dumps(words, JSON_COMPACT));
    json_decref(words);
    return text;
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
    char *command = command_json();
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

static int conclude(const struct sn_predict_result *r, const struct sn_trace *t, double seconds)
{
    struct sn_report report = {.command = sn_command_line, .seconds = seconds, .runs = 1};
    struct sn_report_options options = sn_session_report_options();
    struct sn_words messages = {0};
    sn_predict_findings(r, t, &report.findings);
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

static int predict_trace(const char *path)
{
    struct sn_predict_options o = {.algorithm = chosen_algorithm(),
                                   .window = (uint32_t)window,
                                   .limit_ms = (unsigned)(time_limit_s * 1000),
                                   .questions = (unsigned)questions,
                                   .jobs = (unsigned)sn_common.jobs,
                                   .deadlocks = !no_deadlocks};
    struct sn_predict_result r;
    struct sn_trace *t = NULL;
    char *why = NULL;
    double start = now_s();
    if (!sn_common.quiet && isatty(STDERR_FILENO))
        o.progress = show_progress;
    int status = read_part(&o);
    if (status)
        return status;
    status = sn_predict(path, &o, &r, &why) < 0 ? fail_free(why) : 0;
    if (progress_shown)
        fputs("\r\033[K", stderr);
    if (!status)
        status = read_tables(path, &t);
    if (!status && list) {
        print_list(&r, t);
        status = r.n ? (int)sn_common.exitcode : 0;
    } else if (!status) {
        status = conclude(&r, t, now_s() - start);
    }
    sn_trace_close(t);
    sn_predict_result_free(&r);
    return status;
}

int sn_cmd_predict(int argc, char **argv)
{
    int first, status = sn_options_read(argc, argv, sn_options_predict, &first);
    if (status)
        return status;
    if (!trace_file)
        return sn_fail("which trace? snag predict --trace FILE (snag help predict)");
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
        "snag predict [options] --trace FILE",
        "Finds races and deadlocks that did not happen in a recorded run but can happen in\n"
        "another order of the same events, and shows that order. Nothing is reported without\n"
        "such a witness. Code that was not recorded (BarrierPairs) is taken into account by\n"
        "the algorithm rdit; hb, cp and mc are there for comparison.",
        sn_options_predict, false, "snag predict --trace bank.trace --json -");
}
