/*
 * help_man.c: manual pages out of the same records as `--help`, so that a command and its page
 * cannot differ. `snag help --man COMMAND`; the build writes them all.
 */
#include "cmd/help.h"

#include <string.h>

#include "store/xalloc.h"

/* Text for troff: what it would take for a request or an escape is written out. */
static void put(FILE *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool line_start = i == 0 || text[i - 1] == '\n';
        if (text[i] == '\\')
            fputs("\\e", out);
        else if (text[i] == '-')
            fputs("\\-", out);
        else if (line_start && (text[i] == '.' || text[i] == '\''))
            fprintf(out, "\\&%c", text[i]);
        else
            fputc(text[i], out);
    }
}

static void put_text(FILE *out, const char *text)
{
    put(out, text, strlen(text));
}

static void put_words(FILE *out, const char *words)
{
    bool as_it_is = false;
    for (const char *s = words; *s;) {
        size_t n = strcspn(s, "\n");
        bool indented = *s == ' ';
        if (indented != as_it_is)
            fputs(indented ? ".PP\n.nf\n" : ".fi\n.PP\n", out);
        as_it_is = indented;
        if (n)
            put(out, s, n);
        fputs(n ? "\n" : ".PP\n", out);
        s += n + (s[n] == '\n');
    }
    if (as_it_is)
        fputs(".fi\n", out);
}

static void put_option(FILE *out, const struct sn_option *o)
{
    fprintf(out, ".TP\n\\fB%s", o->name[1] ? "\\-\\-" : "\\-");
    put_text(out, o->name);
    fputs("\\fR", out);
    if (o->value) {
        fputs(" \\fI", out);
        put_text(out, o->value);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    put_text(out, o->help);
    fputc('\n', out);
}

static void put_options(FILE *out, const struct sn_help *h)
{
    if (h->own && h->own->name)
        fputs(".SH OPTIONS\n", out);
    for (const struct sn_option *o = h->own; o && o->name; o++)
        put_option(out, o);
    if (h->common == SN_COMMON_NONE)
        return;
    fputs(
        ".SH COMMON OPTIONS\nAlso as SNAG_OPTIONS=\"name=value \\[u2026]\", which is read first.\n",
        out);
    for (const struct sn_option *o = sn_common_options; o->name; o++)
        if (sn_help_takes(h, o))
            put_option(out, o);
}

static void put_status(FILE *out)
{
    fputs(".SH EXIT STATUS\n"
          ".TP\nthe program's own\nthe program ran and nothing was found; 128 + n when signal n "
          "killed it;\n"
          "0 from commands without a program\n"
          ".TP\n66\nsomething was found (\\-\\-exitcode changes it)\n"
          ".TP\n125\nsnag itself failed, or was called wrongly: it says what to do\n"
          ".TP\n126, 127\nthe program cannot be executed, is not found\n",
          out);
}

static void put_head(FILE *out, const char *page, const char *summary)
{
    fputs(".TH ", out);
    for (const char *p = page; *p; p++)
        fputc(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p, out);
    fprintf(out, " 1 \"\" \"snag %s\" \"snag\"\n.SH NAME\n", SNAG_VERSION);
    put_text(out, page);
    fputs(" \\- ", out);
    put_text(out, summary);
    fputc('\n', out);
}

static void put_all(FILE *out)
{
    put_head(out, "snag", "finds, proves and replays concurrency bugs in C and C++ programs");
    fputs(".SH SYNOPSIS\n\\fBsnag\\fR \\fICOMMAND\\fR \\[u2026]\n.SH DESCRIPTION\n"
          "snag finds data races, deadlocks and other bugs of threads in programs for Linux. Every "
          "finding\n"
          "says how sure it is; what is \\fIconfirmed\\fR was made to happen by snag, and\n"
          "\\fBsnag replay\\fR shows it again.\n.SH COMMANDS\n",
          out);
    for (const struct sn_command *c = sn_commands; c->name; c++) {
        fputs(".TP\n\\fBsnag\\-", out);
        put_text(out, c->name);
        fputs("\\fR(1)\n", out);
        put_text(out, c->summary);
        fputc('\n', out);
    }
    put_status(out);
    fputs(
        ".SH FILES\n.TP\n\\fI.snag\\fR\nthe store: findings, schedules, what earlier runs learned\n"
        ".SH ENVIRONMENT\n.TP\n\\fBSNAG_OPTIONS\\fR\noptions as \"name=value \\[u2026]\"\n"
        ".TP\n\\fBSNAG_CC\\fR, \\fBSNAG_CXX\\fR\nthe compilers behind snag cc and snag c++\n"
        ".SH EXAMPLE\n.nf\nsnag cc \\-g \\-pthread \\-o prog prog.c\nsnag hunt ./prog\nsnag replay "
        "1\n.fi\n",
        out);
}

void sn_help_man(FILE *out, const struct sn_command *c)
{
    if (!c) {
        put_all(out);
        return;
    }
    struct sn_help h = sn_help_of(c);
    char *page = sn_xformat("snag-%s", c->name);
    put_head(out, page, c->summary);
    fputs(".SH SYNOPSIS\n", out);
    put_text(out, h.usage);
    fputs("\n.SH DESCRIPTION\n", out);
    put_words(out, h.words);
    put_options(out, &h);
    put_status(out);
    fputs(".SH EXAMPLE\n.nf\n", out);
    put_text(out, h.example);
    fputs("\n.fi\n.SH SEE ALSO\n\\fBsnag\\fR(1)\n", out);
    free(page);
    sn_help_free(&h);
}
