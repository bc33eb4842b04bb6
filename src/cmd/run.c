/*
 * run.c: `snag run`: programs as they are, thread-safety contracts of the libraries that they use,
 * delays where two threads nearly conflict.
 */
#include "cmd/command.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/contract_files.h"
#include "cmd/options.h"
#include "cmd/order_file.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "cmd/trapset.h"
#include "store/xalloc.h"

static const char *mode = "tsvd";
static struct sn_words contracts;
static int64_t delay_ms = 100, window_ms = 100, history = 5, phase_buffer = 16, hb_window = 5;
static int64_t max_delay_ms = 2000;
static double hb_threshold = 0.5, decay = 0.5;
static bool no_hb_inference;
static const char *coverage;

const struct sn_option sn_options_run[] = {
    SN_OPTION_CHOICE("mode", &mode, "tsvd|hb|random|static-random", "where to delay (tsvd)"),
    SN_OPTION_LIST("contracts", &contracts, "FILE|NAME", "one more file, or these libraries only"),
    SN_OPTION_NUMBER("delay-ms", &delay_ms, 0, 60000, "N", "length of a delay (100); 0: none"),
    SN_OPTION_NUMBER("window-ms", &window_ms, 0, 1 << 30, "N", "of a near miss (100); 0: any time"),
    SN_OPTION_NUMBER("history", &history, 1, 64, "N", "accesses kept per object (5)"),
    SN_OPTION_NUMBER("phase-buffer", &phase_buffer, 0, 1 << 20, "N",
                     "calls that show a concurrent phase (16); 0: always concurrent"),
    SN_OPTION_REAL("hb-threshold", &hb_threshold, "X",
                   "part of a delay that is a causal gap (0.5)"),
    SN_OPTION_NUMBER("hb-window", &hb_window, 0, 1 << 20, "N", "calls that it orders (5)"),
    SN_OPTION_FLAG("no-hb-inference", &no_hb_inference, "do not infer orders from delays"),
    SN_OPTION_REAL("decay", &decay, "X", "part of the probability lost by a delay in vain (0.5)"),
    SN_OPTION_NUMBER("max-delay-ms", &max_delay_ms, 0, 1 << 30, "N",
                     "of one thread in all (2000); a process: five times that"),
    SN_OPTION_TEXT("coverage", &coverage, "FILE",
                   "every place that was reached, as JSON (- is stdout)"),
    SN_OPTION_END,
};

static int64_t mode_number(void)
{
    static const char *const names[] = {"tsvd", "hb", "random", "static-random"};
    for (int i = 0; i < 4; i++)
        if (strcmp(mode, names[i]) == 0)
            return i;
    return 0;
}

struct run {
    void *flat; /* contracts as the runtime reads them */
    size_t bytes;
    const char *program;
    json_t *points; /* coverage, by place; null: not wanted */
};

static int before(const char *run_dir, struct sn_store *store, void *arg)
{
    const struct run *run = arg;
    int r = sn_trapset_load(store, run->program, run_dir);
    if (r < 0)
        sn_say("what earlier runs suspected is not used: %s", strerror(-r));
    return sn_contracts_put(run_dir, run->flat, run->bytes);
}

static int after(const char *run_dir, struct sn_store *store, void *arg)
{
    const struct run *run = arg;
    int r = sn_trapset_save(store, run->program, run_dir, run->points);
    if (r < 0)
        return sn_fail("what this run suspects could not be stored: %s", strerror(-r));
    return 0;
}

static void set_parameters(struct sn_options *rt)
{
    rt->tsvd_mode = mode_number();
    rt->delay_ms = delay_ms;
    rt->window_ms = window_ms;
    rt->history = history;
    rt->phase_buffer = phase_buffer;
    rt->hb_permille = no_hb_inference ? INT32_MAX : (int64_t)(hb_threshold * 1000);
    rt->hb_window = hb_window;
    rt->decay_permille = decay > 1 ? 1000 : (int64_t)(decay * 1000);
    rt->max_delay_ms = max_delay_ms;
}

static void print_blind_spot(const json_t *p)
{
    const char *file = json_string_value(json_object_get(p, "file"));
    const char *function = json_string_value(json_object_get(p, "function"));
    sn_say("never concurrent: call of %s() in %s%s%s:%d",
           json_string_value(json_object_get(p, "call")), function ? function : "?",
           file ? " at " : " of ", file ? file : json_string_value(json_object_get(p, "module")),
           (int)json_integer_value(json_object_get(p, file ? "line" : "offset")));
}

/* Points that threads reached, but never while another was active: blind spots of the test. */
static void print_coverage(json_t *points)
{
    const char *key;
    json_t *p;
    size_t concurrent = 0;
    json_object_foreach(points, key, p) concurrent +=
        json_is_true(json_object_get(p, "concurrent"));
    sn_say("coverage: %zu points reached, %zu of them in a concurrent phase, %zu never",
           json_object_size(points), concurrent, json_object_size(points) - concurrent);
    json_object_foreach(points, key, p) if (!json_is_true(json_object_get(p, "concurrent")))
        print_blind_spot(p);
}

static int write_coverage(json_t *points)
{
    json_t *all = json_array(), *p;
    const char *key;
    json_object_foreach(points, key, p) json_array_append(all, p);
    json_t *out = json_pack("{s:o}", "points", all);
    int r = strcmp(coverage, "-") == 0 ? json_dumpf(out, stdout, JSON_INDENT(1))
                                       : json_dump_file(out, coverage, JSON_INDENT(1));
    json_decref(out);
    return r ? sn_fail("%s cannot be written: %s", coverage, strerror(errno)) : 0;
}

int sn_cmd_run(int argc, char **argv)
{
    int first, status = sn_options_read(argc, argv, sn_options_run, &first);
    struct sn_contracts set = {0};
    struct run run = {0};
    if (status)
        return status;
    if (first == argc)
        return sn_fail("no program given: snag run [options] PROGRAM [ARGS…]");
    struct sn_session s = {
        .engine = "tsvd",
        .command = "run",
        .rt = sn_session_rt(),
        .argv = argv + first,
        .before = before,
        .after = after,
        .arg = &run,
    };
    set_parameters(&s.rt);
    status = sn_contract_files(&contracts, &set);
    if (!status) {
        run.flat = sn_contracts_compile(&set, false, &run.bytes);
        run.program = argv[first];
        run.points = sn_common.stats || coverage ? json_object() : NULL;
        status = sn_session(&s);
        if (sn_common.stats)
            print_coverage(run.points);
        if (coverage && write_coverage(run.points) != 0)
            status = SN_EXIT_FAILED;
    }
    free(run.flat);
    json_decref(run.points);
    sn_contracts_free(&set);
    return status;
}

void sn_help_run(void)
{
    sn_help_page(
        "snag run [options] [--] PROGRAM [ARGS…]",
        "Runs PROGRAM as it is and reports calls of thread-unsafe library functions that two\n"
        "threads make at the same time on one object, deadlocks and misuse of locks. Places that\n"
        "nearly conflicted are kept in the store: a second run tries them from the start. Exit\n"
        "status: 66 when something was found, else the program's own.",
        sn_options_run, true, "snag run --runs 2 ./prog");
}
