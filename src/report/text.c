/*
 * text.c: the report that a person reads: what, where, how sure, both sides with their source, what
 * they share, where the threads came from, what usually helps, and how to see it again.
 */
#include "report/text.h"

#include <string.h>

#include "report/source.h"
#include "store/xalloc.h"

const char *sn_report_store;

/* The frame that tells, then who called it. A lock guard's own header tells nothing. */
static void put_lock_stack(FILE *out, const char *words, const struct sn_stack *stack)
{
    const struct sn_frame *at = sn_stack_frame(stack);
    if (!at || sn_frame_is_system(at))
        return;
    fputs(words, out);
    char *name = sn_text_function(at->function);
    fprintf(out, "%s at ", name);
    free(name);
    sn_text_place(out, at);
    fputc('\n', out);
    sn_text_callers(out, stack, (size_t)(at - stack->frame) + 1);
}

static void put_where_taken(FILE *out, const struct sn_site *s)
{
    for (size_t i = 0; i < s->nlocks; i++) {
        const struct sn_held_lock *l = &s->locks[i];
        char *taken = sn_xformat("    %s was taken in ", l->name ? l->name : "a lock");
        put_lock_stack(out, taken, &l->taken);
        free(taken);
        put_lock_stack(out, "      its block was allocated in ", &l->alloc);
    }
}

static bool same_place(const struct sn_frame *a, const struct sn_frame *b)
{
    return a && b && a->file && b->file && a->line == b->line && a->column == b->column &&
           !strcmp(a->file, b->file);
}

static void put_site(FILE *out, const struct sn_finding *f, size_t i, const struct sn_style *c)
{
    const struct sn_site *s = &f->sites[i];
    const struct sn_frame *at = sn_site_frame(s);
    fputs("\n  ", out);
    sn_text_side(out, f, s, c);
    fputc('\n', out);
    if (!s->stack.n)
        fputs("    (its stack is no longer known)\n", out);
    sn_text_stack(out, &s->stack, c);
    put_where_taken(out, s);
    if (at && !(i && same_place(at, sn_site_frame(&f->sites[i - 1]))))
        sn_text_excerpt(out, at, c);
}

static void put_object(FILE *out, const struct sn_object *o, const struct sn_style *c)
{
    if (o->kind == SN_OBJ_UNKNOWN)
        return;
    fputs("\n  ", out);
    sn_text_object(out, o);
    fputc('\n', out);
    sn_text_stack(out, &o->alloc, c);
}

static bool created_before(const struct sn_finding *f, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (f->sites[k].thread == f->sites[i].thread && f->sites[k].created.n)
            return true;
    }
    return false;
}

static void put_creations(FILE *out, const struct sn_finding *f, const struct sn_style *c)
{
    for (size_t i = 0; i < f->nsites; i++) {
        const struct sn_site *s = &f->sites[i];
        if (!s->created.n || created_before(f, i))
            continue;
        char *who = sn_text_thread(s->thread), *by = sn_text_thread(s->creator);
        fprintf(out, "\n  %s was created by %s\n", who, by);
        sn_text_stack(out, &s->created, c);
        free(who);
        free(by);
    }
}

static void put_headline(FILE *out, const struct sn_finding *f, const struct sn_style *c)
{
    fprintf(out, "%ssnag: ", c->head);
    sn_text_put(out, f->title ? f->title : sn_kind_name(f->kind));
    fprintf(out, "%s (%s", c->end, sn_status_name(f->status));
    if (f->id)
        fprintf(out, ", finding %lld", (long long)f->id);
    fputs(")\n", out);
}

static void put_judgement(FILE *out, const struct sn_finding *f, const struct sn_style *c)
{
    fputs("  ", out);
    sn_text_judgement(out, f, c);
    fputc('\n', out);
    if (f->text && f->kind != SN_KIND_MISUSE) {
        fputs("  ", out);
        sn_text_put(out, f->text);
        fputc('\n', out);
    }
}

static void put_replay(FILE *out, const struct sn_finding *f, const struct sn_style *c)
{
    fprintf(out, "  %ssee it again:%s ", c->good, c->end);
    sn_text_replay(out, f);
    fputc('\n', out);
}

void sn_report_text_finding(FILE *out, const struct sn_finding *f, bool color)
{
    const struct sn_style *c = sn_style(color);
    const char *hint = sn_hint(f);
    put_headline(out, f, c);
    put_judgement(out, f, c);
    for (size_t i = 0; i < f->nsites; i++)
        put_site(out, f, i, c);
    put_object(out, &f->object, c);
    put_creations(out, f, c);
    sn_text_timeline(out, f, c);
    fputc('\n', out);
    if (hint)
        fprintf(out, "  %susual fix:%s %s\n", c->good, c->end, hint);
    if (f->has_schedule && f->id)
        put_replay(out, f, c);
}
