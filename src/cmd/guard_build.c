/*
 * guard_build.c: `snag guard build PROGRAM -o OUT`: OUT guards itself. Instrumented libraries that
 * the training has met are rewritten too, into OUT.lib, where OUT looks for them first.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/guard.h"
#include "cmd/guard_compile.h"
#include "cmd/invariant_words.h"
#include "cmd/options.h"
#include "cmd/place.h"
#include "cmd/say.h"
#include "guard/rewrite.h"
#include "store/scratch.h"
#include "store/xalloc.h"
#include "symbol/elf.h"

enum { NARROW = 1 << 10 }; /* so many places go into half a word of the recorder (word.h) */

struct building {
    struct sn_inv v;
    char path[4096];
    struct sn_sa_site *sites;
    struct sn_sa_more *more;
    uint32_t *members, *number; /* number: by place, from 1; 0: not guarded */
    uint8_t *rows;              /* SN_SA_ROW; null: too many places */
    char *strings;
    uint32_t nsites, nrecorded, nmembers, string_bytes, lib_folder;
    size_t member_cap;
    size_t guarded, erased, left;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const struct sn_call_site *call_of(const struct sn_inv *v, const struct sn_inv_place *p)
{
    const struct sn_calls *c = sn_keys_calls(v->keys, p->module);
    return c->by_relocation ? sn_calls_by_return(c, p->returns) : NULL;
}

static bool can(void *arg, const struct sn_inv_place *p)
{
    enum sn_sa_kind kind;
    const struct sn_call_site *c = call_of(arg, p);
    return c && sn_rewrite_can(c, &kind);
}

/* ---- the tables ---- */

static void add_strings(struct building *b, const char *out)
{
    FILE *f;
    size_t bytes;
    f = sn_xcheck(open_memstream(&b->strings, &bytes));
    fputc(0, f);
    for (size_t i = 1; i < b->v.n; i++)
        if (b->number[i]) {
            b->more[b->number[i] - 1].name = (uint32_t)ftell(f);
            fwrite(b->v.place[i].key, 1, strlen(b->v.place[i].key) + 1, f);
        }
    b->lib_folder = (uint32_t)ftell(f);
    fprintf(f, "%s.lib%c", base_name(out), 0);
    fclose(f);
    b->string_bytes = (uint32_t)bytes;
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void add_set(struct building *b, const struct sn_inv_place *p, struct sn_sa_more *more)
{
    more->first = b->nmembers;
    more->count = (uint32_t)p->nset;
    for (size_t i = 0; i < p->nset; i++) {
        b->members = sn_xgrow(b->members, b->nmembers, &b->member_cap, sizeof *b->members);
        b->members[b->nmembers++] = b->number[p->set[i]];
    }
    if (p->nset)
        qsort(b->members + more->first, p->nset, sizeof *b->members, compare);
}

/* The part of the set that is looked at first. */
static void add_near(const uint32_t *member, size_t n, struct sn_sa_site *s)
{
    for (size_t i = 0; i < n; i++) {
        if (!s->base)
            s->base = member[i]; /* the smallest but nil */
        uint32_t bit = member[i] - s->base;
        if (!member[i])
            s->nil = 1;
        else if (bit < SN_SA_NEAR_BITS)
            s->near[bit / 32] |= 1u << bit % 32;
    }
}

static int compare_groups(const void *a, const void *b)
{
    const struct sn_inv_place *x = *(const struct sn_inv_place *const *)a,
                              *y = *(const struct sn_inv_place *const *)b;
    if (x->light != y->light)
        return x->light ? 1 : -1;
    return x->group != y->group ? x->group < y->group ? -1 : 1 : x < y ? -1 : x > y;
}

/* Those that share memory are neighbours. Who is not recorded comes last, in no set and in no word.
 */
static void number_places(struct building *b)
{
    const struct sn_inv *v = &b->v;
    const struct sn_inv_place **all = sn_xcalloc(v->n, sizeof *all);
    for (size_t i = 1; i < v->n; i++)
        if (v->place[i].kept) {
            all[b->nsites++] = &v->place[i];
            b->nrecorded += !v->place[i].light;
        }
    qsort(all, b->nsites, sizeof *all, compare_groups);
    for (uint32_t i = 0; i < b->nsites; i++)
        b->number[all[i] - v->place] = i + 1;
    free(all);
}

static void make_site(struct building *b, const struct sn_inv_place *p, uint32_t number)
{
    struct sn_sa_site *s = &b->sites[number - 1];
    struct sn_sa_more *more = &b->more[number - 1];
    enum sn_sa_kind kind = SN_SA_FIXED;
    sn_rewrite_can(call_of(&b->v, p), &kind);
    s->kind = (uint8_t)(p->light ? SN_SA_LIGHT : kind);
    if (kind == SN_SA_FIXED && p->stays)
        s->kind = SN_SA_STAYS;
    s->reads = p->reads;
    s->plain = p->plain && !p->light;
    more->after = p->after ? b->number[p->after] : number;
    add_set(b, p, more);
    add_near(b->members + more->first, more->count, s);
    for (uint32_t i = 0; b->rows && !p->light && i < more->count; i++)
        b->rows[b->members[more->first + i] * SN_SA_ROW + number / 8] |= (uint8_t)(1 << number % 8);
}

static void make_tables(struct building *b, const char *out)
{
    struct sn_inv *v = &b->v;
    b->number = sn_xcalloc(v->n, sizeof *b->number);
    b->sites = sn_xcalloc(v->n, sizeof *b->sites);
    b->more = sn_xcalloc(v->n, sizeof *b->more);
    number_places(b);
    if (b->nrecorded < NARROW && b->nsites <= UINT16_MAX)
        b->rows = sn_xcalloc(b->nrecorded + 1, SN_SA_ROW);
    if (sn_guard_options.stall_ms && !sn_guard_options.all) /* what only watches is to see all */
        sn_inv_usual(v);
    for (size_t i = 1; i < v->n; i++)
        if (b->number[i])
            make_site(b, &v->place[i], b->number[i]);
    add_strings(b, out);
}

/* ---- modules ---- */

static int rewrite(struct building *b, int module, const char *out, bool is_library,
                   const char *run_path)
{
    const struct sn_calls *calls = sn_keys_calls(b->v.keys, module);
    const char *lib = sn_place_lib();
    const char *words = b->rows ? "snag-guard" : "snag-guard-wide";
    char *why = NULL, *runtime = sn_xformat("%s/%s.module", lib ? lib : ".", words);
    uint32_t *id = sn_xcalloc(calls->n, sizeof *id);
    for (size_t i = 1; i < b->v.n; i++) {
        const struct sn_inv_place *p = &b->v.place[i];
        if (b->number[i] && p->module == module)
            id[call_of(&b->v, p) - calls->call] = b->number[i];
    }
    for (size_t i = 0; i < b->v.ncopies; i++) {
        const struct sn_inv_copy *c = &b->v.copy[i];
        if (b->number[c->place] && b->v.place[c->place].module == module)
            id[sn_calls_by_return(calls, c->returns) - calls->call] = b->number[c->place];
    }
    const struct sn_guard_options *o = &sn_guard_options;
    struct sn_rewrite r = {
        .in = sn_keys_path(b->v.keys, module),
        .out = out,
        .runtime = runtime,
        .run_path = run_path,
        .own_lib = lib ? lib : "",
        .is_library = is_library,
        .strip = o->strip,
        .calls = calls,
        .id = id,
        .sites = b->sites,
        .more = b->more,
        .members = b->members,
        .rows = b->rows,
        .nrows = b->nrecorded + 1,
        .strings = b->strings,
        .nsites = b->nsites,
        .lib_folder = run_path ? b->lib_folder : 0,
        .nmembers = b->nmembers,
        .string_bytes = b->string_bytes,
        .step_us = (uint32_t)o->step_us,
        .steps = (uint32_t)(o->stall_ms * 1000 / o->step_us),
        .budget_ms = (uint32_t)o->budget_ms,
    };
    int status = sn_rewrite(&r, &why) ? sn_fail("%s", why) : 0;
    b->guarded += r.guarded;
    b->erased += r.erased;
    b->left += r.left;
    free(why);
    free(id);
    free(runtime);
    return status;
}

static bool is_instrumented_library(const struct building *b, const char *path)
{
    struct sn_elf_facts facts = {0};
    return strcmp(path, b->path) != 0 && sn_elf_probe(path, &facts) == 0 && !facts.program &&
           facts.instrumented && !sn_module_is_snag(path);
}

static int rewrite_libraries(struct building *b, const char *folder, size_t *n)
{
    int status = 0;
    *n = 0;
    for (size_t i = 0; i < b->v.npaths && !status; i++) {
        int module =
            is_instrumented_library(b, b->v.path[i]) ? sn_keys_module(b->v.keys, b->v.path[i]) : -1;
        if (module < 0)
            continue;
        if (!sn_keys_calls(b->v.keys, module)->by_relocation) {
            sn_say("%s was not linked by snag cc: it stays as it is", b->v.path[i]);
            continue;
        }
        if (!(*n)++ && mkdir(folder, 0777) < 0 && errno != EEXIST)
            return sn_fail("%s cannot be made: %s", folder, strerror(errno));
        char *out = sn_xformat("%s/%s", folder, base_name(b->v.path[i]));
        status = rewrite(b, module, out, true, NULL);
        free(out);
    }
    return status;
}

static int rewrite_all(struct building *b, const char *out)
{
    int module = sn_keys_module(b->v.keys, b->path);
    size_t libraries;
    if (module < 0 || !sn_keys_calls(b->v.keys, module)->by_relocation)
        return sn_fail("%s has no relocations: link it with snag cc, without -s, and learn again",
                       b->path);
    char *folder = sn_xformat("%s.lib", out);
    char *run_path = sn_xformat("$ORIGIN/%s.lib", base_name(out));
    int status = rewrite_libraries(b, folder, &libraries);
    if (!status)
        status = rewrite(b, module, out, false, libraries ? run_path : NULL);
    if (!status)
        sn_say("%s: %zu accesses are guarded, %zu calls of the instrumentation are gone, %zu stay "
               "(atomic operations and memory functions, which do the work)",
               out, b->guarded, b->erased, b->left);
    if (!status && !b->guarded && sn_guard_options.annotated)
        sn_say("no place that was learned is named by SNAG_INS_THIS_FUNC() and its kin "
               "(doc/annotations.md): nothing is guarded");
    if (!status && libraries)
        sn_say("%zu guarded libraries are in %s", libraries, folder);
    free(folder);
    free(run_path);
    return status;
}

/* ---- functions that could be compiled without instrumentation ---- */

struct function {
    char *name;
    bool guarded; /* some access of it is */
    bool hot;     /* it has accesses, or is inlined into one that is hot */
};

/* Functions of the source. */
struct functions {
    struct sn_map by_name; /* hash -> index */
    struct function *f;
    size_t n, cap;
};

static bool is_own(const char *name)
{
    return *name != '_' && strncmp(name, "tsan", 4) != 0; /* not of snag, nor of the compiler */
}

static struct function *function_at(struct functions *all, const char *name)
{
    uint32_t i;
    if (!sn_map_get(&all->by_name, sn_keys_hash(name), &i)) {
        i = (uint32_t)all->n++;
        all->f = sn_xgrow(all->f, i, &all->cap, sizeof *all->f);
        all->f[i] = (struct function){.name = sn_xstrdup(name)};
        sn_map_put(&all->by_name, sn_keys_hash(name), i);
    }
    return &all->f[i];
}

/* What makes no access itself must be in the list with its caller: a function that is instrumented
 * is not inlined into one that is not. */
static void add_inlined(void *arg, const char *name, const char *caller)
{
    struct functions *all = arg;
    const struct function *by = function_at(all, caller);
    bool hot = by->hot && !by->guarded;
    function_at(all, name)->hot |= hot;
}

static void list_inlined(const struct building *b, int module, struct functions *all)
{
    const struct sn_calls *c = sn_keys_calls(b->v.keys, module);
    for (size_t i = 0; i < c->nfunctions; i++)
        if (is_own(c->function[i].name) && (!i || c->function[i].low != c->function[i - 1].low))
            sn_keys_inlined(b->v.keys, module, c->function[i].low, c->function[i].high, add_inlined,
                            all);
}

static void list_functions(const struct building *b, int module, struct functions *all)
{
    const struct sn_calls *c = sn_keys_calls(b->v.keys, module);
    bool *guarded = sn_xcalloc(c->n, sizeof *guarded);
    for (size_t i = 1; i < b->v.n; i++)
        if (b->number[i] && b->v.place[i].module == module)
            guarded[call_of(&b->v, &b->v.place[i]) - c->call] = true;
    for (size_t i = 0; i < c->n; i++) {
        if (strncmp(c->call[i].name, "__tsan_", 7) != 0)
            continue;
        char *name = sn_keys_function(b->v.keys, module, &c->call[i]);
        if (name && is_own(name)) {
            struct function *f = function_at(all, name);
            f->hot = true;
            f->guarded |= guarded[i];
        }
        free(name);
    }
    free(guarded);
    list_inlined(b, module, all);
}

/* In the form of clang's -fsanitize-ignorelist: compiled again with that, these run at full speed,
 * and what was learned about the others still holds. */
static int write_hot(const struct building *b, const char *file)
{
    struct functions all = {0};
    FILE *f = fopen(file, "we");
    if (!f)
        return sn_fail("%s cannot be written: %s", file, strerror(errno));
    list_functions(b, sn_keys_module(b->v.keys, b->path), &all);
    fputs("[thread]\n", f);
    for (size_t i = 0; i < all.n; i++) {
        if (all.f[i].hot && !all.f[i].guarded)
            fprintf(f, "fun:%s\n", all.f[i].name);
        free(all.f[i].name);
    }
    free(all.f);
    sn_map_free(&all.by_name);
    bool bad = ferror(f);
    return fclose(f) || bad ? sn_fail("%s cannot be written", file) : 0;
}

/* ---- hot functions, compiled anew ---- */

/* The source file in a key, see keys.h: behind '@', up to the line. */
static char *file_of(const char *key)
{
    const char *at = strchr(key, '@'), *slash = at ? strchr(at, '/') : NULL;
    const char *end = slash ? memrchr(at, ':', (size_t)(slash - at)) : NULL;
    while (end && end > at && *--end != '+' && *end != ':')
        ;
    return end && end > at ? sn_xstrndup(at + 1, (size_t)(end - at - 1)) : NULL;
}

/* All of it; else only what has hot places. */
static bool is_compiled_anew(void)
{
    return (sn_guard_options.anew || sn_guard_options.budget) && !sn_guard_options.as_is;
}

static void list_hot_files(const struct building *b, struct sn_words *out)
{
    for (size_t i = 1; i < b->v.n; i++) {
        const struct sn_inv_place *p = &b->v.place[i];
        bool wanted = p->hot || is_compiled_anew();
        char *file = wanted && p->module >= 0 ? file_of(p->key) : NULL;
        bool known = !file;
        for (size_t k = 0; k < out->n && !known; k++)
            known = strcmp(out->v[k], file) == 0;
        if (!known)
            sn_words_add(out, file);
        free(file);
    }
}

/* What is guarded in the one and cannot be guarded in the other. */
static size_t count_missing(const struct building *b, const struct building *anew,
                            const char **example)
{
    size_t n = 0;
    for (size_t i = 1; i < b->v.n; i++) {
        const struct sn_inv_place *p = i < anew->v.n ? &anew->v.place[i] : NULL;
        if (p && p->same)
            p = &anew->v.place[p->same];
        if (b->v.place[i].kept && (!p || p->module < 0 || p->hot)) {
            *example = b->v.place[i].key;
            n++;
        }
    }
    return n;
}

static void clear(struct building *b)
{
    free(b->sites);
    free(b->more);
    free(b->rows);
    free(b->members);
    free(b->number);
    free(b->strings);
    if (b->v.keys)
        sn_inv_clear(&b->v);
}

/* The functions that can be compiled without instrumentation when nothing is guarded there. */
static void number_functions(struct building *b)
{
    struct sn_map first = {0};
    int module = sn_keys_module(b->v.keys, b->path);
    for (uint32_t i = 1; i < b->v.n; i++) {
        struct sn_inv_place *p = &b->v.place[i];
        const struct sn_call_site *c = p->module == module ? call_of(&b->v, p) : NULL;
        char *name = c ? sn_keys_function(b->v.keys, module, c) : NULL;
        if (name && is_own(name) && !sn_map_get(&first, sn_keys_hash(name), &p->function)) {
            p->function = i;
            sn_map_put(&first, sn_keys_hash(name), i);
        }
        free(name);
    }
    sn_map_free(&first);
}

/* It was to be compiled anew, and could not be. */
static void say_as_is(struct building *b)
{
    double gone;
    for (size_t i = 1; i < b->v.n; i++)
        b->v.place[i].function = 0;
    sn_inv_cost(&b->v, &gone);
    if (b->v.time.accesses)
        sn_say("as the program is, calls that are gone cost about %.1f %%", gone);
}

/* was: the program before it was compiled anew; null: it was not. */
static int prepare(struct building *b, const char *program, const struct building *was)
{
    int status = sn_words_load(&b->v, program, b->path);
    if (status)
        return status;
    if (access(b->path, R_OK) < 0)
        return sn_fail("%s cannot be read: %s", program, strerror(errno));
    struct sn_elf_facts facts = {0};
    if (sn_elf_probe(b->path, &facts) == 0 && !facts.program)
        return sn_fail(
            "%s is a library: it is guarded with a program that uses it, snag guard build "
            "PROGRAM -o OUT",
            program);
    sn_inv_locate(&b->v, b->path);
    if (was)
        sn_inv_find_again(&b->v, sn_keys_module(b->v.keys, b->path), &was->v,
                          sn_keys_module(was->v.keys, was->path));
    else
        sn_guard_default_budget(&b->v, can, &b->v);
    if (!was && is_compiled_anew())
        number_functions(b);
    status = sn_guard_choose(&b->v, can, &b->v, was ? &was->v : NULL);
    sn_guard_options.groups = false; /* printed once */
    return status;
}

/* False: nothing is hot, or it cannot be; then the program is taken as it is. */
static bool build_anew(const struct building *b, const char *out, int *status)
{
    struct sn_words files = {0};
    struct building anew = {0};
    const char *example = "";
    list_hot_files(b, &files);
    char *folder = files.n ? sn_scratch_make("snag-guard") : NULL, *path = NULL;
    char *list = sn_xformat("%s/functions", folder ? folder : "");
    if (folder && write_hot(b, list) == 0)
        path = sn_guard_compile(b->path, list, &files, folder);
    bool located = path && prepare(&anew, path, b) == 0;
    size_t missing = located ? count_missing(b, &anew, &example) : 0;
    bool done = located && !missing;
    if (done) {
        sn_say("compiled anew, so that hot functions in which nothing is guarded run without "
               "instrumentation: %zu of the sources (--as-is does without)",
               files.n);
        make_tables(&anew, out);
        *status = rewrite_all(&anew, out);
    } else if (missing) {
        sn_say("compiled anew, the program has not all places that are to be guarded: it is taken "
               "as it is (%zu are missing: %s)",
               missing, example);
    }
    clear(&anew);
    if (folder)
        sn_scratch_remove(folder);
    free(folder);
    free(list);
    free(path);
    sn_words_free(&files);
    return done;
}

static int build(struct building *b, const char *program, const char *out)
{
    int status = prepare(b, program, NULL);
    if (status)
        return status;
    if (!b->v.npairs)
        sn_say(
            "nothing was learned about %s yet, so nothing will be guarded: snag learn --runs 20 %s",
            program, program);
    sn_words_gone(&b->v, false);
    make_tables(b, out);
    if (sn_guard_options.as_is || !build_anew(b, out, &status)) {
        if (is_compiled_anew())
            say_as_is(b);
        status = rewrite_all(b, out);
    }
    return status || !sn_guard_options.hot ? status : write_hot(b, sn_guard_options.hot);
}

int sn_guard_build(int argc, char **argv)
{
    struct sn_words rest = {0};
    struct building b = {0};
    int status = sn_options_read_mixed(argc, argv, sn_options_guard, &rest);
    if (!status && (rest.n != 1 || !sn_guard_options.output))
        status = sn_fail("usage: snag guard build [options] PROGRAM -o OUT");
    const char *running = sn_guard_option_of_runs();
    if (!status && running)
        status =
            sn_fail("%s is for snag guard without `build`: use that first, then build", running);
    if (!status)
        status = build(&b, rest.v[0], sn_guard_options.output);
    clear(&b);
    sn_words_free(&rest);
    return status;
}
