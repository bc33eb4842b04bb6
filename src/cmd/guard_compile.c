/*
 * guard_compile.c: see guard_compile.h. NOPs in place of calls cost little, but code that was
 * compiled around calls keeps nothing in registers and is not vectorised. So hot functions in which
 * nothing is guarded are compiled again, as the records in the program say (cc_record.h), and the
 * program is linked again with them.
 *
 * What has changed since must not come in unseen: every source, header, object and library that is
 * read must be older than the program.
 */
#include "cmd/guard_compile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cc_record.h"
#include "cmd/say.h"
#include "store/xalloc.h"

struct work {
    const char *program, *list, *folder;
    const struct sn_words *files;
    struct sn_cc_records records;
    struct stat built; /* the program */
    char **object;     /* by record: what takes the place of its output; null: nothing */
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- commands ---- */

static void show_log(const char *log)
{
    FILE *f = fopen(log, "re");
    char line[400];
    for (int i = 0; f && i < 5 && fgets(line, sizeof line, f); i++)
        sn_say("  %.*s", (int)strcspn(line, "\n"), line);
    if (f)
        fclose(f);
}

static void become(const struct sn_cc_record *r, const struct sn_words *line, const char *log)
{
    const char *variable = r->is_cxx ? "SNAG_CXX" : "SNAG_CC";
    int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0 || chdir(r->folder) < 0)
        _exit(127);
    if (*r->compiler)
        setenv(variable, r->compiler, 1);
    else
        unsetenv(variable);
    execv("/proc/self/exe", line->v);
    _exit(127);
}

/* `snag cc` with these arguments, as the record says. */
static bool run(struct work *w, const struct sn_cc_record *r, const struct sn_words *args)
{
    struct sn_words line = {0};
    char *log = sn_xformat("%s/log", w->folder);
    int status = -1;
    sn_words_add(&line, "snag");
    sn_words_add(&line, r->is_cxx ? "c++" : "cc");
    sn_words_add_all(&line, args->v);
    pid_t child = fork();
    if (child == 0)
        become(r, &line, log);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    bool ok = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!ok) {
        sn_say("the functions that are left out cannot be compiled anew in %s:", r->folder);
        show_log(log);
    }
    sn_words_free(&line);
    free(log);
    return ok;
}

/* ---- arguments ---- */

/* How many words of the line are about files that come out. */
static size_t about_output(const char *word)
{
    static const char *const valued[] = {"-o", "-MF", "-MT", "-MQ", "-MJ"};
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++)
        if (strcmp(word, valued[i]) == 0)
            return 2;
    return strncmp(word, "-M", 2) == 0 || (strncmp(word, "-o", 2) == 0 && !strchr(word, '='));
}

static char *in_folder(const char *folder, const char *path)
{
    return *path == '/' ? sn_xstrdup(path) : sn_xformat("%s/%s", folder, path);
}

static bool find(const char *folder, const char *path, struct stat *st)
{
    char *full = in_folder(folder, path);
    bool there = stat(full, st) == 0;
    free(full);
    return there;
}

/* The record whose output this file is, if it was compiled anew. */
static const char *new_object(const struct work *w, const char *folder, const char *word)
{
    struct stat st, there;
    if (*word == '-' || !find(folder, word, &st))
        return NULL;
    for (size_t i = 0; i < w->records.n; i++)
        if (w->object[i] && find(w->records.v[i].folder, w->records.v[i].output, &there) &&
            there.st_ino == st.st_ino && there.st_dev == st.st_dev)
            return w->object[i];
    return NULL;
}

/* The record's arguments without its outputs; object files give way to new ones. */
static struct sn_words arguments(const struct work *w, const struct sn_cc_record *r)
{
    struct sn_words out = {0};
    for (size_t i = 0; i < r->args.n; i++) {
        size_t skipped = about_output(r->args.v[i]);
        const char *instead = skipped ? NULL : new_object(w, r->folder, r->args.v[i]);
        if (!skipped)
            sn_words_add(&out, instead ? instead : r->args.v[i]);
        else
            i += skipped - 1;
    }
    return out;
}

static void add_output(struct sn_words *args, const char *path)
{
    sn_words_add(args, "-o");
    sn_words_add(args, path);
}

/* ---- what is as old as the program ---- */

static bool is_older(const struct work *w, const char *folder, const char *path)
{
    struct stat st;
    if (!find(folder, path, &st)) {
        sn_say("%s is not in %s any more: the functions that are left out stay as they are", path,
               folder);
        return false;
    }
    const struct timespec *a = &st.st_mtim, *b = &w->built.st_mtim;
    if (a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec <= b->tv_nsec))
        return true;
    sn_say("%s has changed since %s was linked: the functions that are left out stay as they are",
           path, w->program);
    return false;
}

/* The words of a rule for make, behind its colon. */
static bool all_older(const struct work *w, const char *folder, char *rule)
{
    char *colon = strstr(rule, ": "), *rest = NULL;
    for (char *p = strtok_r(colon ? colon + 2 : rule, " \n", &rest); p;
         p = strtok_r(NULL, " \n", &rest))
        if (strcmp(p, "\\") != 0 && !is_older(w, folder, p))
            return false;
    return true;
}

/* Every file that the compiler reads. */
static bool is_unchanged(struct work *w, const struct sn_cc_record *r)
{
    struct sn_words args = arguments(w, r);
    char *rules = sn_xformat("%s/rules", w->folder), *text = NULL;
    size_t cap = 0;
    sn_words_add(&args, "-M");
    sn_words_add(&args, "-MF");
    sn_words_add(&args, rules);
    bool ok = run(w, r, &args);
    FILE *f = ok ? fopen(rules, "re") : NULL;
    ok = f && getdelim(&text, &cap, 0, f) > 0 && all_older(w, r->folder, text);
    if (f)
        fclose(f);
    free(text);
    free(rules);
    sn_words_free(&args);
    return ok;
}

static bool inputs_are_unchanged(const struct work *w, const struct sn_cc_record *r)
{
    struct stat st;
    for (size_t i = 0; i < r->args.n; i++)
        if (r->args.v[i][0] != '-' && !new_object(w, r->folder, r->args.v[i]) &&
            (!i || about_output(r->args.v[i - 1]) != 2) && find(r->folder, r->args.v[i], &st) &&
            !is_older(w, r->folder, r->args.v[i]))
            return false;
    return true;
}

/* ---- steps ---- */

static bool has_hot(const struct work *w, const struct sn_cc_record *r)
{
    for (size_t i = 0; i < r->args.n; i++)
        for (size_t k = 0; sn_cc_is_source(r->args.v[i]) && k < w->files->n; k++)
            if (strcmp(base_name(r->args.v[i]), w->files->v[k]) == 0)
                return true;
    return false;
}

static bool compile(struct work *w, size_t i)
{
    const struct sn_cc_record *r = &w->records.v[i];
    if (!is_unchanged(w, r))
        return false;
    struct sn_words args = arguments(w, r);
    char *to = sn_xformat("%s/%zu.o", w->folder, i);
    char *list = sn_xformat("-fsanitize-ignorelist=%s", w->list);
    sn_words_add(&args, list);
    add_output(&args, to);
    bool ok = run(w, r, &args);
    if (ok)
        w->object[i] = to;
    else
        free(to);
    free(list);
    sn_words_free(&args);
    return ok;
}

/* Objects of archives come first: then nobody asks the archive for them. */
static void add_others(const struct work *w, const struct sn_words *args, struct sn_words *out)
{
    for (size_t i = 0; i < w->records.n; i++) {
        bool named = !w->object[i];
        for (size_t k = 0; k < args->n && !named; k++)
            named = strcmp(args->v[k], w->object[i]) == 0;
        if (!named)
            sn_words_add(out, w->object[i]);
    }
}

static char *link_again(struct work *w, const struct sn_cc_record *r)
{
    struct sn_words args = arguments(w, r), line = {0};
    char *to = sn_xformat("%s/%s", w->folder, base_name(w->program));
    char *list = sn_xformat("-fsanitize-ignorelist=%s", w->list);
    bool compiles = has_hot(w, r);
    bool ok = inputs_are_unchanged(w, r) && (!compiles || is_unchanged(w, r));
    add_others(w, &args, &line);
    sn_words_add_all(&line, args.v);
    if (compiles)
        sn_words_add(&line, list);
    add_output(&line, to);
    ok = ok && run(w, r, &line);
    free(list);
    sn_words_free(&args);
    sn_words_free(&line);
    if (ok)
        return to;
    free(to);
    return NULL;
}

/* The linker's record was added last. */
static const struct sn_cc_record *find_link(const struct work *w)
{
    for (size_t i = w->records.n; i-- > 0;)
        if (w->records.v[i].links)
            return &w->records.v[i];
    return NULL;
}

char *sn_guard_compile(const char *program, const char *list, const struct sn_words *files,
                       const char *folder)
{
    struct work w = {.program = program, .list = list, .folder = folder, .files = files};
    char *out = NULL;
    sn_cc_records_read(program, &w.records);
    w.object = sn_xcalloc(w.records.n, sizeof *w.object);
    const struct sn_cc_record *link = find_link(&w);
    bool ok = link && stat(program, &w.built) == 0, any = link && has_hot(&w, link);
    for (size_t i = 0; i < w.records.n && ok; i++)
        if (!w.records.v[i].links && has_hot(&w, &w.records.v[i])) {
            ok = compile(&w, i);
            any = true;
        }
    if (!link)
        sn_say("%s does not say how it was linked: the functions that are left out stay as they "
               "are",
               program);
    if (ok && any)
        out = link_again(&w, link);
    for (size_t i = 0; i < w.records.n; i++)
        free(w.object[i]);
    free(w.object);
    sn_cc_records_free(&w.records);
    return out;
}
