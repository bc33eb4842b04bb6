/*
 * split.c: from a campaign file or a command line to units. A command that has --schedules is given
 * its seeds as schedules, others as runs; both count up from --seed.
 */
#include "campaign/split.h"

#include <errno.h>
#include <glob.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/folder.h"
#include "cmd/command.h"
#include "store/store.h"
#include "store/xalloc.h"

#define RETRIES 4        /* a machine that kills a fifth of all units still ends nearly always */
#define SCHEDULES 100    /* of a unit when the command line does not say */
#define NO_LIMIT "86400" /* of fuzz: a wall clock would make two runs of a unit differ */

static const struct sn_option *find(const struct sn_option *table, const char *name, size_t n)
{
    for (; table && table->name; table++)
        if (strlen(table->name) == n && strncmp(table->name, name, n) == 0)
            return table;
    return NULL;
}

static bool has_option(const char *engine, const char *name)
{
    const struct sn_command *c = sn_command_find(engine);
    return c && find(c->options, name, strlen(name));
}

static bool is_among(const struct sn_words *w, const char *option)
{
    size_t n = strlen(option);
    for (size_t i = 0; w && i < w->n; i++)
        if (strncmp(w->v[i], option, n) == 0 && (!w->v[i][n] || w->v[i][n] == '='))
            return true;
    return false;
}

static void add_number(struct sn_words *w, const char *option, int64_t n)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)n);
    sn_words_add(w, option);
    sn_words_add(w, text);
}

static void add_common(struct sn_words *w, const struct sn_split *s)
{
    if (s->timeout_s > 0) {
        char text[32];
        snprintf(text, sizeof text, "%g", s->timeout_s);
        sn_words_add(w, "--timeout");
        sn_words_add(w, text);
    }
    if (s->suppressions) {
        sn_words_add(w, "--suppressions");
        sn_words_add(w, s->suppressions);
    }
    if (!is_among(s->options, "--jobs"))
        add_number(w, "--jobs", 1);
    if (has_option(s->engine, "limit") && !is_among(s->options, "--limit")) {
        sn_words_add(w, "--limit");
        sn_words_add(w, NO_LIMIT);
    }
    if (s->options)
        sn_words_add_all(w, s->options->v);
}

static bool is_static(const char *engine)
{
    return strcmp(engine, "check") == 0;
}

static void add_unit(struct sn_plan *p, const struct sn_split *s, const struct sn_module *m,
                     int64_t first, int64_t count)
{
    struct sn_unit *u = sn_plan_add(p);
    if (m->folder) {
        free(u->folder);
        u->folder = sn_xstrdup(m->folder);
    }
    if (m->env)
        sn_words_add_all(&u->env, m->env->v);
    sn_words_add(&u->command, s->engine);
    add_number(&u->command, "--seed", first);
    if (has_option(s->engine, "schedules"))
        add_number(&u->command, "--schedules", count);
    else if (count > 1)
        add_number(&u->command, "--runs", count);
    add_common(&u->command, s);
    sn_words_add(&u->command, "--");
    sn_words_add_all(&u->command, m->args->v);
    u->what = count > 1 ? sn_xformat("%s %s, seeds %lld to %lld", s->engine, m->what,
                                     (long long)first, (long long)(first + count - 1))
                        : sn_xformat("%s %s, seed %lld", s->engine, m->what, (long long)first);
}

void sn_split_seeds(struct sn_plan *p, const struct sn_split *s, const struct sn_module *m)
{
    for (int64_t at = s->first; at <= s->last && p->n < SN_UNIT_MAX; at += s->by) {
        int64_t left = s->last - at + 1;
        add_unit(p, s, m, at, left < s->by ? left : s->by);
    }
}

static char *join(const struct sn_words *w)
{
    char *text;
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    for (size_t i = 0; i < w->n; i++)
        fprintf(out, "%s%s", i ? " " : "", w->v[i]);
    fclose(out);
    return text;
}

/* ---- a campaign file ---- */

struct maker {
    struct sn_plan *p;
    const struct sn_recipe *r;
    struct sn_split split; /* of the present engine */
};

static void add_module(void *arg, const struct sn_module *m)
{
    struct maker *k = arg;
    sn_split_seeds(k->p, &k->split, m);
}

static void add_programs(struct maker *k)
{
    for (size_t i = 0; i < k->r->nprograms; i++) {
        char *what = join(&k->r->program[i].words);
        add_module(k, &(struct sn_module){.what = what, .args = &k->r->program[i].words});
        free(what);
    }
}

static int add_tests(struct maker *k, char **why)
{
    int err = 0;
    for (size_t i = 0; !err && i < k->r->ntests; i++)
        err = sn_test_list(&k->r->tests[i], k->p->home, add_module, k, why);
    return err;
}

/* Patterns of file names, below home. Each file is a module. */
static int add_files(struct maker *k, const struct sn_words *patterns, const char *option,
                     char **why)
{
    for (size_t i = 0; i < patterns->n; i++) {
        char *pattern = sn_path_below(k->p->home, patterns->v[i]);
        glob_t found = {0};
        int r = glob(pattern, 0, NULL, &found);
        free(pattern);
        if (r) {
            globfree(&found);
            *why = sn_xformat("no file is %s (below %s)", patterns->v[i], k->p->home);
            return -ENOENT;
        }
        for (size_t f = 0; f < found.gl_pathc; f++) {
            struct sn_words args = {0}, own = {0};
            const struct sn_words *options = k->split.options;
            sn_words_add_all(&own, options ? options->v : NULL);
            if (option) {
                sn_words_add(&own, option);
                sn_words_add(&own, found.gl_pathv[f]);
            } else {
                sn_words_add(&args, found.gl_pathv[f]);
            }
            k->split.options = &own;
            add_module(k, &(struct sn_module){.what = basename(found.gl_pathv[f]), .args = &args});
            k->split.options = options;
            sn_words_free(&own);
            sn_words_free(&args);
        }
        globfree(&found);
    }
    return 0;
}

static void set_seeds(struct maker *k, const struct sn_recipe_engine *e, size_t index)
{
    k->split = (struct sn_split){.engine = e->name,
                                 .first = e->first,
                                 .last = e->last,
                                 .by = e->by,
                                 .options = &e->options,
                                 .timeout_s = k->r->timeout_s,
                                 .suppressions = k->split.suppressions};
    if (!e->next)
        return;
    char *key = sn_xformat("%s/%zu/%s", k->p->name, index + 1, e->name);
    int64_t last = 0;
    for (size_t i = 0; i < k->p->seeds.n; i++) {
        const char *line = k->p->seeds.v[i];
        size_t n = strlen(key);
        if (strncmp(line, key, n) == 0 && line[n] == ' ')
            last = atoll(line + n + 1);
    }
    k->split.first += last;
    k->split.last += last;
    char *line = sn_xformat("%s %lld", key, (long long)k->split.last);
    sn_words_add(&k->p->seeds, line);
    free(line);
    free(key);
}

static int add_engine(struct maker *k, const struct sn_recipe_engine *e, size_t index, char **why)
{
    set_seeds(k, e, index);
    if (is_static(e->name))
        return add_files(k, &k->r->sources, NULL, why);
    add_programs(k);
    int err = add_tests(k, why);
    if (!err && strcmp(e->name, "predict") == 0)
        err = add_files(k, &k->r->traces, "--trace", why);
    return err;
}

static char *stem(const char *path)
{
    char *copy = sn_xstrdup(path), *name = sn_xstrdup(basename(copy)), *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = 0;
    free(copy);
    return name;
}

static void take_words(struct sn_plan *p, const struct sn_recipe *r, const char *path)
{
    char *copy = sn_path_real(path), *folder = dirname(copy);
    char *home = sn_path_below(folder, r->folder ? r->folder : ".");
    p->home = sn_path_real(home);
    p->store = sn_path_below(folder, r->store ? r->store : ".snag");
    p->name = r->name ? sn_xstrdup(r->name) : stem(path);
    p->budget_s = r->budget_s;
    p->unit_time_s = r->unit_time_s;
    p->retries = r->retries >= 0 ? r->retries : RETRIES;
    sn_words_add_all(&p->carry, r->carry.v);
    free(home);
    free(copy);
}

static int take_seed(void *arg, const char *key, const void *data, size_t bytes)
{
    char *line = sn_xformat("%s %.*s", key, (int)bytes, (const char *)data);
    sn_words_add(arg, line);
    free(line);
    return 0;
}

/* Where earlier campaigns of this store ended. */
static void recall_seeds(struct sn_plan *p)
{
    struct sn_store *store;
    char *why = NULL;
    if (sn_store_open(p->store, SN_STORE_READ, &store, &why) == 0) {
        sn_store_each_blob(store, SN_SEEDS_KIND, take_seed, &p->seeds);
        sn_store_close(store);
    }
    free(why);
}

static int make_units(struct sn_plan *p, const struct sn_recipe *r, const char *path, char **why)
{
    struct maker k = {.p = p, .r = r};
    char *copy = sn_path_real(path), *file = NULL;
    int err = 0;
    if (r->suppressions)
        file = sn_path_below(dirname(copy), r->suppressions);
    k.split.suppressions = file;
    recall_seeds(p);
    for (size_t i = 0; !err && i < r->nengines; i++)
        err = add_engine(&k, &r->engine[i], i, why);
    if (!err && !p->n) {
        *why = sn_xformat("%s: there is nothing to do: no test was chosen", path);
        err = -ENOENT;
    }
    free(file);
    free(copy);
    return err;
}

int sn_plan_from_file(const char *path, struct sn_plan *out, char **why)
{
    struct sn_recipe r;
    char *text, *words = NULL;
    size_t bytes;
    int err = sn_file_read(path, &text, &bytes);
    if (err) {
        *why = sn_xformat("cannot read the campaign file %s: %s", path, strerror(-err));
        return err;
    }
    err = sn_recipe_parse(text, bytes, &r, &words);
    if (err) {
        *why = sn_xformat("%s: %s", path, words);
    } else {
        take_words(out, &r, path);
        out->source = sn_xstrdup(text);
        err = make_units(out, &r, path, why);
        sn_recipe_clear(&r);
    }
    free(words);
    free(text);
    return err;
}

/* ---- a command line ---- */

struct line {
    const struct sn_command *command;
    struct sn_words options, args;
    int64_t seed, count; /* count 0: not said */
};

static int refuse(char **why, const char *name)
{
    *why = sn_xformat("--%s is set by the campaign for each unit: leave it out", name);
    return -EINVAL;
}

static int take_number(const char *name, const char *value, int64_t *to, char **why)
{
    char *end;
    errno = 0;
    *to = strtoll(value, &end, 10);
    if (end == value || *end || errno || *to < 0) {
        *why = sn_xformat("--%s is a number, not '%s'", name, value);
        return -EINVAL;
    }
    return 0;
}

/* The option at **p with its value; moves past both. */
static int take_option(struct line *l, char *const **p, char **why)
{
    static const char *const taken[] = {"store", "no-store", "json", "sarif",
                                        "junit", "html",     NULL};
    const char *word = *(*p)++, *name = word + strspn(word, "-"), *value = strchr(name, '=');
    size_t n = value ? (size_t)(value - name) : strlen(name);
    const struct sn_option *o = find(l->command->options, name, n);
    o = o ? o : find(sn_common_options, name, n);
    if (!o) {
        *why = sn_xformat("snag %s has no option %s", l->command->name, word);
        return -EINVAL;
    }
    for (const char *const *t = taken; *t; t++)
        if (strcmp(o->name, *t) == 0)
            return refuse(why, o->name);
    bool alone = o->type == SN_OPT_FLAG || o->type == SN_OPT_CLEAR;
    if (!alone && !value && !**p) {
        *why = sn_xformat("%s needs a value", word);
        return -EINVAL;
    }
    const char *next = alone || value ? NULL : *(*p)++;
    const char *what = value ? value + 1 : next;
    if (strcmp(o->name, "seed") == 0)
        return take_number(o->name, what, &l->seed, why);
    if (strcmp(o->name, has_option(l->command->name, "schedules") ? "schedules" : "runs") == 0)
        return take_number(o->name, what, &l->count, why);
    sn_words_add(&l->options, word);
    if (next)
        sn_words_add(&l->options, next);
    return 0;
}

static int read_line(char *const *words, struct line *l, char **why)
{
    int err = 0;
    l->command = *words && sn_recipe_knows_engine(*words) ? sn_command_find(*words) : NULL;
    if (!l->command) {
        *why = sn_xformat("'%s' is no command that can be split: hunt, run, race, fuzz, predict, "
                          "learn, expose, guard or check",
                          *words ? *words : "");
        return -EINVAL;
    }
    for (words++; !err && *words && **words == '-' && (*words)[1];) {
        if (strcmp(*words, "--") == 0) {
            words++;
            break;
        }
        err = take_option(l, &words, why);
    }
    sn_words_add_all(&l->args, words);
    if (!err && !l->args.n && !is_among(&l->options, "--trace")) {
        *why = sn_xformat("no program given: snag campaign plan -- %s [options] PROGRAM [ARGS…]",
                          l->command->name);
        err = -EINVAL;
    }
    return err;
}

static void split_line(struct sn_plan *p, const struct line *l, int64_t units)
{
    int64_t count = l->count;
    if (!count)
        count = units * (has_option(l->command->name, "schedules") ? SCHEDULES : 1);
    char *what = join(&l->args);
    struct sn_split s = {.engine = l->command->name,
                         .first = l->seed,
                         .last = l->seed + count - 1,
                         .by = (count + units - 1) / units,
                         .options = &l->options};
    struct sn_module m = {.what = what, .args = &l->args};
    if (!is_static(s.engine)) {
        sn_split_seeds(p, &s, &m);
    } else { /* a file each */
        s.last = s.first;
        for (size_t i = 0; i < l->args.n; i++) {
            struct sn_words one = {0};
            sn_words_add(&one, l->args.v[i]);
            m = (struct sn_module){.what = l->args.v[i], .args = &one};
            sn_split_seeds(p, &s, &m);
            sn_words_free(&one);
        }
    }
    free(what);
}

int sn_plan_from_words(char *const *words, int64_t units, struct sn_plan *out, char **why)
{
    struct line l = {.seed = 1};
    int err = read_line(words, &l, why);
    if (!err) {
        struct sn_words all = {0};
        sn_words_add_all(&all, words);
        out->source = join(&all);
        sn_words_free(&all);
        out->home = sn_xcheck(getcwd(NULL, 0));
        out->store = sn_xformat("%s/.snag", out->home);
        out->name = sn_xstrdup(l.command->name);
        out->retries = RETRIES;
        split_line(out, &l, units);
    }
    sn_words_free(&l.options);
    sn_words_free(&l.args);
    return err;
}
