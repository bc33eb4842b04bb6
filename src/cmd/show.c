/* show.c: `snag show ID`, one finding in full. */
#include "cmd/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/options.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "cmd/stored.h"
#include "report/report.h"

static int parse_id(const struct sn_words *rest, int64_t *id)
{
    char *end = NULL;
    errno = 0;
    if (rest->n == 1)
        *id = strtoll(rest->v[0], &end, 10);
    if (!end || *end || end == rest->v[0] || errno || *id < 1)
        return sn_fail("snag show takes the number of one finding; snag list shows them");
    return 0;
}

/* Leaves the wanted one. */
static int pick(struct sn_findings *all, int64_t id)
{
    for (size_t i = 0; i < all->n; i++) {
        if (all->f[i].id != id)
            continue;
        struct sn_finding found = all->f[i];
        all->f[i] = all->f[0];
        all->f[0] = found;
        while (all->n > 1)
            sn_finding_clear(&all->f[--all->n]);
        return 0;
    }
    return sn_fail("there is no finding %lld in %s; snag list shows what is there", (long long)id,
                   sn_common.store);
}

int sn_cmd_show(int argc, char **argv)
{
    struct sn_words rest = {0};
    struct sn_report r = {.command = sn_command_line};
    int64_t id = 0;
    int status = sn_options_read_mixed(argc, argv, NULL, &rest);
    if (!status)
        status = parse_id(&rest, &id);
    if (!status)
        status = sn_stored_read(&r);
    if (!status)
        status = pick(&r.findings, id);
    if (!status) {
        sn_report_store = sn_common.store;
        if (!sn_common.json || strcmp(sn_common.json, "-") != 0)
            sn_report_text_finding(
                stdout, &r.findings.f[0],
                sn_report_color(sn_session_report_options().color, STDOUT_FILENO));
        status = sn_stored_emit(&r, true, true);
    }
    sn_findings_free(&r.findings);
    sn_words_free(&rest);
    return status;
}

void sn_help_show(void)
{
    sn_help_page(
        "snag show [options] ID",
        "Prints one finding of the store in full: both stacks, the object, locks, threads.", NULL,
        false, "snag show 3");
}
