/*
 * junit.c: JUnit XML for dashboards: every finding is a failed test case with the text report as
 * its words; a clean run is one test case that passed.
 */
#include "report/forms.h"

#include <stdlib.h>
#include <string.h>

#include "report/source.h"
#include "store/utf8.h"
#include "store/xalloc.h"

/* XML 1.0 has no way to write most control characters, nor U+FFFE and U+FFFF. */
static bool is_writable(const unsigned char *s, unsigned length)
{
    if (length == 1)
        return *s >= 0x20 || *s == '\n' || *s == '\t';
    return !(length == 3 && s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe);
}

static const char *entity(unsigned char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

static void put_xml(FILE *out, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n;) {
        const unsigned char *s = (const unsigned char *)text + i;
        unsigned length = sn_utf8_length(s, n - i);
        if (!length || !is_writable(s, length))
            fputs("?", out);
        else if (entity(*s))
            fputs(entity(*s), out);
        else
            fwrite(s, 1, length, out);
        i += length ? length : 1;
    }
}

static void put_text(FILE *out, const struct sn_finding *f)
{
    char *text;
    size_t bytes;
    FILE *to = sn_xcheck(open_memstream(&text, &bytes));
    sn_report_text_finding(to, f, false);
    fclose(to);
    put_xml(out, text);
    free(text);
}

static void put_case(FILE *out, const struct sn_finding *f)
{
    const struct sn_frame *at = f->nsites ? sn_site_frame(&f->sites[0]) : NULL;
    const char *title = f->title ? f->title : sn_kind_name(f->kind);
    fprintf(out, "    <testcase classname=\"snag.%s\" name=\"", sn_kind_name(f->kind));
    put_xml(out, title);
    fputs("\" time=\"0\"", out);
    if (at && at->file) {
        fputs(" file=\"", out);
        put_xml(out, sn_source_short(at->file));
        fprintf(out, "\" line=\"%d\"", at->line);
    }
    fputs(">\n      <failure message=\"", out);
    put_xml(out, title);
    fprintf(out, "\" type=\"%s %s\">", sn_kind_name(f->kind), sn_status_name(f->status));
    put_text(out, f);
    fputs("</failure>\n    </testcase>\n", out);
}

static bool is_shown(const struct sn_finding *f)
{
    return f->status > SN_CANDIDATE && !f->known;
}

void sn_report_junit(FILE *out, const struct sn_report *r)
{
    size_t failures = 0;
    for (size_t i = 0; i < r->findings.n; i++)
        failures += is_shown(&r->findings.f[i]);
    size_t tests = failures ? failures : 1;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    fprintf(out, "<testsuites tests=\"%zu\" failures=\"%zu\" errors=\"0\" time=\"%.3f\">\n", tests,
            failures, r->seconds);
    fprintf(out,
            "  <testsuite name=\"snag\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\""
            " time=\"%.3f\">\n",
            tests, failures, r->seconds);
    for (size_t i = 0; i < r->findings.n; i++) {
        if (is_shown(&r->findings.f[i]))
            put_case(out, &r->findings.f[i]);
    }
    if (!failures)
        fprintf(out, "    <testcase classname=\"snag\" name=\"no findings\" time=\"%.3f\"/>\n",
                r->seconds);
    fputs("  </testsuite>\n</testsuites>\n", out);
}
