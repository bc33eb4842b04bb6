/* reader.c: opens a trace of either form; the forms are in binary.c and text.c. */
#include "trace/form.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format.h"
#include "trace/stream.h"

int sn_trace_fail(struct sn_trace *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(t->why, sizeof t->why, format, args);
    va_end(args);
    return -EBADMSG;
}

/* The form is told by the first byte: no line of the text form begins with the magic's `S`. */
static int choose_form(struct sn_trace *t)
{
    int first = getc(t->in);
    if (first != EOF)
        ungetc(first, t->in);
    if (first == EOF && ferror(t->in))
        return sn_trace_fail(t, "it cannot be read: %s", strerror(errno));
    if (first != SN_TRACE_MAGIC[0]) {
        t->text = sn_text_reader_new();
        return t->text ? 0 : sn_trace_fail(t, "out of memory");
    }
    t->binary = sn_binary_reader_new();
    return t->binary ? sn_binary_reader_head(t) : sn_trace_fail(t, "out of memory");
}

int sn_trace_open_stream(FILE *in, const char *name, struct sn_trace **out, char **why)
{
    struct sn_trace *t = calloc(1, sizeof *t);
    if (!t)
        return -ENOMEM;
    t->in = in;
    int r = choose_form(t);
    if (r == 0) {
        *out = t;
        return 0;
    }
    if (asprintf(why, "trace %s: %s", name, t->why) < 0)
        *why = NULL;
    sn_trace_close(t);
    return r;
}

int sn_trace_open(const char *path, struct sn_trace **out, char **why)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "re");
    if (in)
        return sn_trace_open_stream(in, standard ? "from standard input" : path, out, why);
    int r = -errno;
    if (asprintf(why, "trace %s: %s", path, strerror(-r)) < 0)
        *why = NULL;
    return r;
}

void sn_trace_close(struct sn_trace *t)
{
    if (!t)
        return;
    sn_binary_reader_free(t->binary);
    sn_text_reader_free(t->text);
    sn_tables_free(&t->tables);
    if (t->in && t->in != stdin)
        fclose(t->in);
    free(t);
}

int sn_trace_next(struct sn_trace *t, struct sn_trace_event *ev)
{
    return t->binary ? sn_binary_reader_next(t, ev) : sn_text_reader_next(t, ev);
}

const char *sn_trace_why(const struct sn_trace *t)
{
    return t->why[0] ? t->why : NULL;
}

uint32_t sn_trace_sites(const struct sn_trace *t)
{
    return t->tables.nsites;
}

const struct sn_trace_site *sn_trace_site(const struct sn_trace *t, uint32_t site)
{
    return site && site <= t->tables.nsites ? &t->tables.site[site] : NULL;
}

uint32_t sn_trace_modules(const struct sn_trace *t)
{
    return t->tables.nmodules;
}

const struct sn_trace_module *sn_trace_module(const struct sn_trace *t, uint32_t module)
{
    return module < t->tables.nmodules ? &t->tables.module[module] : NULL;
}

uint32_t sn_trace_names(const struct sn_trace *t)
{
    return t->tables.nnames;
}

const struct sn_trace_name *sn_trace_name(const struct sn_trace *t, uint32_t i)
{
    return i < t->tables.nnames ? &t->tables.name[i] : NULL;
}

const struct sn_trace_name *sn_trace_name_at(const struct sn_trace *t, uint64_t addr)
{
    return sn_tables_name_at(&t->tables, addr);
}

uint32_t sn_trace_expects(const struct sn_trace *t)
{
    return t->tables.nexpects;
}

const char *sn_trace_expect(const struct sn_trace *t, uint32_t i)
{
    return i < t->tables.nexpects ? t->tables.expect[i] : NULL;
}
