/* recipe.c: the reader of campaign files, see recipe.h. */
#include "campaign/recipe.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/xalloc.h"

#define MAX_BYTES (1 << 20)  /* a file larger than that is not a campaign file */
#define MAX_SEEDS 1000000000 /* of one engine line */

struct reader {
    struct sn_recipe *r;
    struct sn_words words; /* of the present line */
    int line;
    char **why;
};

__attribute__((format(printf, 2, 3))) static int bad(struct reader *in, const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    *in->why = sn_xformat("line %d: %s", in->line, n < 0 ? "?" : text);
    free(n < 0 ? NULL : text);
    return -EINVAL;
}

bool sn_recipe_knows_engine(const char *name)
{
    static const char *const names[] = {"hunt",  "run",    "race",  "fuzz",  "predict",
                                        "learn", "expose", "guard", "check", NULL};
    for (const char *const *n = names; *n; n++)
        if (strcmp(*n, name) == 0)
            return true;
    return false;
}

int sn_duration_parse(const char *text, double *seconds)
{
    char *end;
    if (*text < '0' || *text > '9')
        return -EINVAL;
    double n = strtod(text, &end);
    double unit = *end == 'm' ? 60 : *end == 'h' ? 3600 : *end == 'd' ? 86400 : 1;
    if (*end && strchr("smhd", *end))
        end++;
    if (*end || !(n * unit > 0) || n * unit > 1e9)
        return -EINVAL;
    *seconds = n * unit;
    return 0;
}

/* Digits only; the number's end goes to *after. */
static int number(const char *text, int64_t min, int64_t max, int64_t *out, const char **after)
{
    char *end;
    if (*text < '0' || *text > '9')
        return -EINVAL;
    errno = 0;
    int64_t n = strtoll(text, &end, 10);
    if (errno || n < min || n > max || (!after && *end))
        return -EINVAL;
    *out = n;
    if (after)
        *after = end;
    return 0;
}

static int one_text(struct reader *in, char **to)
{
    const char *key = in->words.v[0];
    if (in->words.n != 2)
        return bad(in, "'%s' takes one word", key);
    if (*to)
        return bad(in, "'%s' was said before", key);
    if (!*in->words.v[1])
        return bad(in, "'%s' is empty", key);
    *to = sn_xstrdup(in->words.v[1]);
    return 0;
}

/* Becomes part of file names and of job names. */
static int name(struct reader *in)
{
    int err = one_text(in, &in->r->name);
    const char *p = err ? "" : in->r->name;
    size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
    if (!err && (p[n] || *p == '.' || *p == '-' || n > 64))
        err = bad(in, "a name has letters, digits, '_', '-' and '.' (up to 64), not '%s'", p);
    return err;
}

static int duration(struct reader *in, double *to)
{
    if (in->words.n != 2 || sn_duration_parse(in->words.v[1], to))
        return bad(in, "'%s' takes a time such as 90s, 15m or 2h", in->words.v[0]);
    return 0;
}

static int several(struct reader *in, struct sn_words *to)
{
    if (in->words.n < 2)
        return bad(in, "'%s' takes one or more files", in->words.v[0]);
    for (size_t i = 1; i < in->words.n; i++)
        sn_words_add(to, in->words.v[i]);
    return 0;
}

static int program(struct reader *in)
{
    struct sn_recipe *r = in->r;
    if (in->words.n < 2 || !*in->words.v[1])
        return bad(in, "'program' takes a command line");
    r->program = sn_xrealloc(r->program, r->nprograms + 1, sizeof *r->program);
    struct sn_recipe_program *p = &r->program[r->nprograms++];
    *p = (struct sn_recipe_program){.line = in->line};
    sn_words_add_all(&p->words, in->words.v + 1);
    return 0;
}

static int tests(struct reader *in)
{
    struct sn_recipe *r = in->r;
    bool ctest = in->words.n > 1 && strcmp(in->words.v[1], "ctest") == 0;
    if (in->words.n < 3 || (!ctest && strcmp(in->words.v[1], "meson") != 0))
        return bad(in, "'tests' takes ctest or meson, then the build folder");
    r->tests = sn_xrealloc(r->tests, r->ntests + 1, sizeof *r->tests);
    struct sn_recipe_tests *t = &r->tests[r->ntests++];
    *t = (struct sn_recipe_tests){.kind = ctest ? SN_TESTS_CTEST : SN_TESTS_MESON,
                                  .folder = sn_xstrdup(in->words.v[2]),
                                  .line = in->line};
    sn_words_add_all(&t->chosen, in->words.v + 3);
    return 0;
}

/* "A..B", or "next N". *at moves past it. */
static int seeds(struct reader *in, struct sn_recipe_engine *e, size_t *at)
{
    const char *word = *at < in->words.n ? in->words.v[(*at)++] : "", *after;
    if (strcmp(word, "next") == 0) {
        const char *count = *at < in->words.n ? in->words.v[(*at)++] : "";
        e->next = true;
        e->first = 1;
        if (number(count, 1, MAX_SEEDS, &e->last, NULL))
            return bad(in, "'seeds next' takes a number of seeds, not '%s'", count);
        return 0;
    }
    if (number(word, 0, INT64_MAX / 2, &e->first, &after) || strncmp(after, "..", 2) != 0 ||
        number(after + 2, 0, INT64_MAX / 2, &e->last, NULL))
        return bad(in, "'seeds' takes a range such as 1..1000, not '%s'", word);
    if (e->last < e->first || e->last - e->first >= MAX_SEEDS)
        return bad(in, "the seeds %s are none, or too many", word);
    return 0;
}

/* What the campaign itself decides may not be among the options. */
static int check_option(struct reader *in, const char *word)
{
    static const char *const taken[] = {"--store",     "--no-store", "--seed",         "--json",
                                        "--sarif",     "--junit",    "--html",         "--runs",
                                        "--schedules", "--timeout",  "--suppressions", NULL};
    for (const char *const *t = taken; *t; t++) {
        size_t n = strlen(*t);
        if (strncmp(word, *t, n) == 0 && (!word[n] || word[n] == '='))
            return bad(in,
                       "%s is set by the campaign: see 'seeds', 'by', 'timeout', "
                       "'suppressions', 'store'",
                       *t);
    }
    return 0;
}

static int engine_options(struct reader *in, struct sn_recipe_engine *e, size_t at)
{
    int err = 0;
    if (at < in->words.n && strncmp(in->words.v[at], "--", 2) != 0)
        return bad(in, "'%s' is neither 'seeds', 'by' nor an option", in->words.v[at]);
    for (; !err && at < in->words.n; at++) {
        err = check_option(in, in->words.v[at]);
        sn_words_add(&e->options, in->words.v[at]);
    }
    return err;
}

static int engine_words(struct reader *in, struct sn_recipe_engine *e)
{
    size_t at = 2;
    bool by = false, range = false;
    while (at < in->words.n) {
        const char *word = in->words.v[at];
        if (strcmp(word, "seeds") == 0 && !range) {
            at++;
            range = true;
            if (seeds(in, e, &at))
                return -EINVAL;
        } else if (strcmp(word, "by") == 0 && !by) {
            by = true;
            if (at + 1 >= in->words.n || number(in->words.v[at + 1], 1, MAX_SEEDS, &e->by, NULL))
                return bad(in, "'by' takes how many seeds a unit gets");
            at += 2;
        } else {
            break;
        }
    }
    return engine_options(in, e, at);
}

static int engine(struct reader *in)
{
    struct sn_recipe *r = in->r;
    const char *what = in->words.n > 1 ? in->words.v[1] : "";
    if (!sn_recipe_knows_engine(what))
        return bad(in,
                   "no engine '%s': hunt, run, race, fuzz, predict, learn, expose, guard or check",
                   what);
    r->engine = sn_xrealloc(r->engine, r->nengines + 1, sizeof *r->engine);
    struct sn_recipe_engine *e = &r->engine[r->nengines++];
    *e = (struct sn_recipe_engine){
        .name = sn_xstrdup(what), .first = 1, .last = 1, .by = 1, .line = in->line};
    return engine_words(in, e);
}

static int retries(struct reader *in)
{
    if (in->words.n != 2 || number(in->words.v[1], 0, 1000, &in->r->retries, NULL))
        return bad(in, "'retries' takes a number up to 1000");
    return 0;
}

static int take_line(struct reader *in)
{
    struct sn_recipe *r = in->r;
    const char *key = in->words.v[0];
#define IS(word) (strcmp(key, word) == 0)
    return IS("name")           ? name(in)
           : IS("folder")       ? one_text(in, &r->folder)
           : IS("store")        ? one_text(in, &r->store)
           : IS("suppressions") ? one_text(in, &r->suppressions)
           : IS("program")      ? program(in)
           : IS("tests")        ? tests(in)
           : IS("engine")       ? engine(in)
           : IS("sources")      ? several(in, &r->sources)
           : IS("traces")       ? several(in, &r->traces)
           : IS("carry")        ? several(in, &r->carry)
           : IS("timeout")      ? duration(in, &r->timeout_s)
           : IS("budget")       ? duration(in, &r->budget_s)
           : IS("unit-time")    ? duration(in, &r->unit_time_s)
           : IS("retries")      ? retries(in)
                                : bad(in, "no keyword '%s'", key);
#undef IS
}

/* A comment begins with '#' at the start of a word, outside of quotes. */
static void cut_comment(char *line)
{
    char quote = 0;
    for (char *p = line; *p; p++) {
        if (*p == '\\' && quote != '\'' && p[1])
            p++;
        else if (quote)
            quote = *p == quote ? 0 : quote;
        else if (*p == '\'' || *p == '"')
            quote = *p;
        else if (*p == '#' && (p == line || p[-1] == ' ' || p[-1] == '\t')) {
            *p = 0;
            return;
        }
    }
}

static int read_line(struct reader *in, char *line)
{
    size_t n = strlen(line);
    if (n && line[n - 1] == '\r')
        line[n - 1] = 0;
    cut_comment(line);
    sn_words_free(&in->words);
    if (sn_words_split(&in->words, line))
        return bad(in, "a quote is not closed");
    return in->words.n ? take_line(in) : 0;
}

static int check_whole(struct reader *in)
{
    struct sn_recipe *r = in->r;
    if (!r->nengines)
        return bad(in, "no 'engine': what is to be run?");
    if (!r->nprograms && !r->ntests && !r->sources.n && !r->traces.n)
        return bad(in, "no 'program', 'tests', 'sources' or 'traces': on what?");
    for (size_t i = 0; i < r->nengines; i++) {
        struct sn_recipe_engine *e = &r->engine[i];
        bool check = strcmp(e->name, "check") == 0, predict = strcmp(e->name, "predict") == 0;
        in->line = e->line;
        if (check && !r->sources.n)
            return bad(in, "'engine check' has no 'sources'");
        if (!check && !r->nprograms && !r->ntests && !(predict && r->traces.n))
            return bad(in, "'engine %s' has neither 'program' nor 'tests'", e->name);
    }
    return 0;
}

int sn_recipe_parse(const char *text, size_t bytes, struct sn_recipe *out, char **why)
{
    struct reader in = {.r = out, .line = 1, .why = why};
    *out = (struct sn_recipe){.retries = -1};
    *why = NULL;
    int err = 0;
    if (bytes > MAX_BYTES)
        err = bad(&in, "more than a megabyte: this is no campaign file");
    else if (memchr(text, 0, bytes))
        err = bad(&in, "a zero byte: this is no text");
    char *copy = err ? NULL : sn_xstrndup(text, bytes), *rest = copy;
    in.line = 0;
    for (char *line; !err && (line = strsep(&rest, "\n"));) {
        in.line++;
        err = read_line(&in, line);
    }
    if (!err)
        err = check_whole(&in);
    free(copy);
    sn_words_free(&in.words);
    if (err)
        sn_recipe_clear(out);
    return err;
}

void sn_recipe_clear(struct sn_recipe *r)
{
    for (size_t i = 0; i < r->nprograms; i++)
        sn_words_free(&r->program[i].words);
    for (size_t i = 0; i < r->ntests; i++) {
        free(r->tests[i].folder);
        sn_words_free(&r->tests[i].chosen);
    }
    for (size_t i = 0; i < r->nengines; i++) {
        free(r->engine[i].name);
        sn_words_free(&r->engine[i].options);
    }
    free(r->name);
    free(r->folder);
    free(r->store);
    free(r->suppressions);
    free(r->program);
    free(r->tests);
    free(r->engine);
    sn_words_free(&r->sources);
    sn_words_free(&r->traces);
    sn_words_free(&r->carry);
    *r = (struct sn_recipe){.retries = -1};
}
