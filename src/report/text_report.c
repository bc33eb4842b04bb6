/*
 * text_report.c: the whole text report: findings, the strongest first, what snag has to say, the
 * summary last. Nothing at all when there is nothing to say: a program's own output stays as it is.
 */
#include "report/text.h"

#include <string.h>

#include "report/judge.h"
#include "store/xalloc.h"

static const char rule[] =
    "========================================================================\n";

static int compare_findings(const void *a, const void *b)
{
    const struct sn_finding *x = *(const struct sn_finding *const *)a;
    const struct sn_finding *y = *(const struct sn_finding *const *)b;
    if (x->status != y->status)
        return x->status > y->status ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return strcmp(x->key ? x->key : "", y->key ? y->key : "");
}

size_t sn_text_collect(const struct sn_report *r, bool candidates, const struct sn_finding **shown)
{
    size_t n = 0;
    for (size_t i = 0; i < r->findings.n; i++) {
        const struct sn_finding *f = &r->findings.f[i];
        if (!f->known && (candidates || f->status > SN_CANDIDATE))
            shown[n++] = f;
    }
    if (n)
        qsort(shown, n, sizeof *shown, compare_findings);
    return n;
}

static bool has_command(const char *name)
{
    static const char *const names[] = {
#define SN_COMMAND(name, ident, summary) name,
#include "cmd/commands.def"
#undef SN_COMMAND
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strcmp(names[i], name))
            return true;
    }
    return false;
}

/* fuzz and hunt have tried them. */
static const char *candidates_advice(const struct sn_report *r)
{
    const char *command = r->command && r->command[0] ? r->command[1] : NULL;
    if (command && (!strcmp(command, "fuzz") || !strcmp(command, "hunt")))
        return ", and no schedule that was tried made them happen";
    return has_command("fuzz") ? "; `snag fuzz` can confirm them" : "";
}

static void put_candidates(FILE *out, const struct sn_report *r, size_t n)
{
    fprintf(out, "snag: %zu candidate%s not shown: suspected, not seen%s\n", n, n == 1 ? "" : "s",
            candidates_advice(r));
}

/* "data race", "deadlock", …: the JSON's name without its hyphens. */
char *sn_text_kind(enum sn_kind k, size_t n)
{
    char *words = sn_xformat("%s%s", sn_kind_name(k), n == 1 || k == SN_KIND_MISUSE ? "" : "s");
    for (char *p = words; *p; p++) {
        if (*p == '-' && strncmp(words, "thread-safety", 13))
            *p = ' ';
    }
    return words;
}

static size_t count(const struct sn_finding *const *shown, size_t n, enum sn_kind kind,
                    enum sn_status status)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += shown[i]->kind == kind && shown[i]->status == status;
    return found;
}

static void put_summary(FILE *out, const struct sn_finding *const *shown, size_t n,
                        const struct sn_style *c)
{
    fprintf(out, "%ssnag: %zu finding%s%s", c->head, n, n == 1 ? "" : "s", c->end);
    const char *joint = " (";
    for (int status = SN_STATUS_COUNT - 1; status >= 0; status--) {
        for (int kind = 0; kind < SN_KIND_COUNT; kind++) {
            size_t some = count(shown, n, (enum sn_kind)kind, (enum sn_status)status);
            if (!some)
                continue;
            char *words = sn_text_kind((enum sn_kind)kind, some);
            fprintf(out, "%s%zu %s %s", joint, some, words, sn_status_name((enum sn_status)status));
            free(words);
            joint = ", ";
        }
    }
    fputs(")\n", out);
}

static size_t count_candidates(const struct sn_report *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->findings.n; i++)
        n += r->findings.f[i].status == SN_CANDIDATE && !r->findings.f[i].known;
    return n;
}

/* What was left out because somebody knows it, and what nobody needs to know any more. */
static void put_known(FILE *out)
{
    const struct sn_judged *j = sn_judged();
    if (j->known)
        fprintf(out, "snag: %zu known finding%s not shown (%s)\n", j->known,
                j->known == 1 ? "" : "s", j->baseline);
    if (j->suppressed)
        fprintf(out, "snag: %zu suppressed finding%s not shown (snag suppress --list)\n",
                j->suppressed, j->suppressed == 1 ? "" : "s");
    for (size_t i = 0; i < j->nstale; i++) {
        fprintf(out, "snag: not seen any more, but in %s: ", j->baseline);
        sn_text_put(out, j->stale[i]);
        fputc('\n', out);
    }
}

static void put_stats(FILE *out, const json_t *stats)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)stats, name, value)
    {
        if (json_is_integer(value))
            fprintf(out, "snag: %s: %lld\n", name, (long long)json_integer_value(value));
        else if (json_is_real(value))
            fprintf(out, "snag: %s: %g\n", name, json_real_value(value));
    }
}

void sn_text_report(FILE *out, const struct sn_report *r, const struct sn_report_options *o,
                    bool color)
{
    const struct sn_finding **shown = sn_xcalloc(r->findings.n, sizeof *shown);
    size_t n = sn_text_collect(r, o->show_candidates, shown);
    for (size_t i = 0; i < n; i++) {
        fputs(rule, out);
        sn_report_text_finding(out, shown[i], color);
    }
    if (n)
        fputs(rule, out);
    for (char **m = r->messages; m && *m; m++) {
        fputs("snag: ", out);
        sn_text_put(out, *m);
        fputc('\n', out);
    }
    if (o->stats && r->stats)
        put_stats(out, r->stats);
    size_t candidates = o->show_candidates ? 0 : count_candidates(r);
    put_known(out);
    if (candidates)
        put_candidates(out, r, candidates);
    if (n)
        put_summary(out, shown, n, sn_style(color));
    free(shown);
}
