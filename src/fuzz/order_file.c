/* order_file.c: see order_file.h. */
#include "fuzz/order_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "fuzz/pair.h"
#include "store/xalloc.h"

struct line {
    bool is_before;
    unsigned thread, nth;
    size_t first, then; /* positions */
};

struct file {
    struct line *line;
    size_t nlines, cap_lines;
    struct sn_position *p;
    size_t n, cap;
};

static size_t add_position(struct file *o, const struct sn_position *p)
{
    for (size_t i = 0; i < o->n; i++)
        if (o->p[i].line == p->line && strcmp(o->p[i].file, p->file) == 0)
            return i;
    o->p = sn_xgrow(o->p, o->n, &o->cap, sizeof *o->p);
    o->p[o->n] = *p;
    return o->n++;
}

static bool parse(struct file *o, const char *text)
{
    struct sn_position a, b;
    struct line l = {0};
    int n = sscanf(text, " turn %u %u %255[^:]:%d", &l.thread, &l.nth, a.file, &a.line);
    if (n == 4 && l.nth) {
        l.first = add_position(o, &a);
    } else if (sscanf(text, " before %255[^:]:%d %255[^:]:%d", a.file, &a.line, b.file, &b.line) ==
               4) {
        l.is_before = true;
        l.first = add_position(o, &a);
        l.then = add_position(o, &b);
    } else if (n != 2 || l.nth) {
        return false;
    }
    o->line = sn_xgrow(o->line, o->nlines, &o->cap_lines, sizeof *o->line);
    o->line[o->nlines++] = l;
    return true;
}

static int read_lines(const char *path, struct file *o, char **why)
{
    char text[1024];
    FILE *in = fopen(path, "r");
    if (!in) {
        *why = sn_xformat("--order %s: %s", path, strerror(errno));
        return SN_EXIT_FAILED;
    }
    for (int n = 1; !*why && fgets(text, sizeof text, in); n++) {
        text[strcspn(text, "#\n")] = 0;
        if (text[strspn(text, " \t")] && !parse(o, text))
            *why =
                sn_xformat("%s:%d: wanted is turn THREAD NTH FILE:LINE, turn THREAD 0, or before "
                           "FILE:LINE FILE:LINE",
                           path, n);
    }
    fclose(in);
    if (!*why && !o->n)
        *why = sn_xformat("%s: names no statement", path);
    return *why ? SN_EXIT_FAILED : 0;
}

static struct sn_code_site place(const struct sn_site *s)
{
    return (struct sn_code_site){s->stack.frame[0].module, s->stack.frame[0].offset};
}

static void to_schedule(const struct file *o, const struct sn_site *site, struct sn_schedule *s)
{
    for (size_t i = 0; i < o->nlines; i++) {
        const struct line *l = &o->line[i];
        struct sn_code_site first = place(&site[l->first]), then = place(&site[l->then]);
        if (l->is_before)
            sn_schedule_add_before(s, &first, &then);
        else
            sn_schedule_add_turn(s, l->thread, l->nth, first.module, first.offset);
    }
}

int sn_order_file_read(struct sn_runner *r, const char *path, struct sn_schedule *s,
                       struct sn_finding *f, char **why)
{
    struct file o = {0};
    int status = read_lines(path, &o, why);
    *f = (struct sn_finding){.kind = SN_KIND_ORDER, .status = SN_CANDIDATE, .harmful = -1};
    if (!status) {
        f->sites = sn_xcalloc(o.n, sizeof *f->sites);
        f->nsites = o.n;
        status = sn_pair_resolve(r, o.p, o.n, f->sites, why);
    }
    if (!status) {
        f->engine = sn_xstrdup("fuzz");
        f->text = sn_xstrdup("the program fails when these statements are executed in this order");
        to_schedule(&o, f->sites, s);
        sn_finding_finish(f);
    } else {
        sn_finding_clear(f);
    }
    free(o.line);
    free(o.p);
    return status;
}
