/* options.c: reading option tables, see options.h. */
#include "cmd/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/say.h"
#include "store/xalloc.h"

struct sn_common sn_common = {
    .store = ".snag",
    .seed = 1,
    .runs = 1,
    .exitcode = SN_EXIT_FOUND,
    .color = "auto",
};

const struct sn_option sn_common_options[] = {
    SN_OPTION_TEXT("json", &sn_common.json, "FILE", "report as JSON (- is stdout)"),
    SN_OPTION_TEXT("sarif", &sn_common.sarif, "FILE", "report as SARIF 2.1.0"),
    SN_OPTION_TEXT("junit", &sn_common.junit, "FILE", "report as JUnit XML"),
    SN_OPTION_TEXT("html", &sn_common.html, "FILE", "report as one HTML page"),
    SN_OPTION_TEXT("store", &sn_common.store, "DIR", "where findings are kept (.snag)"),
    {"no-store", SN_OPT_CLEAR, &sn_common.store, 0, "keep nothing", 0, 0},
    SN_OPTION_FLAG("stats", &sn_common.stats, "show the counters"),
    SN_OPTION_FLAG("quiet", &sn_common.quiet, "no text report"),
    SN_OPTION_CHOICE("color", &sn_common.color, "auto|always|never", "colours in the report"),
    SN_OPTION_NUMBER("exitcode", &sn_common.exitcode, 0, 255, "N", "status when found (66)"),
    SN_OPTION_TEXT("suppressions", &sn_common.suppressions, "FILE",
                   "what not to report, in ThreadSanitizer's syntax"),
    SN_OPTION_TEXT("baseline", &sn_common.baseline, "FILE", "what is known: only new findings count"),
    SN_OPTION_NUMBER("seed", &sn_common.seed, 0, INT64_MAX, "N", "of every random choice (1)"),
    SN_OPTION_NUMBER("runs", &sn_common.runs, 1, 1000000, "N", "run the program N times"),
    SN_OPTION_REAL("timeout", &sn_common.timeout_s, "SECONDS", "end the program after that"),
    SN_OPTION_NUMBER("jobs", &sn_common.jobs, 0, 4096, "N", "work at once (all processors)"),
    SN_OPTION_END,
};

static const struct sn_option *find_in(const struct sn_option *table, const char *name, size_t n)
{
    for (; table && table->name; table++)
        if (strlen(table->name) == n && strncmp(table->name, name, n) == 0)
            return table;
    return NULL;
}

static const struct sn_option *find(const struct sn_option *own, const char *name, size_t n)
{
    const struct sn_option *o = find_in(own, name, n);
    return o ? o : find_in(sn_common_options, name, n);
}

static bool known_to_some_command(const char *name, size_t n)
{
    for (const struct sn_command *c = sn_commands; c->name; c++)
        if (find_in(c->options, name, n))
            return true;
    return false;
}

static void nearest_in(const struct sn_option *table, const char *name, const char **best,
                       size_t *distance)
{
    for (; table && table->name; table++) {
        size_t d = sn_word_distance(name, table->name);
        if (d < *distance) {
            *distance = d;
            *best = table->name;
        }
    }
}

const char *sn_option_nearest(const struct sn_option *own, const char *name)
{
    const char *best = NULL;
    size_t distance = strlen(name) / 3 + 2; /* farther is no help */
    nearest_in(own, name, &best, &distance);
    nearest_in(sn_common_options, name, &best, &distance);
    return best;
}

static bool is_choice(const char *choices, const char *word)
{
    size_t n = strcspn(word, "|");
    if (n == 0 || word[n])
        return false;
    for (const char *p = choices; p; p = strchr(p, '|'), p = p ? p + 1 : NULL)
        if (strncmp(p, word, n) == 0 && (p[n] == '|' || p[n] == 0))
            return true;
    return false;
}

static int set_flag(const struct sn_option *o, const char *value, char **why)
{
    static const char yes[] = "1|yes|true|on", no[] = "0|no|false|off";
    if (value && !is_choice(yes, value) && !is_choice(no, value)) {
        *why = sn_xformat("%s is yes or no, not '%s'", o->name, value);
        return -EINVAL;
    }
    *(bool *)o->to = !value || is_choice(yes, value);
    return 0;
}

static int set_number(const struct sn_option *o, const char *value, char **why)
{
    char *end;
    errno = 0;
    int64_t n = strtoll(value, &end, 10);
    if (end != value && !*end && !errno && n >= o->min && n <= o->max) {
        *(int64_t *)o->to = n;
        return 0;
    }
    if (o->max == INT64_MAX)
        *why =
            sn_xformat("%s is a number from %lld on, not '%s'", o->name, (long long)o->min, value);
    else
        *why = sn_xformat("%s is a number from %lld to %lld, not '%s'", o->name, (long long)o->min,
                          (long long)o->max, value);
    return -EINVAL;
}

static int set_real(const struct sn_option *o, const char *value, char **why)
{
    char *end;
    double d = strtod(value, &end);
    if (end != value && !*end && d >= 0 && d < 1e9) {
        *(double *)o->to = d;
        return 0;
    }
    *why = sn_xformat("%s is a number from 0 on, not '%s'", o->name, value);
    return -EINVAL;
}

static int set(const struct sn_option *o, const char *value, char **why)
{
    if (o->type == SN_OPT_FLAG)
        return set_flag(o, value, why);
    if (o->type == SN_OPT_CLEAR) {
        bool on = true;
        const struct sn_option flag = {.name = o->name, .to = &on};
        int r = set_flag(&flag, value, why);
        if (r == 0 && on)
            *(const char **)o->to = NULL;
        return r;
    }
    if (!value || !*value) {
        *why = sn_xformat("%s needs a value: %s", o->name, o->value);
        return -EINVAL;
    }
    switch (o->type) {
    case SN_OPT_NUMBER:
        return set_number(o, value, why);
    case SN_OPT_REAL:
        return set_real(o, value, why);
    case SN_OPT_LIST:
        sn_words_add(o->to, value);
        return 0;
    case SN_OPT_CHOICE:
        if (!is_choice(o->value, value)) {
            *why = sn_xformat("%s is one of %s, not '%s'", o->name, o->value, value);
            return -EINVAL;
        }
        /* fall through */
    default:
        *(const char **)o->to = value;
        return 0;
    }
}

int sn_option_set(const struct sn_option *own, const char *setting, char **why)
{
    const char *equals = strchr(setting, '=');
    size_t n = equals ? (size_t)(equals - setting) : strlen(setting);
    const struct sn_option *o = find(own, setting, n);
    if (!o)
        return -ENOENT;
    return set(o, equals ? equals + 1 : NULL, why);
}

static int unknown(const char *command, const struct sn_option *own, const char *word)
{
    const char *dashless = word + strspn(word, "-");
    char *name = sn_xstrndup(dashless, strcspn(dashless, "="));
    const char *near = sn_option_nearest(own, name);
    free(name);
    if (near)
        return sn_fail("unknown option %s; did you mean %s%s? (snag help %s)", word,
                       near[1] ? "--" : "-", near, command);
    return sn_fail("unknown option %s (snag help %s lists them)", word, command);
}

static int bad_value(char *why, const char *where)
{
    int status = sn_fail("%s%s", where, why);
    free(why);
    return status;
}

static int read_environment(const char *command, const struct sn_option *own)
{
    static struct sn_words words; /* never freed: options point into it */
    const char *text = getenv("SNAG_OPTIONS");
    int status = 0;
    size_t i = words.n;
    if (text && sn_words_split(&words, text) < 0)
        status = sn_fail("SNAG_OPTIONS: a quote is not closed: %s", text);
    for (; i < words.n && !status; i++) {
        const char *name = words.v[i] + strspn(words.v[i], "-");
        char *why = NULL;
        int r = sn_option_set(own, name, &why);
        if (r == -EINVAL)
            status = bad_value(why, "SNAG_OPTIONS: ");
        else if (r == -ENOENT && !known_to_some_command(name, strcspn(name, "=")))
            status = unknown(command, own, words.v[i]);
    }
    return status;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1];
}

/* Reads the option at argv[*i] and moves *i past it. */
static int read_one(int argc, char **argv, const struct sn_option *own, int *i)
{
    char *word = argv[(*i)++], *why = NULL;
    bool is_long = word[1] == '-';
    const char *name = word + 1 + is_long;
    if (strcmp(name, "help") == 0 || strcmp(word, "-h") == 0) {
        sn_help_command(argv[0], false);
        exit(0);
    }
    const struct sn_option *o = find(own, name, strcspn(name, "="));
    if (!o || (o->name[1] != 0) != is_long)
        return unknown(argv[0], own, word);
    const char *value = strchr(name, '=');
    if (value)
        value++;
    else if (o->type != SN_OPT_FLAG && o->type != SN_OPT_CLEAR && *i < argc &&
             strncmp(argv[*i], "--", 2) != 0)
        value = argv[(*i)++];
    return set(o, value, &why) < 0 ? bad_value(why, is_long ? "--" : "-") : 0;
}

int sn_options_read(int argc, char **argv, const struct sn_option *own, int *first)
{
    int status = read_environment(argv[0], own), i = 1;
    while (!status && i < argc && is_option(argv[i])) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        status = read_one(argc, argv, own, &i);
    }
    *first = i;
    return status;
}

int sn_options_read_mixed(int argc, char **argv, const struct sn_option *own, struct sn_words *rest)
{
    int status = read_environment(argv[0], own);
    bool ended = false;
    for (int i = 1; !status && i < argc;) {
        if (!ended && strcmp(argv[i], "--") == 0) {
            ended = true;
            i++;
        } else if (!ended && is_option(argv[i])) {
            status = read_one(argc, argv, own, &i);
        } else {
            sn_words_add(rest, argv[i++]);
        }
    }
    return status;
}
