/* list.c: `snag list`, the findings of the store, a line each. */
#include "cmd/command.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/options.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "cmd/stored.h"

static bool candidates;

const struct sn_option sn_options_list[] = {
    SN_OPTION_FLAG("candidates", &candidates, "also what is only suspected"),
    SN_OPTION_END,
};

static void print_line(const struct sn_finding *f)
{
    printf("%lld\t%s\t%s\t%s\n", (long long)f->id, sn_status_name(f->status), sn_kind_name(f->kind),
           f->title ? f->title : "");
}

static void print_lines(const struct sn_findings *all)
{
    size_t hidden = 0;
    for (size_t i = 0; i < all->n; i++) {
        if (all->f[i].known)
            continue;
        if (all->f[i].status > SN_CANDIDATE || candidates)
            print_line(&all->f[i]);
        else
            hidden++;
    }
    if (hidden && !sn_common.quiet)
        sn_say("%zu candidate%s not shown (--candidates)", hidden, hidden == 1 ? "" : "s");
}

int sn_cmd_list(int argc, char **argv)
{
    struct sn_words rest = {0};
    /* Without the words that were given: stores with the same content give the same list. */
    struct sn_report r = {.command = (char *[]){"snag", "list", NULL}};
    int status = sn_options_read_mixed(argc, argv, sn_options_list, &rest);
    if (!status && rest.n)
        status = sn_fail("snag list takes options only, not '%s'; snag show %s shows one finding",
                         rest.v[0], rest.v[0]);
    if (!status)
        status = sn_stored_read(&r);
    if (!status)
        status = sn_stored_judge(&r);
    if (!status) {
        bool json_to_stdout = sn_common.json && sn_common.json[0] == '-' && !sn_common.json[1];
        if (!json_to_stdout)
            print_lines(&r.findings);
        status = sn_stored_emit(&r, true, candidates);
    }
    sn_findings_free(&r.findings);
    sn_words_free(&rest);
    return status;
}

void sn_help_list(void)
{
    sn_help_page(
        "snag list [options]",
        "Prints the findings of the store, a line each: number, how sure it is (predicted,\n"
        "observed, confirmed), kind, title; a tab between them. Status 66 when there are\n"
        "any.",
        sn_options_list, false, "snag list --json -");
}
