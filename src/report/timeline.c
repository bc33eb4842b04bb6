/*
 * timeline.c: the interleaving of a finding in two columns, time downwards: the two threads that
 * race, or those that do most of it. What others do in between (main creates and joins) stands
 * across, so that the whole fits a screen of 80 columns.
 */
#include "report/text.h"

#include <string.h>

#include "store/utf8.h"
#include "store/xalloc.h"

#define LANES 2
#define LANE_WIDTH 34

struct lanes {
    int64_t thread[LANES]; /* as they come first */
    size_t n;
};

struct share {
    int64_t thread;
    size_t steps;
};

static bool begins(const char *what, const char *with)
{
    return what && !strncmp(what, with, strlen(with));
}

/* What every thread of every story does says nothing about who the story is about. */
static bool tells(const struct sn_step *s)
{
    return !begins(s->what, "create ") && !begins(s->what, "join ") && !begins(s->what, "…") &&
           !begins(s->what, "waits in join") && strcmp(s->what ? s->what : "", "ends") != 0;
}

/* The story begins when all its threads are there: what main did before is no part of it. */
static size_t beginning(const struct sn_finding *f)
{
    size_t begin = 0;
    for (size_t i = 0; i < f->nsteps; i++)
        if (begins(f->steps[i].what, "create "))
            begin = i;
    return begin;
}

static bool races(const struct sn_finding *f, int64_t thread)
{
    return f->nsites == LANES && (f->sites[0].thread == thread || f->sites[1].thread == thread);
}

static size_t count_shares(const struct sn_finding *f, struct share *share)
{
    size_t n = 0, begin = beginning(f);
    for (size_t i = 0; i < f->nsteps; i++) {
        size_t k = 0;
        while (k < n && share[k].thread != f->steps[i].thread)
            k++;
        if (k == n)
            share[n++] = (struct share){.thread = f->steps[i].thread,
                                        .steps = races(f, f->steps[i].thread) ? f->nsteps : 0};
        share[k].steps += i >= begin && tells(&f->steps[i]);
    }
    return n;
}

static struct lanes choose(const struct sn_finding *f)
{
    struct share *share = sn_xcalloc(f->nsteps, sizeof *share);
    size_t n = count_shares(f, share), best[LANES] = {0, 0};
    struct lanes l = {.n = n < LANES ? n : LANES};
    for (size_t i = 1; i < n; i++) {
        if (share[i].steps > share[best[0]].steps) {
            best[1] = best[0];
            best[0] = i;
        } else if (best[1] == best[0] || share[i].steps > share[best[1]].steps) {
            best[1] = i;
        }
    }
    l.thread[0] = share[best[0] < best[1] ? best[0] : best[1]].thread;
    l.thread[1] = share[best[0] < best[1] ? best[1] : best[0]].thread;
    free(share);
    return l;
}

static size_t columns(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
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
    if (width && columns(clean) > width) {
        char *cut = clean;
        for (size_t n = 0; n < width - 1; n++)
            cut += sn_utf8_length((const unsigned char *)cut, strlen(cut));
        *cut = '\0';
        raw = sn_xformat("%s…", clean);
        free(clean);
        clean = raw;
    }
    return clean;
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

static void put_row(FILE *out, const struct lanes *l, const struct sn_step *s)
{
    size_t lane = 0;
    while (lane < l->n && l->thread[lane] != s->thread)
        lane++;
    char *text = step_text(s, lane < l->n ? LANE_WIDTH - 1 : 0);
    if (lane == l->n) {
        char *who = sn_text_thread(s->thread);
        fprintf(out, "    · %s: %s\n", who, text);
        free(who);
    } else if (lane == 0 && l->n > 1) {
        fputs("    ", out);
        put_padded(out, text);
        fputs("|\n", out);
    } else if (lane == 0) {
        fprintf(out, "    %s\n", text);
    } else {
        fprintf(out, "    %*s| %s\n", LANE_WIDTH, "", text);
    }
    free(text);
}

void sn_text_timeline(FILE *out, const struct sn_finding *f, const struct sn_style *c)
{
    if (!f->nsteps)
        return;
    struct lanes l = choose(f);
    fputs("\n  one order of events that shows it\n", out);
    put_heads(out, &l, c);
    for (size_t i = 0; i < f->nsteps; i++)
        put_row(out, &l, &f->steps[i]);
}
