/* report.c: `snag report`, the whole store as a report in any form. */
#include "cmd/command.h"

#include <stddef.h>

#include "cmd/options.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "cmd/stored.h"

static const char *run_dir;
static bool candidates;

const struct sn_option sn_options_report[] = {
    SN_OPTION_FLAG("candidates", &candidates, "also what is only suspected"),
    SN_OPTION_TEXT("run", &run_dir, "DIR", "take in run files that were kept"),
    SN_OPTION_END,
};

int sn_cmd_report(int argc, char **argv)
{
    int first, status = sn_options_read(argc, argv, sn_options_report, &first);
    if (!status && first < argc)
        status = sn_fail("snag report takes options only, not '%s'; snag show ID shows one finding",
                         argv[first]);
    if (status)
        return status;
    if (run_dir)
        return sn_session_take_in(run_dir);
    struct sn_report r = {.command = sn_command_line};
    status = sn_stored_read(&r);
    if (!status)
        status = sn_stored_emit(&r, false, candidates);
    sn_findings_free(&r.findings);
    return status;
}

void sn_help_report(void)
{
    sn_help_page("snag report [options]",
                 "Reports all findings of the store, as text, JSON, SARIF or JUnit XML.\n"
                 "Status 66 when there are any.",
                 sn_options_report, false, "snag report --sarif findings.sarif");
}
