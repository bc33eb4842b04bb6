/* race.c: `snag race`, the happens-before race detector and the lock order. */
#include "cmd/command.h"

#include <string.h>

#include "cmd/options.h"
#include "cmd/order_file.h"
#include "cmd/say.h"
#include "cmd/session.h"

static const char *detector = "fasttrack";
static const char *filter; /* null: what loses nothing with the detector */
static int64_t memory_limit_mb, report_limit = 1000, epochs;
static const char *heap = "snag";
static bool no_lock_order, allow_idle;

const struct sn_option sn_options_race[] = {
    SN_OPTION_CHOICE("detector", &detector, "fasttrack|hybrid", "hybrid gives candidates only"),
    SN_OPTION_CHOICE("filter", &filter, "none|span|tree", "redundant accesses to leave out"),
    SN_OPTION_CHOICE("heap", &heap, "snag|libc", "whose heap small blocks come from"),
    SN_OPTION_NUMBER("memory-limit", &memory_limit_mb, 0, 1 << 30, "MB", "for shadow memory"),
    SN_OPTION_NUMBER("report-limit", &report_limit, 1, 1 << 30, "N", "findings per process (1000)"),
    SN_OPTION_NUMBER("epochs", &epochs, 0, INT64_C(1) << 32, "N",
                     "then they are numbered anew, for tests"),
    SN_OPTION_FLAG("no-lock-order", &no_lock_order, "do not look at the order of locks"),
    SN_OPTION_FLAG("allow-idle", &allow_idle, "threads that all wait for ever are no deadlock"),
    SN_OPTION_ORDER,
    SN_OPTION_END,
};

enum { FILTER_NONE, FILTER_SPAN, FILTER_TREE }; /* as the runtime's option has them */

static int64_t filter_number(void)
{
    if (!filter)
        return strcmp(detector, "hybrid") == 0 ? FILTER_TREE : FILTER_SPAN;
    if (strcmp(filter, "none") == 0)
        return FILTER_NONE;
    return strcmp(filter, "span") == 0 ? FILTER_SPAN : FILTER_TREE;
}

int sn_cmd_race(int argc, char **argv)
{
    int first, status = sn_options_read(argc, argv, sn_options_race, &first);
    if (status)
        return status;
    if (first == argc)
        return sn_fail("no program given: snag race [options] PROGRAM [ARGS…]");
    bool hybrid = strcmp(detector, "hybrid") == 0;
    if (!hybrid && filter_number() == FILTER_TREE)
        return sn_fail(
            "--filter tree can lose races in front of --detector fasttrack, which counts "
            "the order of locks: take --detector hybrid with it, or --filter span");
    struct sn_session s = {
        .engine = hybrid ? "hybrid" : "race",
        .command = "race",
        .rt = sn_session_rt(),
        .needs_instrumentation = true,
        .argv = argv + first,
    };
    s.rt.detector = hybrid;
    s.rt.filter = filter_number();
    s.rt.memory_limit_mb = memory_limit_mb;
    s.rt.report_limit = report_limit;
    s.rt.epochs = epochs;
    s.rt.heap = strcmp(heap, "snag") == 0;
    s.rt.lock_order = !no_lock_order;
    s.rt.hang = !allow_idle;
    return sn_session(&s);
}

void sn_help_race(void)
{
    sn_help_page(
        "snag race [options] [--] PROGRAM [ARGS…]",
        "Runs PROGRAM, built with snag cc or gcc -fsanitize=thread, and reports data races,\n"
        "deadlocks and misuse of locks. Exit status: 66 when something was found, else the\n"
        "program's own.\n"
        "--detector hybrid looks behind the order in which locks were taken by chance: pairs of\n"
        "accesses without a common lock and without a message between them. They are candidates\n"
        "for the store (snag list --candidates), not findings. Its filter is tree, which loses "
        "none of\n"
        "them; span and none are there to measure it. With fasttrack none and span are the same:\n"
        "the shadow itself is what remembers the accesses of an epoch.\n"
        "A program in which no thread can ever go on is ended, as a deadlock is; --allow-idle is\n"
        "for one that is meant to wait so until it is killed.",
        sn_options_race, true, "snag cc -g -o prog prog.c && snag race ./prog");
}
