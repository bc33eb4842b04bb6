/*
 * recheck.c: see recheck.h. clang gets the texts of the editor by an overlay file system, headers
 * included; what is nowhere on disk yet is written down with a #line that names it.
 */
#include "lsp/recheck.h"

#include <string.h>
#include <unistd.h>

#include "check/check.h"
#include "cmd/contract_files.h"
#include "store/xalloc.h"

#define UNITS_MOST 300u /* of a project; in a larger one the file is checked by itself */

static char *write_text(const struct sn_recheck *t, const struct sn_document *d, const char *head)
{
    char *path = sn_xformat("%s/%zu.text", t->folder, (size_t)(d - t->docs->d));
    FILE *f = fopen(path, "we");
    if (f != NULL) {
        fputs(head, f);
        fwrite(d->text, 1, d->n, f);
        fclose(f);
    }
    return path;
}

/* clang sees the texts of the editor instead of the files on disk, under the files' names. */
static void add_overlay(const struct sn_recheck *t, struct sn_words *flags)
{
    json_t *roots = json_array();
    for (size_t i = 0; i < t->docs->n; i++) {
        const struct sn_document *d = &t->docs->d[i];
        if (!d->dirty || access(d->path, F_OK) != 0)
            continue;
        char *text = write_text(t, d, "");
        json_t *one = json_pack("{s:s, s:s, s:s}", "type", "file", "name", d->path,
                                "external-contents", text);
        if (one != NULL)
            json_array_append_new(roots, one);
        free(text);
    }
    if (json_array_size(roots) > 0) {
        char *path = sn_xformat("%s/overlay.json", t->folder);
        json_t *all =
            json_pack("{s:i, s:b, s:O}", "version", 0, "use-external-names", 0, "roots", roots);
        if (json_dump_file(all, path, 0) == 0) {
            sn_words_add(flags, "-ivfsoverlay");
            sn_words_add(flags, path);
        }
        json_decref(all);
        free(path);
    }
    json_decref(roots);
}

static char *parent_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash > path ? sn_xstrndup(path, (size_t)(slash - path)) : sn_xstrdup("/");
}

/* The folder of the database: as set, else beside the file or above it, there or in build/. */
static char *find_database(const struct sn_recheck *t)
{
    if (t->config->compile_commands != NULL)
        return sn_xstrdup(t->config->compile_commands);
    char *dir = parent_of(t->d->path);
    for (;;) {
        static const char *const places[] = {"", "/build"};
        for (size_t k = 0; k < 2; k++) {
            char *where = sn_xformat("%s%s", dir, places[k]),
                 *file = sn_xformat("%s/compile_commands.json", where);
            bool there = access(file, R_OK) == 0;
            free(file);
            if (there) {
                free(dir);
                return where;
            }
            free(where);
        }
        if (strcmp(dir, "/") == 0) {
            free(dir);
            return NULL;
        }
        char *up = parent_of(dir);
        free(dir);
        dir = up;
    }
}

/* Moves the unit out of the list, which is given up. */
static void keep_only(struct sn_sources *all, size_t which)
{
    struct sn_source one = all->u[which];
    all->u[which] = (struct sn_source){0};
    sn_sources_free(all);
    *sn_sources_add(all) = one;
}

/* The units of the database, if the document is one of them. */
static bool units_of_database(const struct sn_recheck *t, struct sn_sources *units)
{
    char *dir = find_database(t), *why = NULL;
    bool found = false;
    if (dir != NULL && sn_sources_from_database(dir, units, &why) == 0) {
        for (size_t i = 0; i < units->n && !found; i++) {
            char *real = realpath(units->u[i].file, NULL);
            found = real != NULL && strcmp(real, t->d->path) == 0;
            if (found) {
                free(units->u[i].file);
                units->u[i].file = real;
                if (!t->config->whole_program || units->n > UNITS_MOST)
                    keep_only(units, i);
                break;
            }
            free(real);
        }
    }
    if (!found)
        sn_sources_free(units);
    free(dir);
    free(why);
    return found;
}

/* A text that is nowhere on disk is written down with the name that it will have. */
static void add_unsaved(const struct sn_recheck *t, struct sn_source *u)
{
    char *dir = parent_of(t->d->path), *name = sn_xstrdup(t->d->path);
    for (char *p = name; *p; p++)
        if (*p == '"' || *p == '\\' || *p == '\n')
            *p = '_';
    char *head = sn_xformat("#line 1 \"%s\"\n", name);
    bool cxx = strcmp(t->d->language, "cpp") == 0;
    u->file = write_text(t, t->d, head);
    sn_words_add(&u->flags, "-iquote");
    sn_words_add(&u->flags, dir);
    sn_words_add(&u->flags, "-x");
    sn_words_add(&u->flags, cxx ? "c++" : "c");
    free(head);
    free(name);
    free(dir);
}

static void add_alone(const struct sn_recheck *t, struct sn_sources *units)
{
    struct sn_source *u = sn_sources_add(units);
    if (t->config->flags.n > 0)
        sn_words_add_all(&u->flags, t->config->flags.v);
    if (access(t->d->path, F_OK) != 0) {
        add_unsaved(t, u);
        return;
    }
    u->file = sn_xstrdup(t->d->path);
    u->directory = parent_of(t->d->path);
}

static json_t *result_json(const struct sn_check_result *r, bool shares)
{
    json_t *findings = json_array(), *messages = json_array();
    for (size_t i = 0; i < r->findings.n; i++)
        json_array_append_new(findings, sn_finding_to_json(&r->findings.f[i]));
    for (size_t i = 0; i < r->messages.n; i++)
        json_array_append_new(messages,
                              json_stringn_nocheck(r->messages.v[i], strlen(r->messages.v[i])));
    return json_pack("{s:o, s:o, s:b, s:b, s:b, s:b}", "findings", findings, "messages", messages,
                     "failed", r->failed, "exhausted", r->exhausted, "concurrent", r->concurrent,
                     "shares", shares);
}

static struct sn_touched *all_touched(const struct sn_documents *docs, size_t *n)
{
    struct sn_touched *all = sn_xcalloc(docs->n + docs->ngone, sizeof *all);
    for (size_t i = 0; i < docs->n; i++)
        all[(*n)++] = (struct sn_touched){docs->d[i].path, docs->d[i].changed};
    for (size_t i = 0; i < docs->ngone; i++)
        all[(*n)++] = (struct sn_touched){docs->gone[i].path, docs->gone[i].when};
    return all;
}

json_t *sn_recheck(void *arg, const char *folder)
{
    struct sn_recheck *t = arg;
    t->folder = folder;
    struct sn_sources units = {0};
    struct sn_words flags = {0}, none = {0};
    struct sn_contracts contracts = {0};
    size_t ntouched = 0;
    struct sn_touched *touched = all_touched(t->docs, &ntouched);
    struct sn_check_result result;
    if (!units_of_database(t, &units))
        add_alone(t, &units);
    add_overlay(t, &flags);
    struct sn_check_request q = {
        .units = &units, .jobs = 2, .only = units.n > 1 ? t->d->path : NULL};
    q.compiling = (struct sn_compiling){
        .flags = &flags, .cache = t->cache, .touched = touched, .ntouched = ntouched};
    q.options.run.bounds = (struct sn_bounds){
        (uint64_t)t->config->steps, (uint64_t)t->config->steps_per_run, (uint64_t)t->config->heap};
    q.options.run.seed = (uint64_t)t->config->seed;
    q.options.run.entry = t->config->entry;
    q.options.run.strategy = "auto";
    q.options.run.contracts = sn_contract_files(&none, &contracts) == 0 ? &contracts : NULL;
    q.options.lib_dir = t->lib_dir;
    sn_check(&q, &result);
    return result_json(&result, units.n > 1);
}
