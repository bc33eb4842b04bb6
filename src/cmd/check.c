/* check.c: `snag check`, the static check: races and deadlocks without running the program. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check/check.h"
#include "cmd/command.h"
#include "cmd/contract_files.h"
#include "cmd/options.h"
#include "cmd/place.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "report/report.h"
#include "store/store.h"
#include "store/suppress.h"
#include "store/xalloc.h"

static int64_t steps = 10000000, steps_per_run = 1000000, heap = 8 << 20;
static const char *entry, *project, *emit_ir, *strategy = "auto";
static bool dump, candidates;
static struct sn_words contracts;

const struct sn_option sn_options_check[] = {
    SN_OPTION_TEXT("p", &project, "DIR", "folder with compile_commands.json: all programs in it"),
    SN_OPTION_NUMBER("steps", &steps, 1, INT64_MAX / 2, "N", "simulated instructions in all (10000000)"),
    SN_OPTION_NUMBER("steps-per-run", &steps_per_run, 1, INT64_MAX / 2, "N", "in one run (1000000)"),
    SN_OPTION_NUMBER("heap", &heap, 1, 400 << 20, "BYTES", "simulated heap of a run (8388608)"),
    SN_OPTION_TEXT("entry", &entry, "FUNC", "begin here instead of main"),
    SN_OPTION_CHOICE("strategy", &strategy, "auto|explore|random|pct", "which schedules are tried"),
    SN_OPTION_LIST("contracts", &contracts, "FILE|NAME", "one more file, or these libraries only"),
    SN_OPTION_FLAG("candidates", &candidates, "show also what rests on unknown values"),
    SN_OPTION_FLAG("dump", &dump, "print the bytecode and do not run it"),
    SN_OPTION_TEXT("emit-ir", &emit_ir, "FILE", "write the linked LLVM IR there"),
    SN_OPTION_END,
};

static int add_file(struct sn_sources *units, const char *file, char *const *flags)
{
    char *path = realpath(file, NULL);
    if (path == NULL)
        return sn_fail("%s: there is no such file", file);
    struct sn_source *u = sn_sources_add(units);
    u->file = path;
    if (flags != NULL)
        sn_words_add_all(&u->flags, flags);
    return 0;
}

/* The words behind `--` are flags for clang; those before are files. */
static int collect(int argc, char **argv, struct sn_sources *units)
{
    struct sn_words files = {0};
    int split = 1;
    while (split < argc && strcmp(argv[split], "--") != 0)
        split++;
    char *const *flags = split < argc ? argv + split + 1 : NULL;
    char *kept = argv[split];
    argv[split] = NULL;
    int status = sn_options_read_mixed(split, argv, sn_options_check, &files);
    argv[split] = kept;
    for (size_t i = 0; i < files.n && !status; i++)
        status = add_file(units, files.v[i], flags);
    char *why = NULL;
    if (!status && project != NULL && sn_sources_from_database(project, units, &why) < 0)
        status = sn_fail("%s", why);
    if (!status && units->n == 0)
        status = sn_fail("nothing to check: snag check FILE.c… [-- FLAGS], or snag check -p DIR");
    free(why);
    sn_words_free(&files);
    return status;
}

/* What a person wants to know besides the findings. */
static void note_outcome(struct sn_check_result *r)
{
    size_t sure = 0;
    for (size_t i = 0; i < r->findings.n; i++)
        sure += r->findings.f[i].status != SN_CANDIDATE;
    if (r->no_entry)
        sn_words_add(&r->messages, "there is no main() and no exported function to begin with");
    else if (!r->concurrent && !r->failed)
        sn_words_add(&r->messages, "no second thread was started within the bounds");
    else if (r->exhausted && r->concurrent && r->findings.n == 0 && !r->failed)
        sn_words_add(&r->messages, "within the bounds no race exists");
    if (sure < r->findings.n && !candidates) {
        char *text = sn_xformat("%zu more rest on inputs or unknown values (--candidates shows them; snag fuzz tries them)",
                                r->findings.n - sure);
        sn_words_add(&r->messages, text);
        free(text);
    }
}

static int64_t begin_in_store(struct sn_store *store)
{
    json_t *words = json_array();
    int64_t run = 0;
    for (char **w = sn_command_line; *w; w++) {
        json_t *word = json_string(*w);
        json_array_append_new(words, word ? word : json_string("?"));
    }
    char *text = sn_xcheck(json_dumps(words, JSON_COMPACT));
    if (sn_store_run_begin(store, text, "check", &run) < 0)
        run = -1;
    free(text);
    json_decref(words);
    return run;
}

/* 0, or SN_EXIT_FAILED after a message; what was found is still reported then. */
static int keep(struct sn_check_result *r, double seconds)
{
    struct sn_store *store = NULL;
    char *why = NULL;
    int status = 0;
    if (sn_common.store == NULL)
        return 0;
    if (sn_store_open(sn_common.store, SN_STORE_WRITE, &store, &why) < 0) {
        status = sn_fail("%s", why);
        free(why);
        return status;
    }
    int64_t run = begin_in_store(store);
    if (run < 0 || sn_store_add(store, run, &r->findings) < 0 || sn_store_run_end(store, run, 0, seconds) < 0)
        status = sn_fail("the findings could not be stored in %s: %s", sn_common.store, sn_store_error(store));
    sn_store_close(store);
    return status;
}

static int hide_suppressed(struct sn_check_result *r)
{
    struct sn_suppressions *hidden = NULL;
    char *why = NULL;
    if (sn_common.suppressions == NULL)
        return 0;
    if (sn_suppress_load(sn_common.suppressions, &hidden, &why) < 0) {
        int status = sn_fail("%s", why);
        free(why);
        return status;
    }
    size_t n = sn_suppress_apply(hidden, &r->findings);
    if (n > 0) {
        char *text = sn_xformat("%zu left out by %s", n, sn_common.suppressions);
        sn_words_add(&r->messages, text);
        free(text);
    }
    sn_suppress_free(hidden);
    return 0;
}

static int conclude(struct sn_check_result *r, int checked, double seconds)
{
    struct sn_report report = {.command = sn_command_line, .seconds = seconds, .runs = 1};
    struct sn_report_options options = sn_session_report_options();
    int status = hide_suppressed(r);
    if (status)
        return status;
    status = keep(r, seconds);
    note_outcome(r);
    options.show_candidates = candidates;
    report.findings = r->findings;
    report.stats = r->stats;
    report.messages = r->messages.v;
    if (sn_report_emit(&report, &options) < 0 || status)
        return SN_EXIT_FAILED;
    if (sn_report_found(&report))
        return (int)sn_common.exitcode;
    return checked != 0 || r->failed ? SN_EXIT_FAILED : 0;
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int sn_cmd_check(int argc, char **argv)
{
    struct sn_sources units = {0};
    struct sn_check_result result;
    double start = seconds_now();
    int status = collect(argc, argv, &units);
    if (!status)
        status = sn_session_check_outputs();
    const char *lib = status ? NULL : sn_place_lib();
    if (!status && lib == NULL)
        status = SN_EXIT_FAILED;
    if (!status) {
        struct sn_contracts rules = {0};
        status = sn_contract_files(&contracts, &rules);
        if (status) {
            sn_sources_free(&units);
            return status;
        }
        struct sn_check_request q = {.units = &units, .jobs = (int)sn_common.jobs};
        q.options.run.bounds = (struct sn_bounds){(uint64_t)steps, (uint64_t)steps_per_run, (uint64_t)heap};
        q.options.run.seed = (uint64_t)sn_common.seed;
        q.options.run.entry = entry;
        q.options.run.strategy = strategy;
        q.options.run.timeout_s = sn_common.timeout_s;
        q.options.run.contracts = &rules;
        q.options.lib_dir = lib;
        q.options.ir_out = emit_ir;
        q.options.dump = dump;
        int checked = sn_check(&q, &result);
        status = dump && checked == 0 ? 0 : conclude(&result, checked, seconds_now() - start);
        sn_check_result_free(&result);
        sn_contracts_free(&rules);
    }
    sn_sources_free(&units);
    return status;
}

void sn_help_check(void)
{
    sn_help_page("snag check [options] FILE.c… [-- FLAGS] | -p DIR",
                 "Looks for data races, deadlocks and misuse of locks without running the program: clang\n"
                 "compiles it, and snag simulates it with many schedules. Whatever comes from outside is\n"
                 "invented. FLAGS are given to clang. Exit status: 66 when something was found, else 0.",
                 sn_options_check, false, "snag check bank.c -- -Iinclude -DDEBUG");
}
