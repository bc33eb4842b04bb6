/*
 * baseline.c: `snag baseline write|check [FILE]`: what a project lives with today, in a file that
 * is kept with the sources; a check fails only for what is new, and names what is gone.
 */
#include "cmd/command.h"

#include <string.h>

#include "cmd/options.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "cmd/stored.h"
#include "report/judge.h"
#include "report/output.h"

static const char default_file[] = "snag-baseline.json";

static void write_file(FILE *out, const void *arg)
{
    json_t *j = sn_judge_to_json(arg);
    json_dumpf(j, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(j);
}

static int write_baseline(const char *file)
{
    struct sn_report r = {.command = sn_command_line};
    int status = sn_stored_read(&r);
    if (!status && sn_output(file, write_file, &r) < 0)
        status = SN_EXIT_FAILED;
    size_t n = 0;
    for (size_t i = 0; i < r.findings.n; i++)
        n += r.findings.f[i].status > SN_CANDIDATE;
    if (!status && !sn_common.quiet)
        sn_say(
            "%zu finding%s written to %s; --baseline %s makes every command fail only for new ones",
            n, n == 1 ? "" : "s", file, file);
    sn_findings_free(&r.findings);
    return status;
}

static int check_baseline(const char *file)
{
    struct sn_report r = {.command = sn_command_line};
    sn_common.baseline = file;
    int status = sn_stored_read(&r);
    if (!status)
        status = sn_stored_emit(&r, false, false);
    sn_findings_free(&r.findings);
    return status;
}

int sn_cmd_baseline(int argc, char **argv)
{
    struct sn_words rest = {0};
    int status = sn_options_read_mixed(argc, argv, NULL, &rest);
    const char *file = rest.n > 1           ? rest.v[1]
                       : sn_common.baseline ? sn_common.baseline
                                            : default_file;
    if (!status && (rest.n < 1 || rest.n > 2 ||
                    (strcmp(rest.v[0], "write") != 0 && strcmp(rest.v[0], "check") != 0)))
        status = sn_fail("say snag baseline write [FILE] or snag baseline check [FILE]");
    else if (!status)
        status = strcmp(rest.v[0], "write") == 0 ? write_baseline(file) : check_baseline(file);
    sn_words_free(&rest);
    return status;
}

void sn_help_baseline(void)
{
    sn_help_page(
        "snag baseline write|check [FILE]",
        "`write` puts the findings of the store into FILE (snag-baseline.json), to be kept with\n"
        "the sources. `check` reports what the store has beyond it: status 66 only for new\n"
        "findings, and entries that were not seen any more are named. Entries are recognised\n"
        "after lines have moved. --baseline FILE does the same in every other command.",
        NULL, false, "snag baseline write && snag race --baseline snag-baseline.json ./prog");
}
