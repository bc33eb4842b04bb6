/* report.c: which forms of a report are wanted, and where they go. */
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/forms.h"
#include "report/html.h"
#include "report/judge.h"
#include "report/output.h"
#include "report/text.h"

void (*sn_report_prepare)(void);

static void write_json(FILE *out, const void *arg)
{
    json_t *j;
    sn_report_json(arg, &j);
    json_dumpf(j, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', out);
    json_decref(j);
}

static void write_sarif(FILE *out, const void *arg)
{
    json_t *j;
    sn_report_sarif(arg, &j);
    json_dumpf(j, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', out);
    json_decref(j);
}

static void write_junit(FILE *out, const void *arg)
{
    sn_report_junit(out, arg);
}

bool sn_report_color(int choice, int fd)
{
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    if (choice)
        return choice == 1;
    return isatty(fd) && !(no_color && *no_color) && !(term && !strcmp(term, "dumb"));
}

/* In one piece: another process's lines do not come between. */
static void write_text(const struct sn_report *r, const struct sn_report_options *o)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return;
    sn_text_report(out, r, o, sn_report_color(o->color, STDERR_FILENO));
    fclose(out);
    fwrite(text, 1, bytes, stderr);
    fflush(stderr);
    free(text);
}

static void write_html(FILE *out, const void *arg)
{
    sn_report_html(out, arg, false);
}

static void write_html_all(FILE *out, const void *arg)
{
    sn_report_html(out, arg, true);
}

int sn_report_emit(const struct sn_report *r, const struct sn_report_options *o)
{
    int err = 0, e;
    if (sn_report_prepare && r->findings.n) /* the store need not be asked about nothing */
        sn_report_prepare();
    sn_judge(r);
    if (!o->quiet)
        write_text(r, o);
    if (o->json && (e = sn_output(o->json, write_json, r)))
        err = e;
    if (o->sarif && (e = sn_output(o->sarif, write_sarif, r)))
        err = e;
    if (o->junit && (e = sn_output(o->junit, write_junit, r)))
        err = e;
    if (o->html && (e = sn_output(o->html, o->show_candidates ? write_html_all : write_html, r)))
        err = e;
    return err;
}

bool sn_report_found(const struct sn_report *r)
{
    sn_judge(r);
    for (size_t i = 0; i < r->findings.n; i++) {
        if (r->findings.f[i].status > SN_CANDIDATE && !r->findings.f[i].known)
            return true;
    }
    return false;
}
