/*
 * text_words.c: what the forms of the report say about a finding in words: how sure, how bad, what
 * each side does, what the object is. All of it is clean for a terminal; a form that needs more
 * (HTML, XML) escapes the whole.
 */
#include "report/text.h"

#include <string.h>

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

char *sn_text_thread(int64_t thread)
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
    char *who = sn_text_thread(s->thread);
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

static bool is_waiting_note(const struct sn_site *s)
{
    return s->wants && s->note && !strncmp(s->note, "waits for", 9);
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
        fprintf(out, "` is %s %s", o->kind == SN_OBJ_CONTRACT ? "an" : "a", words[o->kind]);
    } else {
        fprintf(out, "the object is %s %s without a name", o->kind == SN_OBJ_CONTRACT ? "an" : "a",
                words[o->kind]);
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

void sn_text_side(FILE *out, const struct sn_finding *f, const struct sn_site *s,
                  const struct sn_style *c)
{
    fputs(c->strong, out);
    put_action(out, f, s);
    fputs(c->end, out);
    put_locks(out, s);
    if (s->note && !is_waiting_note(s)) {
        fputs(": ", out);
        sn_text_put(out, s->note);
    }
}

void sn_text_object(FILE *out, const struct sn_object *o)
{
    if (o->kind == SN_OBJ_UNKNOWN)
        return;
    if (o->kind != SN_OBJ_HEAP) {
        put_variable(out, o);
        return;
    }
    sn_text_put(out, o->name ? o->name : "heap block");
    if (o->has_offset)
        fprintf(out, ", accessed at byte %llu", (unsigned long long)o->offset);
    fputs(o->freed ? ", already freed" : "", out);
    put_place_of(out, o, "at");
}

void sn_text_judgement(FILE *out, const struct sn_finding *f, const struct sn_style *c)
{
    fputs(status_words(f->status), out);
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
}

void sn_text_replay(FILE *out, const struct sn_finding *f)
{
    fputs("snag replay ", out);
    if (sn_report_store && strcmp(sn_report_store, ".snag") != 0) {
        fputs("--store ", out);
        sn_text_put(out, sn_report_store);
        fputc(' ', out);
    }
    fprintf(out, "%lld", (long long)f->id);
}
