/* confirm.c: see confirm.h. */
#include "lsp/confirm.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cmd/capture.h"
#include "cmd/place.h"
#include "store/store.h"
#include "store/xalloc.h"

/* snag fuzz takes up what the store knows. 0, or -1 with *why. */
static int put_into_store(struct sn_confirm *c, const char *dir, char **why)
{
    struct sn_store *store = NULL;
    struct sn_findings one = {.f = &c->finding, .n = 1};
    int64_t run;
    int r = sn_store_open(dir, SN_STORE_WRITE, &store, why);
    if (r < 0)
        return -1;
    r = sn_store_run_begin(store, "[\"snag\",\"lsp\"]", "check", &run);
    if (r == 0)
        r = sn_store_add(store, run, &one);
    if (r == 0)
        r = sn_store_run_end(store, run, 0, 0);
    if (r < 0)
        *why = sn_xstrdup(sn_store_error(store));
    sn_store_close(store);
    return r < 0 ? -1 : 0;
}

static bool is_cxx(const char *file)
{
    const char *dot = strrchr(file, '.');
    return dot != NULL && strcmp(dot, ".c") != 0 && strcmp(dot, ".i") != 0;
}

/* PROGRAM of the settings, else one that is built of the file. False with *why. */
static bool program_of(struct sn_confirm *c, const char *folder, struct sn_words *argv, char **why)
{
    if (c->config->program.n > 0) {
        sn_words_add_all(argv, c->config->program.v);
        return true;
    }
    struct sn_words build = {0};
    char *out = sn_xformat("%s/program", folder), *said;
    sn_words_add(&build, sn_place_exe());
    sn_words_add(&build, is_cxx(c->file) ? "c++" : "cc");
    if (c->config->flags.n > 0)
        sn_words_add_all(&build, c->config->flags.v);
    const char *const rest[] = {"-pthread", "-o", out, c->file, NULL};
    sn_words_add_all(&build, (char *const *)rest);
    int status = sn_capture(build.v, true, &said);
    if (status == 0)
        sn_words_add(argv, out);
    else
        *why = sn_xformat(
            "%s could not be built by itself; set snag.program to the command line of the program, "
            "built with snag cc\n%s",
            c->file, said);
    free(said);
    free(out);
    sn_words_free(&build);
    return status == 0;
}

/* The same kind at the same lines, whatever the columns are: two compilers differ in them. */
static bool same_places(const struct sn_finding *a, const struct sn_finding *b)
{
    size_t n = a->nsites < b->nsites ? a->nsites : b->nsites, matched = 0;
    if (a->kind != b->kind || n == 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            const struct sn_frame *x = sn_site_frame(&a->sites[i]),
                                  *y = sn_site_frame(&b->sites[k]);
            const char *fx = x && x->file ? strrchr(x->file, '/') : NULL;
            const char *fy = y && y->file ? strrchr(y->file, '/') : NULL;
            if (fx != NULL && fy != NULL && strcmp(fx, fy) == 0 && x->line == y->line) {
                matched++;
                break;
            }
        }
    }
    return matched == n;
}

static void tell_outcome(const struct sn_confirm *c, const json_t *report, json_t *result)
{
    size_t i;
    json_t *j;
    json_array_foreach(json_object_get(report, "findings"), i, j)
    {
        struct sn_finding f = {0};
        bool same = sn_finding_from_json(j, &f) == 0 && same_places(&f, &c->finding);
        if (same && f.status >= SN_OBSERVED) {
            char *replay = f.id > 0 ? sn_xformat("; again: snag replay %lld", (long long)f.id)
                                    : sn_xstrdup("");
            char *text = sn_xformat("%s: %s%s%s%s", sn_status_name(f.status), c->finding.title,
                                    f.effect ? ": " : "", f.effect ? f.effect : "", replay);
            json_object_set_new(result, "status", json_string(sn_status_name(f.status)));
            json_object_set_new(result, "message", json_string(text));
            free(text);
            free(replay);
        }
        sn_finding_clear(&f);
    }
    if (json_object_get(result, "status") == NULL) {
        char *text = sn_xformat("not confirmed by snag fuzz: %s", c->finding.title);
        json_object_set_new(result, "message", json_string(text));
        free(text);
    }
}

static void fuzz(const struct sn_confirm *c, const char *store, const struct sn_words *program,
                 const char *folder, json_t *result)
{
    struct sn_words argv = {0};
    char *out = sn_xformat("%s/fuzz.json", folder), *said;
    const char *const head[] = {sn_place_exe(), "fuzz", "--store", store, "--json", out,
                                "--timeout",    "120",  "--",      NULL};
    sn_words_add_all(&argv, (char *const *)head);
    sn_words_add_all(&argv, program->v);
    int status = sn_capture(argv.v, true, &said);
    json_t *report = json_load_file(out, 0, NULL);
    if (report != NULL)
        tell_outcome(c, report, result);
    else {
        char *text = sn_xformat("snag fuzz ended with status %d: %.500s", status, said);
        json_object_set_new(result, "message", json_string(text));
        free(text);
    }
    json_decref(report);
    free(said);
    free(out);
    sn_words_free(&argv);
}

json_t *sn_confirm(void *arg, const char *folder)
{
    struct sn_confirm *c = arg;
    struct sn_words program = {0};
    char *why = NULL, *store = sn_xformat("%s/.snag", c->root);
    json_t *result = json_pack("{s:s?}", "key", c->finding.key);
    if (chdir(c->root) != 0)
        why = sn_xformat("%s: %s", c->root, strerror(errno));
    else if (put_into_store(c, store, &why) == 0 && program_of(c, folder, &program, &why))
        fuzz(c, store, &program, folder, result);
    if (why != NULL)
        json_object_set_new(result, "message", json_string(why));
    free(why);
    free(store);
    sn_words_free(&program);
    return result;
}
