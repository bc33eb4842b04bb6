/*
 * html_lanes.c: the interleaving as a grid: time downwards, a lane per thread, the locks that a
 * thread holds as bars beside its steps. A bar begins with the step "lock NAME" (or "rdlock NAME")
 * and ends with "unlock NAME"; a lock that is never given up is held to the end. Where events were
 * left out
 * ("…") nobody knows: bars end there, and one that is given up later begins there.
 */
#include "report/html.h"

#include <stdlib.h>
#include <string.h>

#include "report/source.h"
#include "report/text.h"
#include "store/xalloc.h"

enum { MAX_LANES = 64, MAX_SLOTS = 4 };

struct bar {
    const char *name;
    size_t lane, slot, from, to; /* step numbers, from 1; `to` is the step that ends it */
    bool shared;
};

struct lanes {
    int64_t thread[MAX_LANES];
    size_t slots[MAX_LANES]; /* bars side by side */
    size_t known[MAX_LANES]; /* step from which on all events of the lane are there */
    size_t n;
    struct bar *bar;
    size_t nbars, cap;
};

static size_t lane_of(struct lanes *l, int64_t thread)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->thread[i] == thread)
            return i;
    if (l->n == MAX_LANES)
        return MAX_LANES - 1;
    l->thread[l->n] = thread;
    return l->n++;
}

/* The lock's name when `what` is this operation; null otherwise. */
static const char *operand(const char *what, const char *op)
{
    size_t n = strlen(op);
    return what && !strncmp(what, op, n) && what[n] == ' ' ? what + n + 1 : NULL;
}

static size_t free_slot(const struct lanes *l, size_t lane)
{
    for (size_t slot = 0; slot < MAX_SLOTS; slot++) {
        bool used = false;
        for (size_t i = 0; i < l->nbars; i++)
            used |= l->bar[i].lane == lane && l->bar[i].slot == slot && !l->bar[i].to;
        if (!used)
            return slot;
    }
    return MAX_SLOTS;
}

static void begin_bar(struct lanes *l, size_t lane, const char *name, bool shared, size_t step)
{
    size_t slot = free_slot(l, lane);
    if (slot == MAX_SLOTS)
        return;
    if (l->slots[lane] <= slot)
        l->slots[lane] = slot + 1;
    l->bar = sn_xgrow(l->bar, l->nbars, &l->cap, sizeof *l->bar);
    l->bar[l->nbars++] =
        (struct bar){.name = name, .lane = lane, .slot = slot, .from = step, .shared = shared};
}

static void end_bar(struct lanes *l, size_t lane, const char *name, bool shared, size_t step)
{
    for (size_t i = l->nbars; i-- > 0;) {
        struct bar *b = &l->bar[i];
        if (b->lane == lane && !b->to && !strcmp(b->name, name)) {
            b->to = step;
            return;
        }
    }
    begin_bar(l, lane, name, shared, l->known[lane] ? l->known[lane] : 1);
    if (l->nbars && !l->bar[l->nbars - 1].to)
        l->bar[l->nbars - 1].to = step;
}

static void end_all_bars(struct lanes *l, size_t lane, size_t step)
{
    for (size_t i = 0; i < l->nbars; i++)
        if (l->bar[i].lane == lane && !l->bar[i].to)
            l->bar[i].to = step;
    l->known[lane] = step;
}

static void find_bars(struct lanes *l, const struct sn_finding *f)
{
    for (size_t i = 0; i < f->nsteps; i++) {
        const char *what = f->steps[i].what, *name;
        size_t lane = lane_of(l, f->steps[i].thread);
        if ((name = operand(what, "lock")))
            begin_bar(l, lane, name, false, i + 1);
        else if ((name = operand(what, "rdlock")))
            begin_bar(l, lane, name, true, i + 1);
        else if ((name = operand(what, "unlock")))
            end_bar(l, lane, name, false, i + 1);
        else if ((name = operand(what, "rdunlock")))
            end_bar(l, lane, name, true, i + 1);
        else if (what && !strncmp(what, "…", strlen("…")))
            end_all_bars(l, lane, i + 1);
    }
    for (size_t i = 0; i < l->nbars; i++)
        if (!l->bar[i].to)
            l->bar[i].to = f->nsteps + 1;
}

/* Columns: the number, then per lane its bars and its steps. */
static size_t column_of(const struct lanes *l, size_t lane)
{
    size_t column = 2;
    for (size_t i = 0; i < lane; i++)
        column += l->slots[i] + 1;
    return column;
}

static void put_who(FILE *out, int64_t thread)
{
    char *who = sn_text_thread(thread);
    fputs(who, out); /* snag's own words */
    free(who);
}

static void put_columns(FILE *out, const struct lanes *l)
{
    fprintf(out, "<div class=\"lanes%s\" tabindex=0 style=\"grid-template-columns:2.2em",
            l->n > 4 ? " wide" : "");
    for (size_t i = 0; i < l->n; i++) {
        if (l->slots[i])
            fprintf(out, " repeat(%zu,1.4em)", l->slots[i]);
        fputs(" minmax(12rem,1fr)", out);
    }
    fputs("\">\n", out);
    for (size_t i = 0; i < l->n; i++) {
        fprintf(out, "<div class=head style=\"grid-column:%zu/span %zu\">", column_of(l, i),
                l->slots[i] + 1);
        put_who(out, l->thread[i]);
        fputs("</div>\n", out);
    }
}

static void put_step(FILE *out, const struct lanes *l, const struct sn_step *s, size_t lane,
                     size_t number)
{
    fprintf(out,
            "<span class=n style=\"grid-row:%zu\">%zu</span><div class=step data-i=%zu "
            "style=\"grid-row:%zu;grid-column:%zu\" data-who=\"",
            number + 1, number, number, number + 1, column_of(l, lane) + l->slots[lane]);
    put_who(out, s->thread);
    fputs("\"><b>", out);
    sn_html_text(out, s->what ? s->what : "step");
    fputs("</b>", out);
    if (s->at.file) {
        const char *base = strrchr(s->at.file, '/');
        fputs(" <span class=at>", out);
        sn_html_text(out, base ? base + 1 : s->at.file);
        fprintf(out, ":%d</span>", s->at.line);
        char *text = sn_source_line(s->at.file, s->at.line, 0, NULL);
        if (text) {
            fputs("<code>", out);
            sn_html_text(out, text + strspn(text, " "));
            fputs("</code>", out);
        }
        free(text);
    }
    fputs("</div>\n", out);
}

static void put_bar(FILE *out, const struct lanes *l, const struct bar *b, size_t nsteps)
{
    size_t end = b->to > nsteps ? nsteps + 2 : b->to + 1;
    fprintf(out,
            "<span class=\"bar b%zu%s\" data-a=%zu data-b=%zu style=\"grid-row:%zu/%zu;"
            "grid-column:%zu\" data-who=\"",
            b->slot, b->shared ? " shared" : "", b->from, b->to, b->from + 1, end,
            column_of(l, b->lane) + b->slot);
    put_who(out, l->thread[b->lane]);
    fputs("\" title=\"holds ", out);
    sn_html_text(out, b->name);
    fputs("\">", out);
    sn_html_text(out, b->name);
    fputs("</span>\n", out);
}

void sn_html_lanes(FILE *out, const struct sn_finding *f)
{
    struct lanes l = {.n = 0};
    if (!f->nsteps)
        return;
    for (size_t i = 0; i < f->nsteps; i++)
        lane_of(&l, f->steps[i].thread);
    find_bars(&l, f);
    fputs("<h4>One order of events that shows it</h4>\n", out);
    put_columns(out, &l);
    for (size_t i = 0; i < l.nbars; i++)
        put_bar(out, &l, &l.bar[i], f->nsteps);
    for (size_t i = 0; i < f->nsteps; i++)
        put_step(out, &l, &f->steps[i], lane_of(&l, f->steps[i].thread), i + 1);
    fputs("</div><p class=say aria-live=polite></p>\n", out);
    free(l.bar);
}
