/*
 * suppress.c: everything that hides a finding is in this file, so that it can be audited: the
 * entries of the user's suppression file, and nothing else. There is no built-in list.
 *
 * Which entry is for which finding, by ThreadSanitizer's meaning:
 *   race             races and other conflicts: any frame of either side, or the global's name
 *   race_top         the same, but only the innermost frame of either side
 *   deadlock         deadlocks and lock orders: any frame, of what is taken and of what is held
 *   mutex            misuse: any frame
 *   thread, signal   misuse whose words speak of threads, of signals: any frame
 *   called_from_lib  races and other conflicts with a side whose innermost frame is in that library
 */
#include "store/suppress.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "store/xalloc.h"

enum type { RACE, RACE_TOP, DEADLOCK, MUTEX, THREAD, SIGNAL, CALLED_FROM_LIB, TYPES };

static const char *const type_names[TYPES] = {
    [RACE] = "race",
    [RACE_TOP] = "race_top",
    [DEADLOCK] = "deadlock",
    [MUTEX] = "mutex",
    [THREAD] = "thread",
    [SIGNAL] = "signal",
    [CALLED_FROM_LIB] = "called_from_lib",
};

struct entry {
    enum type type;
    char *pattern;
    char *text; /* as it stands in the file */
    int line;
    size_t hits;
};

struct sn_suppressions {
    struct entry *entry;
    size_t n, cap;
};

/* ---- patterns ---- */

static const char *find_part(const char *text, const char *part, size_t n)
{
    return memmem(text, strlen(text), part, n);
}

/* Literal parts between stars are looked for one after the other; the first may be tied to the
 * beginning, the last to the end. Taking each at its first place loses nothing. */
bool sn_suppress_match(const char *pattern, const char *text)
{
    bool tied = *pattern == '^';
    pattern += tied;
    for (;;) {
        size_t n = strcspn(pattern, "*$");
        bool at_end = pattern[n] == '$';
        size_t left = strlen(text);
        if (at_end) {
            if (n > left || memcmp(text + left - n, pattern, n))
                return false;
            return !tied || n == left;
        }
        const char *at =
            tied ? (strncmp(text, pattern, n) ? NULL : text) : find_part(text, pattern, n);
        if (!at)
            return false;
        if (!pattern[n])
            return true;
        text = at + n;
        pattern += n + 1;
        tied = false;
    }
}

static bool matches(const char *pattern, const char *text)
{
    return text && sn_suppress_match(pattern, text);
}

static bool frame_matches(const char *pattern, const struct sn_frame *f)
{
    return matches(pattern, f->function) || matches(pattern, f->file) ||
           matches(pattern, f->module);
}

static bool stack_matches(const char *pattern, const struct sn_stack *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (frame_matches(pattern, &s->frame[i]))
            return true;
    }
    return false;
}

/* ---- findings ---- */

static bool is_conflict(const struct sn_finding *f)
{
    return f->kind == SN_KIND_DATA_RACE || f->kind == SN_KIND_THREAD_SAFETY ||
           f->kind == SN_KIND_ORDER || f->kind == SN_KIND_ATOMICITY;
}

static bool any_stack(const char *pattern, const struct sn_finding *f)
{
    for (size_t i = 0; i < f->nsites; i++) {
        if (stack_matches(pattern, &f->sites[i].stack))
            return true;
    }
    return false;
}

static bool any_top(const char *pattern, const struct sn_finding *f)
{
    for (size_t i = 0; i < f->nsites; i++) {
        if (f->sites[i].stack.n && frame_matches(pattern, &f->sites[i].stack.frame[0]))
            return true;
    }
    return false;
}

static bool global_matches(const char *pattern, const struct sn_finding *f)
{
    return f->object.kind == SN_OBJ_GLOBAL && matches(pattern, f->object.name);
}

static bool any_held(const char *pattern, const struct sn_finding *f)
{
    for (size_t i = 0; i < f->nsites; i++) {
        for (size_t k = 0; k < f->sites[i].nlocks; k++) {
            if (stack_matches(pattern, &f->sites[i].locks[k].taken))
                return true;
        }
    }
    return false;
}

static bool any_top_module(const char *pattern, const struct sn_finding *f)
{
    for (size_t i = 0; i < f->nsites; i++) {
        if (f->sites[i].stack.n && matches(pattern, f->sites[i].stack.frame[0].module))
            return true;
    }
    return false;
}

static bool misuse_of(const struct sn_finding *f, const char *word)
{
    return f->kind == SN_KIND_MISUSE && f->text && strcasestr(f->text, word);
}

static bool hides(const struct entry *e, const struct sn_finding *f)
{
    const char *p = e->pattern;
    switch (e->type) {
    case RACE:
        return is_conflict(f) && (any_stack(p, f) || global_matches(p, f));
    case RACE_TOP:
        return is_conflict(f) && any_top(p, f);
    case DEADLOCK:
        return (f->kind == SN_KIND_DEADLOCK || f->kind == SN_KIND_LOCK_ORDER) &&
               (any_stack(p, f) || any_held(p, f));
    case MUTEX:
        return f->kind == SN_KIND_MISUSE && any_stack(p, f);
    case THREAD:
        return misuse_of(f, "thread") && any_stack(p, f);
    case SIGNAL:
        return misuse_of(f, "signal") && any_stack(p, f);
    case CALLED_FROM_LIB:
        return is_conflict(f) && any_top_module(p, f);
    default:
        return false;
    }
}

static bool is_hidden(struct sn_suppressions *s, const struct sn_finding *f)
{
    for (size_t i = 0; i < s->n; i++) {
        if (hides(&s->entry[i], f)) {
            s->entry[i].hits++;
            return true;
        }
    }
    return false;
}

size_t sn_suppress_apply(struct sn_suppressions *s, struct sn_findings *fs)
{
    size_t kept = 0, n = fs->n;
    for (size_t i = 0; i < n; i++) {
        if (is_hidden(s, &fs->f[i]))
            sn_finding_clear(&fs->f[i]);
        else
            fs->f[kept++] = fs->f[i];
    }
    fs->n = kept;
    return n - kept;
}

void sn_suppress_unused(const struct sn_suppressions *s,
                        void (*fn)(void *arg, int line, const char *entry), void *arg)
{
    for (size_t i = 0; i < s->n; i++) {
        if (!s->entry[i].hits)
            fn(arg, s->entry[i].line, s->entry[i].text);
    }
}

/* ---- the file ---- */

static char *trim(char *line)
{
    size_t n = strlen(line);
    while (n && isspace((unsigned char)line[n - 1]))
        line[--n] = '\0';
    while (isspace((unsigned char)*line))
        line++;
    return line;
}

/* 0, or words for what is wrong with the line. */
static const char *parse(struct sn_suppressions *s, char *line, int number)
{
    char *text = trim(line);
    if (!*text || *text == '#')
        return NULL;
    char *colon = strchr(text, ':');
    if (!colon)
        return "it has no colon; an entry looks like race:function";
    int type = 0;
    while (type < TYPES && (strlen(type_names[type]) != (size_t)(colon - text) ||
                            strncmp(type_names[type], text, (size_t)(colon - text))))
        type++;
    if (type == TYPES)
        return "its type is none of race, race_top, deadlock, mutex, thread, signal, "
               "called_from_lib";
    char *pattern = trim(colon + 1);
    if (!*pattern)
        return "its pattern is empty";
    s->entry = sn_xgrow(s->entry, s->n, &s->cap, sizeof *s->entry);
    s->entry[s->n++] = (struct entry){.type = (enum type)type,
                                      .pattern = sn_xstrdup(pattern),
                                      .text = sn_xstrdup(text),
                                      .line = number};
    return NULL;
}

static int read_lines(FILE *in, const char *file, struct sn_suppressions *s, char **why)
{
    char *line = NULL;
    const char *wrong = NULL;
    size_t cap = 0;
    int number = 0;
    while (!wrong && getline(&line, &cap, in) >= 0)
        wrong = parse(s, line, ++number);
    int err = ferror(in) ? -errno : 0;
    free(line);
    if (wrong) {
        *why = sn_xformat("%s, line %d: %s", file, number, wrong);
        return -EINVAL;
    }
    if (err)
        *why = sn_xformat("cannot read the suppressions %s: %s", file, strerror(-err));
    return err;
}

int sn_suppress_load(const char *file, struct sn_suppressions **out, char **why)
{
    FILE *in = fopen(file, "re");
    if (!in) {
        int err = -errno;
        *why = sn_xformat("cannot read the suppressions %s: %s", file, strerror(-err));
        return err;
    }
    struct sn_suppressions *s = sn_xcalloc(1, sizeof *s);
    int err = read_lines(in, file, s, why);
    fclose(in);
    if (err)
        sn_suppress_free(s);
    else
        *out = s;
    return err;
}

void sn_suppress_free(struct sn_suppressions *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++) {
        free(s->entry[i].pattern);
        free(s->entry[i].text);
    }
    free(s->entry);
    free(s);
}
