/* json.c: the JSON report of CLI.md. */
#include "report/report.h"

#include <string.h>

#include "store/utf8.h"
#include "store/xalloc.h"

static json_t *text(const char *s)
{
    json_t *j = json_string(s);
    if (j)
        return j;
    char *clean = sn_utf8_clean(s, strlen(s), false);
    j = sn_xcheck(json_string(clean));
    free(clean);
    return j;
}

static json_t *texts(char *const *list)
{
    json_t *j = sn_xcheck(json_array());
    for (; list && *list; list++)
        json_array_append_new(j, text(*list));
    return j;
}

static json_t *finding(const struct sn_finding *f)
{
    json_t *j = sn_finding_to_json(f);
    if (f->known)
        json_object_set_new(j, "known", json_string(f->known == SN_SUPPRESSED ? "suppressed" : "baseline"));
    return j;
}

void sn_report_json(const struct sn_report *r, json_t **out)
{
    json_t *j = sn_xcheck(json_object()), *findings = sn_xcheck(json_array());
    json_object_set_new(j, "snag", text(SNAG_VERSION));
    json_object_set_new(j, "command", texts(r->command));
    json_object_set_new(j, "exit", json_integer(r->exit));
    json_object_set_new(j, "seconds", json_real(r->seconds));
    json_object_set_new(j, "runs", json_integer(r->runs));
    for (size_t i = 0; i < r->findings.n; i++)
        json_array_append_new(findings, finding(&r->findings.f[i]));
    json_object_set_new(j, "findings", findings);
    json_object_set_new(j, "stats", r->stats ? json_incref(r->stats) : json_object());
    if (r->messages && r->messages[0])
        json_object_set_new(j, "messages", texts(r->messages));
    *out = j;
}
