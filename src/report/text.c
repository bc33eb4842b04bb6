/*
 * text.c: the report that a person reads: what, where, how sure, both sides with their source, what
 * they share, where the threads came from, what usually helps, and how to see it again.
 */
#include "report/text.h"

#include <string.h>

#include "report/source.h"
#include "store/xalloc.h"

static const char *status_words(enum sn_status s)
{
    switch (s) {
    case SN_CANDIDATE:
        return "candidate: suspected, not seen; it may be wrong";
    case SN_PREDICTED:
        return "predicted: another order of the same run has it";
    case SN_OBSERVED:
        return "observed: it was in this run";
    case SN_CONFIRMED:
        return "confirmed: snag made it happen";
    default:
        return "";
    }
}

static char *thread_words(int64_t thread)
{
    if (thread < 0)
        return sn_xstrdup("a thread");
    return thread ? sn_xformat("thread %lld", (long long)thread) : sn_xstrdup("the main thread");
}

static void put_size(FILE *out, uint64_t size)
{
    if (size)
        fprintf(out, " of %llu byte%s", (unsigned long long)size, size == 1 ? "" : "s");
}

static void put_action(FILE *out, const struct sn_finding *f, const struct sn_site *s)
{
    char *who = thread_words(s->thread);
    if (s->wants && f->kind == SN_KIND_LOCK_ORDER) {
        fprintf(out, "%s takes ", who);
        sn_text_put(out, s->wants);
    } else if (s->wants) {
        fprintf(out, "%s waits for ", who);
        sn_text_put(out, s->wants);
    } else if (s->op == SN_OP_CALL) {
        fputs("call of ", out);
        sn_text_put(out, s->call ? s->call : "a function");
        fprintf(out, "() by %s", who);
    } else if (s->op == SN_OP_LOCK) {
        fprintf(out, "in %s", who);
    } else {
        fputs(s->op == SN_OP_ATOMIC ? "atomic access" : sn_op_name(s->op), out);
        put_size(out, s->size);
        fprintf(out, " by %s", who);
    }
    free(who);
}

static void put_locks(FILE *out, const struct sn_site *s)
{
    if (!s->locks_known)
        fputs(s->op == SN_OP_CALL ? "" : ", its locks are no longer known", out);
    else if (!s->nlocks)
        fputs(", no locks held", out);
    for (size_t i = 0; i < s->nlocks; i++) {
        fputs(i ? ", " : ", holding ", out);
        sn_text_put(out, s->locks[i].name ? s->locks[i].name : "a lock");
        if (s->locks[i].shared)
            fputs(" (for reading)", out);
    }
}

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

static bool is_waiting_note(const struct sn_site *s)
{
    return s->wants && s->note && !strncmp(s->note, "waits for", 9);
}

static void put_site(FILE *out, const struct sn_finding *f, size_t i, const struct sn_style *c)
{
    const struct sn_site *s = &f->sites[i];
    const struct sn_frame *at = sn_site_frame(s);
    fprintf(out, "\n  %s", c->strong);
    put_action(out, f, s);
    fputs(c->end, out);
    put_locks(out, s);
    if (s->note && !is_waiting_note(s)) {
        fputs(": ", out);
        sn_text_put(out, s->note);
    }
    fputc('\n', out);
    if (!s->stack.n)
        fputs("    (its stack is no longer known)\n", out);
    sn_text_stack(out, &s->stack, c);
    put_where_taken(out, s);
    if (at && !(i && same_place(at, sn_site_frame(&f->sites[i - 1]))))
        sn_text_excerpt(out, at, c);
}

static void put_place_of(FILE *out, const struct sn_object *o, const char *verb)
{
    struct sn_frame at = {.file = o->file, .line = o->line};
    if (!o->file)
        return;
    fprintf(out, ", %s ", verb);
    sn_text_place(out, &at);
}

static void put_variable(FILE *out, const struct sn_object *o)
{
    static const char *const words[] = {
        [SN_OBJ_GLOBAL] = "global variable",
        [SN_OBJ_STACK] = "local variable",
        [SN_OBJ_TLS] = "thread-local variable",
        [SN_OBJ_CONTRACT] = "object under a contract",
        [SN_OBJ_LOCK] = "lock",
    };
    if (o->name) {
        fputc('`', out);
        sn_text_put(out, o->name);
        fprintf(out, "` is a %s", words[o->kind]);
    } else {
        fprintf(out, "the object is a %s without a name", words[o->kind]);
    }
    put_size(out, o->size);
    if (o->member) {
        fputs(", accessed at ", out);
        sn_text_put(out, o->name);
        fputs(o->member[0] == '[' ? "" : ".", out);
        sn_text_put(out, o->member);
    }
    put_place_of(out, o, "defined at");
}

static void put_object(FILE *out, const struct sn_object *o, const struct sn_style *c)
{
    if (o->kind == SN_OBJ_UNKNOWN)
        return;
    fputs("\n  ", out);
    if (o->kind != SN_OBJ_HEAP) {
        put_variable(out, o);
        fputc('\n', out);
        return;
    }
    sn_text_put(out, o->name ? o->name : "heap block");
    if (o->has_offset)
        fprintf(out, ", accessed at byte %llu", (unsigned long long)o->offset);
    fputs(o->freed ? ", already freed" : "", out);
    put_place_of(out, o, "at");
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
        char *who = thread_words(s->thread), *by = thread_words(s->creator);
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
    fprintf(out, "  %s", status_words(f->status));
    if (f->harmful == 1)
        fprintf(out, "; %sharmful%s", c->head, c->end);
    else if (f->harmful == 0)
        fputs("; no effect seen", out);
    if (f->effect) {
        fputs(": ", out);
        sn_text_put(out, f->effect);
    }
    if (f->hits > 1 && f->status > SN_CANDIDATE)
        fprintf(out, "; seen %lld times", (long long)f->hits);
    fputc('\n', out);
    if (f->text && f->kind != SN_KIND_MISUSE) {
        fputs("  ", out);
        sn_text_put(out, f->text);
        fputc('\n', out);
    }
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
        fprintf(out, "  %ssee it again:%s snag replay %lld\n", c->good, c->end, (long long)f->id);
}
