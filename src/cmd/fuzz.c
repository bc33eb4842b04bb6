/* fuzz.c: `snag fuzz`, controlled schedules. */
#include "cmd/command.h"

#include "cmd/fuzz_session.h"
#include "cmd/options.h"
#include "cmd/order_file.h"
#include "cmd/say.h"

static struct sn_fuzz_options o = {.schedules = 100, .depth = 3, .bound = 2, .limit_s = 20};

const struct sn_option sn_options_fuzz[] = {
    SN_OPTION_CHOICE("strategy", &o.strategy, "race|random|pct|pos|dfs|deadlock|order",
                     "one alone (all that are worth it)"),
    SN_OPTION_NUMBER("schedules", &o.schedules, 1, INT64_MAX, "N",
                     "for each candidate and each strategy at large (100)"),
    SN_OPTION_FLAG("stop-on-first", &o.stop_on_first, "stop after the first that does harm"),
    SN_OPTION_CHOICE("points", &o.points, "sync|all", "where threads may be switched, at large"),
    SN_OPTION_TEXT("pair", &o.pair, "A,B", "aim at the accesses at FILE:LINE and FILE:LINE"),
    SN_OPTION_TEXT("order", &o.order, "FILE", "enforce the order of statements that FILE has"),
    SN_OPTION_TEXT("decisions", &o.decisions, "FILE", "write down what every execution decided"),
    SN_OPTION_NUMBER("depth", &o.depth, 1, 64, "N", "pct: depth of the bug (3)"),
    SN_OPTION_NUMBER("bound", &o.bound, 0, 1000000, "N", "dfs: preemptions, 1000 without end (2)"),
    SN_OPTION_REAL("limit", &o.limit_s, "SECONDS", "for each candidate and strategy (20)"),
    SN_OPTION_REAL("budget", &o.budget_s, "SECONDS", "for everything, 0 without end (0)"),
    SN_OPTION_FLAG("no-minimise", &o.no_minimise, "keep schedules as they were found"),
    SN_OPTION_ORDER,
    SN_OPTION_END,
};

int sn_cmd_fuzz(int argc, char **argv)
{
    int first, status = sn_options_read(argc, argv, sn_options_fuzz, &first);
    if (status)
        return status;
    if (first == argc)
        return sn_fail("no program given: snag fuzz [options] PROGRAM [ARGS…]");
    return sn_fuzz_session(&o, argv + first);
}

void sn_help_fuzz(void)
{
    sn_help_page(
        "snag fuzz [options] [--] PROGRAM [ARGS…]",
        "Runs PROGRAM many times, one thread at a time, under schedules of snag's choice.\n"
        "Candidates (from a run of the race engine, and from the store) are confirmed or\n"
        "not, with the harm they do; failures on the way are findings too. Each confirmed\n"
        "one is stored with a schedule: snag replay ID shows it again.",
        sn_options_fuzz, true, "snag cc -g -o prog prog.c && snag fuzz ./prog");
}
