/*
 * database.c: compile_commands.json. Every entry is one unit; of its command only the flags are kept.
 */
#include <errno.h>
#include <jansson.h>
#include <limits.h>

#include "check/clang.h"
#include "store/xalloc.h"

/* Options that name an output, dependencies or the mode, with what follows them. */
static bool is_dropped(const char *w, bool *takes_next)
{
    static const char *const with_next[] = {"-o", "-MF", "-MT", "-MQ", "-dumpbase", "--param"};
    static const char *const alone[] = {"-c", "-S", "-E", "-M", "-MM", "-MD", "-MMD", "-MP", "-MG", "-pipe"};
    *takes_next = false;
    for (size_t k = 0; k < sizeof with_next / sizeof *with_next; k++) {
        if (strcmp(w, with_next[k]) == 0) {
            *takes_next = true;
            return true;
        }
    }
    for (size_t k = 0; k < sizeof alone / sizeof *alone; k++)
        if (strcmp(w, alone[k]) == 0)
            return true;
    return strncmp(w, "-o", 2) == 0 || strncmp(w, "-flto", 5) == 0 || strncmp(w, "-fsanitize", 10) == 0 ||
           strncmp(w, "-W", 2) == 0 || strncmp(w, "-O", 2) == 0 || strncmp(w, "-fplugin", 8) == 0;
}

static char *absolute(const char *dir, const char *file)
{
    return file[0] == '/' || dir == NULL ? sn_xstrdup(file) : sn_xformat("%s/%s", dir, file);
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), k = strlen(end);
    return n > k && strcmp(s + n - k, end) == 0;
}

/* Another file of a command that compiles or links several. `before` is the word before it. */
static bool is_other_input(const char *w, const char *before)
{
    static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".i", ".o", ".a", ".so"};
    static const char *const takes[] = {"-include", "-imacros", "-I", "-isystem", "-iquote", "-idirafter", "-D", "-U"};
    for (size_t k = 0; k < sizeof takes / sizeof *takes; k++)
        if (strcmp(before, takes[k]) == 0)
            return false;
    for (size_t k = 0; w[0] != '-' && k < sizeof endings / sizeof *endings; k++)
        if (ends_with(w, endings[k]))
            return true;
    return false;
}

static void take_command(struct sn_source *u, const struct sn_words *w)
{
    for (size_t k = 1; k < w->n; k++) {
        bool takes_next;
        char *full = absolute(u->directory, w->v[k]);
        bool input = strcmp(full, u->file) == 0;
        free(full);
        if (input || is_other_input(w->v[k], w->v[k - 1]))
            continue;
        if (!is_dropped(w->v[k], &takes_next)) {
            sn_words_add(&u->flags, w->v[k]);
            continue;
        }
        if (strcmp(w->v[k], "-o") == 0 && k + 1 < w->n && u->output == NULL)
            u->output = absolute(u->directory, w->v[k + 1]);
        k += takes_next;
    }
}

static void take_arguments(struct sn_words *w, const json_t *list)
{
    size_t i;
    json_t *word;
    json_array_foreach(list, i, word)
        if (json_is_string(word))
            sn_words_add(w, json_string_value(word));
}

static bool known_file(const struct sn_sources *all, const char *file)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->u[i].file, file) == 0)
            return true;
    return false;
}

static bool is_c(const char *file)
{
    static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".i"};
    const char *dot = strrchr(file, '.');
    for (size_t k = 0; dot != NULL && k < sizeof endings / sizeof *endings; k++)
        if (strcmp(dot, endings[k]) == 0)
            return true;
    return false;
}

static void take_entry(struct sn_sources *out, const json_t *e)
{
    const char *dir = json_string_value(json_object_get(e, "directory"));
    const char *file = json_string_value(json_object_get(e, "file"));
    const char *command = json_string_value(json_object_get(e, "command"));
    const char *output = json_string_value(json_object_get(e, "output"));
    if (file == NULL || !is_c(file))
        return;
    char *path = absolute(dir, file);
    if (known_file(out, path)) { /* built twice, for two libraries say: once is enough */
        free(path);
        return;
    }
    struct sn_source *u = sn_sources_add(out);
    u->file = path;
    u->directory = sn_xstrdup(dir);
    u->output = output ? absolute(dir, output) : NULL;
    struct sn_words w = {0};
    if (command != NULL)
        sn_words_split(&w, command);
    else
        take_arguments(&w, json_object_get(e, "arguments"));
    take_command(u, &w);
    sn_words_free(&w);
}

int sn_sources_from_database(const char *dir, struct sn_sources *out, char **why)
{
    char *path = sn_xformat("%s/compile_commands.json", dir);
    json_error_t error;
    json_t *all = json_load_file(path, 0, &error);
    int r = 0;
    if (all == NULL) {
        *why = error.line < 0 ? sn_xformat("%s cannot be read (cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON or bear make "
                                           "writes it)", path)
                              : sn_xformat("%s:%d: %s", path, error.line, error.text);
        r = -ENOENT;
    } else if (!json_is_array(all)) {
        *why = sn_xformat("%s is no list of commands", path);
        r = -EINVAL;
    }
    size_t i;
    json_t *e;
    if (r == 0)
        json_array_foreach(all, i, e)
            take_entry(out, e);
    json_decref(all);
    free(path);
    return r;
}
