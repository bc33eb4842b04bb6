/*
 * timeline.c: the interleaving of a finding, one column per thread, time downwards. More threads
 * than fit beside each other are written as a list.
 */
#include "report/text.h"

#include <string.h>

#include "store/utf8.h"
#include "store/xalloc.h"

#define MAX_LANES 3
#define LANE_WIDTH 34

struct lanes {
    int64_t thread[MAX_LANES];
    size_t n;
    bool too_many;
};

static size_t lane_of(struct lanes *l, int64_t thread)
{
    for (size_t i = 0; i < l->n; i++) {
        if (l->thread[i] == thread)
            return i;
    }
    if (l->n == MAX_LANES) {
        l->too_many = true;
        return 0;
    }
    l->thread[l->n] = thread;
    return l->n++;
}

/* "write counter (bank.c:12)", at most `width` characters when width is not 0. */
static char *step_text(const struct sn_step *s, size_t width)
{
    const char *file = s->at.file ? strrchr(s->at.file, '/') : NULL;
    file = file ? file + 1 : s->at.file;
    char *raw = file ? sn_xformat("%s (%s:%d)", s->what ? s->what : "step", file, s->at.line)
                     : sn_xstrdup(s->what ? s->what : "step");
    char *clean = sn_utf8_clean(raw, strlen(raw), true);
    free(raw);
    if (width && strlen(clean) > width) {
        size_t cut = width - 1;
        while (cut && ((unsigned char)clean[cut] & 0xc0) == 0x80)
            cut--;
        clean[cut] = '\0';
        raw = sn_xformat("%s…", clean);
        free(clean);
        clean = raw;
    }
    return clean;
}

static size_t columns(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static void put_padded(FILE *out, const char *text)
{
    size_t n = columns(text);
    fprintf(out, "%s%*s", text, (int)(n < LANE_WIDTH ? LANE_WIDTH - n : 0), "");
}

static void put_heads(FILE *out, const struct lanes *l, const struct sn_style *c)
{
    fputs("    ", out);
    for (size_t i = 0; i < l->n; i++) {
        char *head = l->thread[i] ? sn_xformat("thread %lld", (long long)l->thread[i])
                                  : sn_xstrdup("main thread");
        fputs(c->strong, out);
        if (i + 1 < l->n)
            put_padded(out, head);
        else
            fputs(head, out);
        fprintf(out, "%s%s", c->end, i + 1 < l->n ? "| " : "\n");
        free(head);
    }
}

static void put_row(FILE *out, const struct lanes *l, size_t lane, const struct sn_step *s)
{
    char *text = step_text(s, LANE_WIDTH - 1);
    fputs("    ", out);
    for (size_t i = 0; i < l->n; i++) {
        const char *cell = i == lane ? text : "";
        if (i + 1 == l->n) {
            fputs(cell, out);
            break;
        }
        put_padded(out, cell);
        fputs(i + 1 < l->n - 1 || lane == l->n - 1 ? "| " : "|", out);
    }
    fputc('\n', out);
    free(text);
}

static void put_list(FILE *out, const struct sn_finding *f)
{
    for (size_t i = 0; i < f->nsteps; i++) {
        char *text = step_text(&f->steps[i], 0);
        fprintf(out, "    thread %lld: %s\n", (long long)f->steps[i].thread, text);
        free(text);
    }
}

void sn_text_timeline(FILE *out, const struct sn_finding *f, const struct sn_style *c)
{
    struct lanes l = {.n = 0};
    if (!f->nsteps)
        return;
    for (size_t i = 0; i < f->nsteps; i++)
        lane_of(&l, f->steps[i].thread);
    fputs("\n  one order of events that shows it\n", out);
    if (l.too_many) {
        put_list(out, f);
        return;
    }
    put_heads(out, &l, c);
    for (size_t i = 0; i < f->nsteps; i++)
        put_row(out, &l, lane_of(&l, f->steps[i].thread), &f->steps[i]);
}
