/* html_finding.c: what opens below the line of a finding: both sides with their source beside each
 * other, the object, the interleaving, what helps. */
#include "report/html.h"

#include <stdlib.h>
#include <string.h>

#include "report/source.h"
#include "report/text.h"

enum { LINES_AROUND = 3, FRAMES_SHOWN = 24 };

static void place_words(FILE *out, const void *arg)
{
    sn_text_place(out, arg);
}

static void object_words(FILE *out, const void *arg)
{
    sn_text_object(out, arg);
}

static void replay_words(FILE *out, const void *arg)
{
    sn_text_replay(out, arg);
}

static void judgement_words(FILE *out, const void *arg)
{
    sn_text_judgement(out, arg, sn_style(false));
}

struct side {
    const struct sn_finding *f;
    const struct sn_site *s;
};

static void side_words(FILE *out, const void *arg)
{
    const struct side *side = arg;
    sn_text_side(out, side->f, side->s, sn_style(false));
}

static void put_excerpt(FILE *out, const struct sn_frame *at)
{
    char *marked = at && at->file ? sn_source_line(at->file, at->line, 0, NULL) : NULL;
    if (!marked)
        return;
    free(marked);
    fputs("<pre class=src>", out);
    for (int line = at->line - LINES_AROUND; line <= at->line + LINES_AROUND; line++) {
        char *text = sn_source_line(at->file, line, 0, NULL);
        if (!text)
            continue;
        fprintf(out, "<span%s><i>%d</i>", line == at->line ? " class=hit" : "", line);
        sn_html_text(out, *text ? text : " ");
        fputs("</span>", out);
        free(text);
    }
    fputs("</pre>\n", out);
}

static void put_stack(FILE *out, const struct sn_stack *s)
{
    size_t n = sn_text_frames(s);
    if (!n)
        return;
    fputs("<ol class=stack start=0>", out);
    for (size_t i = 0; i < n && i < FRAMES_SHOWN; i++) {
        char *name = sn_text_function(s->frame[i].function);
        fputs(sn_frame_is_system(&s->frame[i]) ? "<li class=sys>" : "<li>", out);
        sn_html_text(out, name);
        fputs(" <span class=dim>", out);
        sn_html_words(out, place_words, &s->frame[i]);
        fputs(s->frame[i].inlined ? " (inlined)</span>" : "</span>", out);
        free(name);
    }
    fputs("</ol>\n", out);
    if (n > FRAMES_SHOWN)
        fprintf(out, "<p class=dim>… and %zu more</p>\n", n - FRAMES_SHOWN);
}

static void put_taken(FILE *out, const struct sn_site *s)
{
    for (size_t i = 0; i < s->nlocks; i++) {
        const struct sn_frame *at = sn_stack_frame(&s->locks[i].taken);
        if (!at || sn_frame_is_system(at))
            continue;
        fputs("<p class=\"notes dim\">", out);
        sn_html_text(out, s->locks[i].name ? s->locks[i].name : "a lock");
        fputs(" was taken in ", out);
        sn_html_text(out, at->function ? at->function : "??");
        fputs(" at ", out);
        sn_html_words(out, place_words, at);
        fputs("</p>\n", out);
    }
}

static void put_created(FILE *out, const struct sn_site *s)
{
    const struct sn_frame *at = sn_stack_frame(&s->created);
    if (!at)
        return;
    char *by = sn_text_thread(s->creator < 0 ? 0 : s->creator);
    fprintf(out, "<p class=\"notes dim\">this thread was created by %s in ", by);
    free(by);
    sn_html_text(out, at->function ? at->function : "??");
    fputs(" at ", out);
    sn_html_words(out, place_words, at);
    fputs("</p>\n", out);
}

static void put_side(FILE *out, const struct sn_finding *f, const struct sn_site *s)
{
    const struct side side = {f, s};
    fputs("<section class=side><h4>", out);
    sn_html_words(out, side_words, &side);
    fputs("</h4>\n", out);
    put_excerpt(out, sn_site_frame(s));
    if (!s->stack.n)
        fputs("<p class=dim>its stack is no longer known</p>\n", out);
    put_stack(out, &s->stack);
    put_taken(out, s);
    put_created(out, s);
    fputs("</section>\n", out);
}

static void put_object(FILE *out, const struct sn_object *o)
{
    if (o->kind == SN_OBJ_UNKNOWN)
        return;
    fputs("<p class=notes>", out);
    sn_html_words(out, object_words, o);
    fputs("</p>\n", out);
    put_stack(out, &o->alloc);
}

static void put_end(FILE *out, const struct sn_finding *f)
{
    const char *hint = sn_hint(f);
    if (hint) {
        fputs("<p class=fix><b>usual fix:</b> ", out);
        sn_html_text(out, hint);
        fputs("</p>\n", out);
    }
    if (f->has_schedule && f->id) {
        fputs("<p class=again><b>see it again:</b> <code>", out);
        sn_html_words(out, replay_words, f);
        fputs("</code></p>\n", out);
    }
}

void sn_html_finding(FILE *out, const struct sn_finding *f)
{
    fprintf(out, "<div class=body><p class=\"judge%s\">", f->harmful == 1 ? " harm" : "");
    sn_html_words(out, judgement_words, f);
    fputs("</p>\n", out);
    if (f->text && f->kind != SN_KIND_MISUSE) {
        fputs("<p class=notes>", out);
        sn_html_text(out, f->text);
        fputs("</p>\n", out);
    }
    fputs("<div class=sides>\n", out);
    for (size_t i = 0; i < f->nsites; i++)
        put_side(out, f, &f->sites[i]);
    fputs("</div>\n", out);
    put_object(out, &f->object);
    sn_html_lanes(out, f);
    put_end(out, f);
    fputs("</div>", out);
}
