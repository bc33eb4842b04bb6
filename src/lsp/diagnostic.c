/* diagnostic.c: see diagnostic.h. */
#include "lsp/diagnostic.h"

#include <string.h>

#include "store/utf8.h"
#include "store/xalloc.h"

enum severity { ERROR = 1, WARNING, INFORMATION };

/* --- places --- */

/* The file of a frame as documents name it (malloc), or null. */
static char *path_of(const struct sn_frame *f)
{
    if (f == NULL || f->file == NULL || f->file[0] != '/' || f->line <= 0)
        return NULL;
    char *real = realpath(f->file, NULL);
    return real ? real : sn_xstrdup(f->file);
}

static char *uri_of(struct sn_documents *docs, const char *path)
{
    const struct sn_document *d = sn_document_by_path(docs, path);
    return d ? sn_xstrdup(d->uri) : sn_path_uri(path);
}

static json_t *range_of(struct sn_documents *docs, const char *path, const struct sn_frame *f)
{
    size_t n = 0;
    char *text = sn_documents_text(docs, path, &n);
    struct sn_position from = sn_position_of(text, n, f->line, f->column);
    json_t *range = sn_range_json(from, sn_position_word_end(text, n, from));
    free(text);
    return range;
}

static json_t *text_json(char *text)
{
    char *clean = sn_utf8_clean(text, strlen(text), false);
    json_t *j = json_string(clean);
    free(clean);
    free(text);
    return j;
}

/* --- words --- */

static char *thread_name(int64_t thread)
{
    return thread == 0  ? sn_xstrdup("the main thread")
           : thread > 0 ? sn_xformat("thread %lld", (long long)thread)
                        : sn_xstrdup("a thread");
}

static const char *op_words(const struct sn_site *s)
{
    return s->op == SN_OP_CALL && s->call ? s->call : sn_op_name(s->op);
}

static char *locks_words(const struct sn_site *s)
{
    if (!s->locks_known)
        return sn_xstrdup("");
    if (s->nlocks == 0)
        return sn_xstrdup(", holding no lock");
    char *text = sn_xstrdup(", holding ");
    for (size_t k = 0; k < s->nlocks; k++) {
        char *more = sn_xformat("%s%s%s", text, k ? ", " : "",
                                s->locks[k].name ? s->locks[k].name : "a lock");
        free(text);
        text = more;
    }
    return text;
}

/* "write in work(), thread 2, holding no lock" */
static char *site_words(const struct sn_site *s)
{
    const struct sn_frame *f = sn_site_frame(s);
    char *thread = thread_name(s->thread), *locks = locks_words(s);
    char *text =
        sn_xformat("%s in %s(), %s%s%s%s", op_words(s), f && f->function ? f->function : "?",
                   thread, locks, s->note ? ", " : "", s->note ? s->note : "");
    free(thread);
    free(locks);
    return text;
}

/* --- marks --- */

static json_t *related_at(struct sn_documents *docs, const struct sn_frame *f, char *text)
{
    char *path = path_of(f);
    if (path == NULL) {
        free(text);
        return NULL;
    }
    char *uri = uri_of(docs, path);
    json_t *j = json_pack("{s:{s:o, s:o}, s:o}", "location", "uri", text_json(uri), "range",
                          range_of(docs, path, f), "message", text_json(text));
    free(path);
    return j;
}

static void append(json_t *list, json_t *one)
{
    if (one != NULL)
        json_array_append_new(list, one);
}

/* The other places first, then where the threads were created, and the object. */
static json_t *related(struct sn_documents *docs, const struct sn_finding *f, size_t self)
{
    json_t *list = json_array();
    for (size_t k = 0; k < f->nsites; k++)
        if (k != self)
            append(list, related_at(docs, sn_site_frame(&f->sites[k]), site_words(&f->sites[k])));
    for (size_t k = 0; k < f->nsites; k++) {
        char *thread = thread_name(f->sites[k].thread);
        append(list, related_at(docs, sn_stack_frame(&f->sites[k].created),
                                sn_xformat("%s is created here", thread)));
        free(thread);
    }
    if (f->object.file != NULL && f->object.line > 0) {
        const struct sn_frame at = {.file = f->object.file, .line = f->object.line};
        append(list, related_at(docs, &at,
                                sn_xformat("%s is declared here",
                                           f->object.name ? f->object.name : "it")));
    }
    append(list, related_at(docs, sn_stack_frame(&f->object.alloc),
                            sn_xstrdup("the block is allocated here")));
    return list;
}

static enum severity severity_of(const struct sn_finding *f)
{
    return f->status == SN_CANDIDATE ? INFORMATION : f->status == SN_CONFIRMED ? ERROR : WARNING;
}

static json_t *mark(struct sn_documents *docs, const struct sn_finding *f, size_t site,
                    const char *path)
{
    char *here = site_words(&f->sites[site]);
    char *text = sn_xformat("%s (%s)\n%s", f->title, sn_status_name(f->status), here);
    json_t *data = json_object();
    json_object_set_new(data, "key", text_json(sn_xstrdup(f->key)));
    free(here);
    return json_pack("{s:o, s:i, s:s, s:s, s:o, s:o, s:o}", "range",
                     range_of(docs, path, sn_site_frame(&f->sites[site])), "severity",
                     (int)severity_of(f), "source", "snag", "code", sn_kind_name(f->kind),
                     "message", text_json(text), "relatedInformation", related(docs, f, site),
                     "data", data);
}

static bool marks_line(const json_t *list, const json_t *range, const char *key)
{
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one)
    {
        const char *other = json_string_value(json_object_get(json_object_get(one, "data"), "key"));
        if (json_equal(json_object_get(one, "range"), range) && other && strcmp(other, key) == 0)
            return true;
    }
    return false;
}

static void add_mark(json_t *marks, struct sn_documents *docs, const struct sn_finding *f,
                     size_t site)
{
    char *path = path_of(sn_site_frame(&f->sites[site]));
    if (path == NULL)
        return;
    char *uri = uri_of(docs, path);
    json_t *one = mark(docs, f, site, path), *list = json_object_get(marks, uri);
    if (list == NULL) {
        list = json_array();
        json_object_set_new(marks, uri, list);
    }
    if (!marks_line(list, json_object_get(one, "range"), f->key))
        json_array_append(list, one);
    json_decref(one);
    free(uri);
    free(path);
}

json_t *sn_diagnostics(struct sn_documents *docs, bool candidates)
{
    json_t *marks = json_object(), *j;
    size_t i;
    for (size_t k = 0; k < docs->n; k++) {
        json_array_foreach(docs->d[k].findings, i, j)
        {
            struct sn_finding f = {0};
            if (sn_finding_from_json(j, &f) == 0 && (candidates || f.status != SN_CANDIDATE)) {
                sn_finding_finish(&f);
                for (size_t s = 0; s < f.nsites; s++)
                    add_mark(marks, docs, &f, s);
            }
            sn_finding_clear(&f);
        }
    }
    return marks;
}

/* --- hover --- */

static void put_frame(FILE *out, const struct sn_frame *f)
{
    const char *base = f->file ? strrchr(f->file, '/') : NULL;
    fprintf(out, "`%s()`", f->function ? f->function : "?");
    if (f->file != NULL)
        fprintf(out, " %s:%d", base ? base + 1 : f->file, f->line);
}

static void put_stack(FILE *out, const struct sn_stack *s, const char *indent)
{
    for (size_t k = 0; k < s->n; k++) {
        fputs(indent, out);
        fputs(k ? "- called by " : "- ", out);
        put_frame(out, &s->frame[k]);
        fputc('\n', out);
    }
}

static void put_steps(FILE *out, const struct sn_finding *f)
{
    if (f->nsteps == 0)
        return;
    fputs("\n**One order of events that shows it**\n\n", out);
    for (size_t k = 0; k < f->nsteps; k++) {
        char *thread = thread_name(f->steps[k].thread);
        const struct sn_frame *at = &f->steps[k].at;
        const char *base = at->file ? strrchr(at->file, '/') : NULL;
        fprintf(out, "%zu. %s: %s", k + 1, thread, f->steps[k].what ? f->steps[k].what : "goes on");
        if (at->file != NULL)
            fprintf(out, " (%s:%d)", base ? base + 1 : at->file, at->line);
        fputc('\n', out);
        free(thread);
    }
}

static void put_finding(FILE *out, const struct sn_finding *f)
{
    fprintf(out, "**snag: %s** (%s)\n\n", f->title, sn_status_name(f->status));
    for (size_t k = 0; k < f->nsites; k++) {
        char *words = site_words(&f->sites[k]);
        fprintf(out, "- %s\n", words);
        put_stack(out, &f->sites[k].stack, "  ");
        if (f->sites[k].created.n > 0) {
            fputs("  - the thread was created by ", out);
            put_frame(out, sn_stack_frame(&f->sites[k].created));
            fputc('\n', out);
        }
        free(words);
    }
    if (f->text != NULL)
        fprintf(out, "\n%s\n", f->text);
    put_steps(out, f);
}

bool sn_finding_by_key(struct sn_documents *docs, const char *key, struct sn_finding *out)
{
    size_t i;
    json_t *j;
    for (size_t k = 0; k < docs->n; k++) {
        json_array_foreach(docs->d[k].findings, i, j)
        {
            *out = (struct sn_finding){0};
            if (sn_finding_from_json(j, out) == 0) {
                sn_finding_finish(out);
                if (strcmp(out->key, key) == 0)
                    return true;
            }
            sn_finding_clear(out);
        }
    }
    return false;
}

static bool on_line(const json_t *diagnostic, size_t line)
{
    struct sn_position p;
    const json_t *range = json_object_get(diagnostic, "range");
    return sn_position_read(json_object_get(range, "start"), &p) && p.line == line;
}

char *sn_hover_text(struct sn_documents *docs, const json_t *marks, const char *uri, size_t line)
{
    char *text = NULL;
    size_t size = 0, i, n = 0;
    FILE *out = open_memstream(&text, &size);
    json_t *one, *seen = json_object();
    if (out == NULL)
        return NULL;
    json_array_foreach(json_object_get(marks, uri), i, one)
    {
        const char *key = json_string_value(json_object_get(json_object_get(one, "data"), "key"));
        struct sn_finding f;
        if (!on_line(one, line) || key == NULL || json_object_get(seen, key) ||
            !sn_finding_by_key(docs, key, &f))
            continue;
        json_object_set_new(seen, key, json_true());
        if (n++ > 0)
            fputs("\n---\n\n", out);
        put_finding(out, &f);
        sn_finding_clear(&f);
    }
    fclose(out);
    json_decref(seen);
    if (n > 0)
        return text;
    free(text);
    return NULL;
}
