/* check.c: see check.h. */
#include "check/check.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "check/plugin.h"
#include "store/scratch.h"
#include "store/xalloc.h"

/* One message per line; the same words are said once. */
static void say(struct sn_check_result *out, char *text)
{
    for (size_t i = 0; i < out->messages.n; i++) {
        if (strcmp(out->messages.v[i], text) == 0) {
            free(text);
            return;
        }
    }
    for (char *line = text, *end; line != NULL && *line; line = end) {
        end = strchr(line, '\n');
        if (end != NULL)
            *end++ = '\0';
        sn_words_add(&out->messages, line);
    }
    free(text);
}

/* --- results --- */

static void add_stats(json_t *sum, const json_t *one)
{
    const char *name;
    json_t *v;
    json_object_foreach((json_t *)one, name, v) {
        const json_t *old = json_object_get(sum, name);
        if (json_is_integer(v))
            json_object_set_new(sum, name, json_integer(json_integer_value(old) + json_integer_value(v)));
        else if (json_number_value(v) > json_number_value(old))
            json_object_set(sum, name, v);
    }
}

static void add_result(struct sn_check_result *out, struct sn_check_result *one)
{
    for (size_t i = 0; i < one->findings.n; i++) {
        *sn_findings_add(&out->findings) = one->findings.f[i];
        one->findings.f[i] = (struct sn_finding){0};
    }
    for (size_t i = 0; i < one->messages.n; i++)
        say(out, sn_xstrdup(one->messages.v[i]));
    add_stats(out->stats, one->stats);
    out->concurrent |= one->concurrent;
    out->exhausted &= one->exhausted || !one->concurrent;
    out->failed |= one->failed;
    out->no_entry |= one->no_entry;
    sn_check_result_free(one);
}

/* --- programs, side by side --- */

struct running {
    struct sn_worker worker;
    const struct sn_program *program;
};

static char **files_of(const struct sn_program *p, const struct sn_sources *units)
{
    char **files = sn_xcalloc(p->n + 1, sizeof *files);
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++)
        if (units->u[p->unit[i]].bitcode != NULL)
            files[n++] = units->u[p->unit[i]].bitcode;
    return files;
}

/* Waits until one of the workers has ended, and takes its result. */
static void reap(struct running *r, size_t *n, struct sn_check_result *out)
{
    for (;;) {
        struct pollfd fds[64];
        for (size_t i = 0; i < *n; i++)
            fds[i] = (struct pollfd){.fd = r[i].worker.fd, .events = POLLIN};
        if (poll(fds, *n, -1) < 0 && errno != EINTR)
            return;
        for (size_t i = 0; i < *n; i++) {
            if (fds[i].revents == 0 || !sn_worker_read(&r[i].worker))
                continue;
            struct sn_check_result one;
            sn_worker_finish(&r[i].worker, r[i].program->name, &one);
            add_result(out, &one);
            r[i] = r[--*n];
            return;
        }
    }
}

static bool wanted(const struct sn_check_request *q, const struct sn_program *p)
{
    for (size_t i = 0; q->only != NULL && i < p->n; i++)
        if (strcmp(q->units->u[p->unit[i]].file, q->only) == 0)
            return true;
    return q->only == NULL;
}

static void check_programs(const struct sn_check_request *q, const struct sn_programs *all,
                           struct sn_check_result *out)
{
    size_t jobs = q->jobs < 1 || q->options.dump ? 1 : q->jobs > 64 ? 64 : (size_t)q->jobs, n = 0;
    struct running *r = sn_xcalloc(jobs, sizeof *r);
    for (size_t i = 0; i < all->n; i++) {
        if (!wanted(q, &all->p[i]))
            continue;
        char **files = files_of(&all->p[i], q->units);
        int e = sn_worker_start(&r[n].worker, &q->options, files);
        free(files);
        if (e < 0) {
            say(out, sn_xformat("%s: %s", all->p[i].name, strerror(-e)));
            out->failed = true;
            continue;
        }
        r[n++].program = &all->p[i];
        if (n == jobs)
            reap(r, &n, out);
    }
    while (n > 0)
        reap(r, &n, out);
    free(r);
}

/* --- units --- */

static size_t tell_errors(const struct sn_sources *units, struct sn_check_result *out)
{
    size_t good = 0;
    for (size_t i = 0; i < units->n; i++) {
        const struct sn_source *u = &units->u[i];
        good += u->bitcode != NULL;
        if (u->bitcode != NULL)
            continue;
        out->failed = true;
        say(out, sn_xformat("%s does not compile, so it is left out:\n%s", u->file, u->errors ? u->errors : ""));
    }
    return good;
}

static void one_program(const struct sn_sources *units, struct sn_programs *out)
{
    *out = (struct sn_programs){.p = sn_xcalloc(1, sizeof *out->p), .n = 1};
    struct sn_program *p = &out->p[0];
    p->name = sn_xstrdup(units->u[0].file);
    p->unit = sn_xcalloc(units->n, sizeof *p->unit);
    for (size_t i = 0; i < units->n; i++)
        p->unit[p->n++] = i;
}

static int group(const struct sn_check_request *q, struct sn_programs *out)
{
    const struct sn_sources *units = q->units;
    if (units->n == 1) {
        one_program(units, out);
        return 0;
    }
    struct sn_symbols *symbols = sn_xcalloc(units->n, sizeof *symbols);
    int r = sn_worker_symbols(q->options.lib_dir, units, symbols);
    if (r == 0)
        sn_programs_find(units, symbols, out);
    for (size_t i = 0; i < units->n; i++) {
        sn_words_free(&symbols[i].defined);
        sn_words_free(&symbols[i].needed);
    }
    free(symbols);
    return r;
}

static int compile_and_check(const struct sn_check_request *q, const char *clang, const char *dir,
                             struct sn_check_result *out)
{
    struct sn_programs programs = {0};
    struct sn_compiling how = q->compiling;
    how.jobs = q->jobs < 1 ? 1 : q->jobs;
    sn_clang_compile(clang, q->units, dir, &how);
    if (tell_errors(q->units, out) == 0)
        return -1;
    int r = group(q, &programs);
    if (r < 0)
        say(out, sn_xformat("the compiled files cannot be read: %s", strerror(-r)));
    else
        check_programs(q, &programs, out);
    sn_programs_free(&programs);
    sn_findings_unite(&out->findings);
    return r < 0 ? -1 : 0;
}

/* The version is asked in a process of its own: loading LLVM stays out of this one. */
static int llvm_version(const char *lib_dir, char **why)
{
    struct sn_llvm llvm;
    return sn_llvm_open(lib_dir, &llvm, why) == 0 ? llvm.version : -1;
}

int sn_check(const struct sn_check_request *q, struct sn_check_result *out)
{
    char *why = NULL, *clang = NULL, *dir = NULL;
    int r = -1, version = llvm_version(q->options.lib_dir, &why);
    *out = (struct sn_check_result){.exhausted = true, .stats = json_object()};
    if (version > 0)
        clang = sn_clang_find(version, &why);
    if (clang != NULL && (dir = sn_scratch_make("snag-check")) == NULL)
        why = sn_xformat("no temporary folder: %s", strerror(errno));
    if (dir != NULL) {
        r = compile_and_check(q, clang, dir, out);
        sn_scratch_remove(dir);
        free(dir);
    }
    if (why != NULL)
        say(out, why);
    free(clang);
    out->failed |= r != 0;
    return r;
}
