/*
 * test_list.c: the tests of a project, as its build knows them: `ctest --show-only=json-v1` and
 * `meson introspect --tests`. Each test is a module with its own folder and environment.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "campaign/folder.h"
#include "campaign/split.h"
#include "store/xalloc.h"

struct found {
    const char *folder; /* of the build; absolute */
    const struct sn_recipe_tests *t;
    void (*fn)(void *arg, const struct sn_module *m);
    void *arg;
};

/* To the end, so that the writer can end, too. */
static json_t *read_all(int fd)
{
    char *text, chunk[4096];
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    for (ssize_t n; (n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR);)
        fwrite(chunk, 1, n > 0 ? (size_t)n : 0, out);
    fclose(out);
    close(fd);
    json_t *j = json_loadb(text, bytes, 0, NULL);
    free(text);
    return j;
}

/* What the command prints, as JSON. */
static int ask(char *const *argv, const char *folder, json_t **out, char **why)
{
    int fds[2], status = 0;
    if (pipe(fds) < 0)
        return -errno;
    pid_t pid = fork();
    if (pid < 0)
        return -errno;
    if (pid == 0) {
        if (dup2(fds[1], STDOUT_FILENO) < 0 || chdir(folder) < 0)
            _exit(127);
        close(fds[0]);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(fds[1]);
    *out = read_all(fds[0]);
    waitpid(pid, &status, 0);
    if (*out && WIFEXITED(status) && !WEXITSTATUS(status))
        return 0;
    *why = sn_xformat("%s could not list the tests of %s (is it a build folder, and is %s "
                      "installed?)",
                      argv[0], folder, argv[0]);
    json_decref(*out);
    *out = NULL;
    return -ENOENT;
}

static void take_list(struct sn_words *to, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (word)
            sn_words_add(to, word);
    }
}

static void hand_out(const struct found *f, const char *name, const char *folder,
                     const struct sn_words *env, const struct sn_words *args)
{
    char *what = sn_xformat("test %s", name);
    f->fn(f->arg,
          &(struct sn_module){
              .what = what, .folder = folder ? folder : f->folder, .env = env, .args = args});
    free(what);
}

static const json_t *property(const json_t *test, const char *name)
{
    const json_t *all = json_object_get(test, "properties");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *one = json_array_get(all, i);
        const char *its = json_string_value(json_object_get(one, "name"));
        if (its && strcmp(its, name) == 0)
            return json_object_get(one, "value");
    }
    return NULL;
}

static void ctest_one(const struct found *f, const json_t *test)
{
    const char *name = json_string_value(json_object_get(test, "name"));
    const json_t *command = json_object_get(test, "command");
    struct sn_words args = {0}, env = {0};
    take_list(&args, command);
    take_list(&env, property(test, "ENVIRONMENT"));
    if (name && args.n && !json_is_true(property(test, "DISABLED")))
        hand_out(f, name, json_string_value(property(test, "WORKING_DIRECTORY")), &env, &args);
    sn_words_free(&args);
    sn_words_free(&env);
}

static int ctest(const struct found *f, char **why)
{
    struct sn_words argv = {0};
    json_t *all;
    sn_words_add(&argv, "ctest");
    sn_words_add(&argv, "--show-only=json-v1");
    sn_words_add_all(&argv, f->t->chosen.v);
    int err = ask(argv.v, f->folder, &all, why);
    if (!err) {
        const json_t *tests = json_object_get(all, "tests");
        for (size_t i = 0; i < json_array_size(tests); i++)
            ctest_one(f, json_array_get(tests, i));
        json_decref(all);
    }
    sn_words_free(&argv);
    return err;
}

/* Suites are "project:suite"; either part may be chosen. */
static bool is_chosen(const struct sn_words *chosen, const json_t *suites)
{
    for (size_t i = 0; i < json_array_size(suites); i++) {
        const char *suite = json_string_value(json_array_get(suites, i));
        const char *colon = suite ? strchr(suite, ':') : NULL;
        for (size_t c = 0; suite && c < chosen->n; c++)
            if (strcmp(suite, chosen->v[c]) == 0 || (colon && strcmp(colon + 1, chosen->v[c]) == 0))
                return true;
    }
    return !chosen->n;
}

static void meson_one(const struct found *f, const json_t *test)
{
    const char *name = json_string_value(json_object_get(test, "name")), *key;
    struct sn_words args = {0}, env = {0};
    json_t *value;
    take_list(&args, json_object_get(test, "cmd"));
    json_object_foreach(json_object_get(test, "env"), key, value)
    {
        char *line =
            sn_xformat("%s=%s", key, json_is_string(value) ? json_string_value(value) : "");
        sn_words_add(&env, line);
        free(line);
    }
    if (name && args.n && is_chosen(&f->t->chosen, json_object_get(test, "suite")))
        hand_out(f, name, json_string_value(json_object_get(test, "workdir")), &env, &args);
    sn_words_free(&args);
    sn_words_free(&env);
}

static int meson(const struct found *f, char **why)
{
    char *argv[] = {"meson", "introspect", "--tests", (char *)f->folder, NULL};
    json_t *all;
    int err = ask(argv, f->folder, &all, why);
    for (size_t i = 0; !err && i < json_array_size(all); i++)
        meson_one(f, json_array_get(all, i));
    if (!err)
        json_decref(all);
    return err;
}

int sn_test_list(const struct sn_recipe_tests *t, const char *folder,
                 void (*fn)(void *arg, const struct sn_module *m), void *arg, char **why)
{
    char *below = sn_path_below(folder, t->folder), *build = sn_path_real(below);
    struct found f = {.folder = build, .t = t, .fn = fn, .arg = arg};
    int err = t->kind == SN_TESTS_CTEST ? ctest(&f, why) : meson(&f, why);
    free(build);
    free(below);
    return err;
}
