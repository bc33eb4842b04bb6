/* hunt.c: `snag hunt`, everything that snag can do about a program, as one command. */
#include "cmd/command.h"

#include "cmd/fuzz_session.h"
#include "cmd/options.h"
#include "cmd/order_file.h"
#include "cmd/say.h"

static struct sn_fuzz_options o = {.schedules = 60, .depth = 3, .bound = 2, .limit_s = 10, .budget_s = 120};

const struct sn_option sn_options_hunt[] = {
    SN_OPTION_NUMBER("schedules", &o.schedules, 1, INT64_MAX, "N",
                     "for each candidate and each strategy at large (60)"),
    SN_OPTION_REAL("limit", &o.limit_s, "SECONDS", "for each candidate and strategy (10)"),
    SN_OPTION_REAL("budget", &o.budget_s, "SECONDS", "for everything, 0 without end (120)"),
    SN_OPTION_FLAG("stop-on-first", &o.stop_on_first, "stop after the first that does harm"),
    SN_OPTION_ORDER,
    SN_OPTION_END,
};

int sn_cmd_hunt(int argc, char **argv)
{
    int first, status = sn_options_read(argc, argv, sn_options_hunt, &first);
    if (status)
        return status;
    if (first == argc)
        return sn_fail("no program given: snag hunt [options] PROGRAM [ARGS…]");
    return sn_fuzz_session(&o, argv + first);
}

void sn_help_hunt(void)
{
    sn_help_page(
        "snag hunt [options] [--] PROGRAM [ARGS…]",
        "Looks for races and lock orders in one run, makes each of them happen under\n"
        "controlled schedules, looks for failures beside, and reports what it confirmed or\n"
        "observed, the most harmful first, each with the command that shows it again.",
        sn_options_hunt, true, "snag cc -g -o prog prog.c && snag hunt ./prog");
}
