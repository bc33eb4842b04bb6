/*
 * cc_hot.c: gcc compiles the functions of a list without instrumentation, as clang does with
 * -fsanitize-ignorelist. Each C file is preprocessed with its macros left as they are, so that
 * lines and columns stay what they were; the attribute is put in front of the definitions; the
 * result is compiled in place of the file.
 */
#include "cmd/cc_hot.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/say.h"
#include "store/scratch.h"
#include "store/xalloc.h"

static const char option[] = "-fsanitize-ignorelist=";
extern char **environ;

bool sn_cc_hot_wanted(const struct sn_words *line)
{
    for (size_t i = 0; i < line->n; i++)
        if (strncmp(line->v[i], option, sizeof option - 1) == 0)
            return true;
    return false;
}

/* ---- the text ---- */

struct scan {
    const char *at, *start, *name; /* of the declaration; name: last word before '(' */
    size_t name_bytes;
    int braces, parens;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind what means nothing here: comments, strings, directives. The same place: it is none. */
static const char *skip(const char *p, bool line_begins)
{
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    if (p[0] == '/' && p[1] == '/')
        return p + strcspn(p, "\n");
    if (*p == '#' && line_begins) {
        while (*p && *p != '\n')
            p += *p == '\\' && p[1] ? 2 : 1;
        return p;
    }
    if (*p != '"' && *p != '\'')
        return p;
    char quote = *p++;
    while (*p && *p != quote)
        p += *p == '\\' && p[1] ? 2 : 1;
    return *p ? p + 1 : p;
}

static void read_word(struct scan *s)
{
    const char *word = s->at;
    while (is_word(*s->at))
        s->at++;
    size_t bytes = (size_t)(s->at - word);
    const char *next = s->at + strspn(s->at, " \t\n");
    if (s->braces || s->parens || *next != '(' || strncmp(word, "__attribute", 11) == 0)
        return;
    s->name = word;
    s->name_bytes = bytes;
}

static bool is_listed(const struct scan *s, const struct sn_words *names)
{
    char *name = s->name ? sn_xstrndup(s->name, s->name_bytes) : NULL;
    bool found = false;
    for (size_t i = 0; name && i < names->n && !found; i++)
        found = fnmatch(names->v[i], name, 0) == 0;
    free(name);
    return found;
}

static void forget(struct scan *s)
{
    s->start = s->name = NULL;
}

/* True: a definition that is listed begins at s->start. */
static bool read_sign(struct scan *s, const struct sn_words *names)
{
    char c = *s->at++;
    bool hot = false;
    s->parens += (c == '(') - (c == ')');
    if (c == '{' && !s->braces++ && !s->parens)
        hot = is_listed(s, names);
    if ((c == '}' && s->braces && !--s->braces) || (c == ';' && !s->braces && !s->parens))
        forget(s);
    return hot;
}

char *sn_cc_hot_text(const char *text, const struct sn_words *names)
{
    struct scan s = {.at = text};
    const char *copied = text;
    char *out = NULL;
    size_t bytes;
    bool line_begins = true;
    FILE *f = sn_xcheck(open_memstream(&out, &bytes));
    while (*s.at) {
        const char *next = skip(s.at, line_begins);
        line_begins = *s.at == '\n' || (line_begins && isspace((unsigned char)*s.at));
        if (next != s.at) {
            s.at = next;
            continue;
        }
        if (!s.start && !isspace((unsigned char)*s.at) && *s.at != '}')
            s.start = s.at;
        if (is_word(*s.at)) {
            read_word(&s);
            continue;
        }
        const char *start = s.start;
        if (read_sign(&s, names) && start) {
            fwrite(copied, 1, (size_t)(start - copied), f);
            fputs("__attribute__((no_sanitize(\"thread\"))) ", f);
            copied = start;
        }
    }
    fputs(copied, f);
    fclose(f);
    return out;
}

/* ---- the list ---- */

static char *read_text(const char *path)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = fopen(path, "re");
    if (!f)
        return NULL;
    if (getdelim(&text, &bytes, '\0', f) < 0 && !text)
        text = sn_xstrdup("");
    fclose(f);
    return text;
}

/* Lines "fun:NAME" of the part [thread], or of a list without parts. */
static int read_list(const char *path, struct sn_words *names)
{
    char *text = read_text(path), *rest = text, *line;
    bool ours = true;
    if (!text)
        return sn_fail("%s cannot be read: %s", path, strerror(errno));
    while ((line = strsep(&rest, "\n"))) {
        if (*line == '[')
            ours = strstr(line, "thread") || strstr(line, "[*");
        else if (ours && strncmp(line, "fun:", 4) == 0)
            sn_words_add(names, line + 4);
    }
    free(text);
    return 0;
}

/* ---- the compiler ---- */

static bool ends(const char *word, const char *with)
{
    size_t n = strlen(word), m = strlen(with);
    return *word != '-' && n > m && strcmp(word + n - m, with) == 0;
}

static int run_compiler(const struct sn_words *line)
{
    pid_t child;
    int status;
    if (posix_spawnp(&child, line->v[0], NULL, NULL, line->v, environ) != 0)
        return sn_fail("cannot run the compiler %s", line->v[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool has_value(const char *word)
{
    static const char *const words[] = {"-o", "-MF", "-MT", "-MQ"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

/* The line for the preprocessor: one file, no output but ours. Dependencies are written here. */
static void plan_first(const struct sn_words *line, const char *file, const char *to,
                       struct sn_words *out)
{
    for (size_t i = 0; i < line->n; i++) {
        const char *w = line->v[i];
        bool other = (ends(w, ".c") && strcmp(w, file) != 0) || ends(w, ".o") || ends(w, ".a") ||
                     ends(w, ".so");
        if (strcmp(w, "-o") == 0)
            i++;
        else if (!other && strcmp(w, "-c") != 0 && strcmp(w, "-S") != 0 &&
                 strncmp(w, option, sizeof option - 1) != 0)
            sn_words_add(out, w);
    }
    sn_words_add(out, "-E");
    sn_words_add(out, "-fdirectives-only");
    sn_words_add(out, "-o");
    sn_words_add(out, to);
}

static int make_file(const struct sn_words *line, const char *file, const char *to,
                     const struct sn_words *names)
{
    struct sn_words first = {0};
    plan_first(line, file, to, &first);
    int status = run_compiler(&first);
    sn_words_free(&first);
    char *text = status ? NULL : read_text(to), *changed;
    if (!text)
        return status ? status : sn_fail("%s cannot be read", to);
    changed = sn_cc_hot_text(text, names);
    FILE *f = fopen(to, "we");
    if (!f || fputs(changed, f) < 0)
        status = sn_fail("%s cannot be written", to);
    if (f && fclose(f) != 0)
        status = SN_EXIT_FAILED;
    free(text);
    free(changed);
    return status;
}

static char *new_name(const char *folder, const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    return sn_xformat("%s/%.*si", folder, (int)strlen(base) - 1, base);
}

/* The line that compiles: new files in place of the old ones. */
static int plan_second(const struct sn_words *line, const char *folder, struct sn_words *names,
                       struct sn_words *out)
{
    int status = 0;
    for (size_t i = 0; i < line->n && !status; i++) {
        const char *w = line->v[i];
        if (strncmp(w, option, sizeof option - 1) == 0 || strncmp(w, "-M", 2) == 0) {
            i += has_value(w);
        } else if (ends(w, ".c")) {
            char *to = new_name(folder, w);
            status = make_file(line, w, to, names);
            sn_words_add(out, to);
            free(to);
        } else {
            sn_words_add(out, w);
        }
    }
    sn_words_add(out, "-fpreprocessed");
    sn_words_add(out, "-fdirectives-only");
    return status;
}

int sn_cc_hot(const struct sn_words *line)
{
    struct sn_words names = {0}, second = {0};
    char *folder = sn_scratch_make("snag-hot");
    int status = folder ? 0 : sn_fail("no temporary folder: %s", strerror(errno));
    for (size_t i = 0; i < line->n && !status; i++) {
        if (strncmp(line->v[i], option, sizeof option - 1) == 0)
            status = read_list(line->v[i] + sizeof option - 1, &names);
        if (ends(line->v[i], ".cc") || ends(line->v[i], ".cpp") || ends(line->v[i], ".cxx"))
            status = sn_fail("%s works with clang++, or with C: gcc has no such option", option);
    }
    setenv("SNAG_CC_NESTED", "1", 1);
    if (!status)
        status = plan_second(line, folder, &names, &second);
    if (!status)
        status = run_compiler(&second);
    if (folder)
        sn_scratch_remove(folder);
    free(folder);
    sn_words_free(&names);
    sn_words_free(&second);
    return status;
}
