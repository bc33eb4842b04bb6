/*
 * cc.c: `snag cc` and `snag c++`, the user's compiler with instrumentation, for CC= and CXX= of any
 * build system. Its output and status are the compiler's; where a file comes out that can keep it,
 * the command line is kept there (cc_record.h), else it is replaced by the compiler (exec).
 */
#include "cmd/command.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/capture.h"
#include "cmd/cc_hot.h"
#include "cmd/cc_plan.h"
#include "cmd/cc_record.h"
#include "cmd/find_program.h"
#include "cmd/help.h"
#include "cmd/place.h"
#include "cmd/say.h"
#include "store/xalloc.h"

struct language {
    const char *command, *variable, *compiler;
};

static const struct language c = {"cc", "SNAG_CC", "cc"};
static const struct language cxx = {"c++", "SNAG_CXX", "c++"};

/* 1 and the kind when the file name says it: gcc-12, x86_64-linux-gnu-g++, clang++-22 … */
static bool kind_by_name(const char *path, enum sn_cc_kind *kind)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strstr(name, "clang"))
        *kind = SN_CC_CLANG;
    else if (strstr(name, "gcc") || strstr(name, "g++"))
        *kind = SN_CC_GCC;
    else
        return false;
    return true;
}

/* Most compilers that are called cc are links to something with a telling name. */
static bool kind_by_link(const char *word, enum sn_cc_kind *kind)
{
    char path[PATH_MAX], real[PATH_MAX];
    return sn_find_program(word, path, sizeof path) == 0 && realpath(path, real) &&
           kind_by_name(real, kind);
}

/* Asks the compiler itself. Only for names that say nothing: it costs a start of the compiler. */
static enum sn_cc_kind kind_by_macro(const struct sn_words *compiler)
{
    struct sn_words ask = {0};
    char *macros;
    sn_words_add_all(&ask, compiler->v);
    sn_words_split(&ask, "-dM -E -x c /dev/null");
    sn_capture(ask.v, false, &macros);
    enum sn_cc_kind kind = strstr(macros, "#define __clang__ ") ? SN_CC_CLANG : SN_CC_GCC;
    free(macros);
    sn_words_free(&ask);
    return kind;
}

/* Any word may tell: SNAG_CC may be "ccache clang -m64". */
static enum sn_cc_kind find_kind(const struct sn_words *compiler)
{
    enum sn_cc_kind kind;
    for (size_t i = 0; i < compiler->n; i++)
        if (compiler->v[i][0] != '-' && kind_by_name(compiler->v[i], &kind))
            return kind;
    for (size_t i = 0; i < compiler->n; i++)
        if (compiler->v[i][0] != '-' && kind_by_link(compiler->v[i], &kind))
            return kind;
    return kind_by_macro(compiler);
}

static int refuse(const struct language *l, const struct sn_cc_request *r)
{
    if (r->conflict[0])
        return sn_fail("-fsanitize=%s cannot be together with snag %s, which instruments as "
                       "-fsanitize=thread does: leave it out of this build",
                       r->conflict, l->command);
    if (r->links && r->is_static)
        return sn_fail("%s: a static program cannot be watched, the dynamic loader brings snag in: "
                       "link without %s",
                       r->static_word, r->static_word);
    return 0;
}

static int find_compiler(const struct language *l, struct sn_words *out)
{
    const char *text = getenv(l->variable);
    if (getenv("SNAG_CC_NESTED"))
        return sn_fail("%s='%s' leads back to snag %s: name the real compiler", l->variable,
                       text ? text : l->compiler, l->command);
    if (!text || !*text)
        text = l->compiler;
    if (sn_words_split(out, text) < 0 || out->n == 0)
        return sn_fail("%s='%s' is no command: a quote is not closed, or it is empty", l->variable,
                       text);
    return 0;
}

static int become(const struct language *l, struct sn_words *line)
{
    setenv("SNAG_CC_NESTED", "1", 1);
    execvp(line->v[0], line->v);
    int error = errno;
    sn_say("cannot run the compiler %s: %s; set %s to the compiler to use", line->v[0],
           strerror(error), l->variable);
    return error == ENOENT ? SN_EXIT_NOT_FOUND : SN_EXIT_CANNOT_EXEC;
}

/* The whole command line: the compiler, what snag adds, the user's arguments. */
static int make_line(const struct language *l, char **args, struct sn_words *line,
                     enum sn_cc_kind *kind)
{
    struct sn_cc_request request;
    sn_cc_read(args, &request);
    request.cxx |= l == &cxx;
    int status = refuse(l, &request);
    if (!status)
        status = find_compiler(l, line);
    if (status)
        return status;
    const char *lib = request.has_input ? sn_place_lib() : "";
    if (!lib)
        return SN_EXIT_FAILED;
    *kind = request.has_input ? find_kind(line) : SN_CC_GCC;
    sn_cc_extra(&request, *kind, lib, line);
    for (; *args; args++) {
        char *arg = sn_cc_argument(&request, *kind, *args);
        if (arg)
            sn_words_add(line, arg);
        free(arg);
    }
    return 0;
}

/* Null: no file comes out that could say how it was made. */
static char *recorded_output(const struct sn_cc_request *r, char **args)
{
    bool compiles = false;
    for (char **a = args; *a; a++)
        compiles |= strcmp(*a, "-c") == 0;
    if (!r->has_input || r->preprocess_only || (!r->links && !compiles))
        return NULL;
    return sn_cc_output(args, r->links);
}

/* As become(), and the file that comes out gets a record of it. */
static int compile(const struct language *l, char **args, struct sn_words *line)
{
    struct sn_cc_request request;
    sn_cc_read(args, &request);
    char *output = recorded_output(&request, args), *folder = output ? getcwd(NULL, 0) : NULL;
    if (!folder) {
        free(output);
        return become(l, line);
    }
    const char *compiler = getenv(l->variable);
    struct sn_cc_record r = {.links = request.links,
                             .is_cxx = l == &cxx,
                             .output = output,
                             .compiler = sn_xstrdup(compiler ? compiler : ""),
                             .folder = folder};
    sn_words_add_all(&r.args, args);
    pid_t child = fork();
    if (child == 0)
        _exit(become(l, line));
    int end = 0;
    while (child > 0 && waitpid(child, &end, 0) < 0 && errno == EINTR)
        ;
    if (child > 0 && WIFSIGNALED(end))
        raise(WTERMSIG(end));
    int status = child > 0 && WIFEXITED(end) ? WEXITSTATUS(end) : SN_EXIT_FAILED;
    if (!status)
        sn_cc_record_put(&r);
    sn_words_free(&r.args);
    free(r.compiler);
    free(folder);
    free(output);
    return status;
}

static int run(const struct language *l, char **args)
{
    struct sn_words line = {0};
    enum sn_cc_kind kind;
    int status = make_line(l, args, &line, &kind);
    if (!status)
        status = kind == SN_CC_GCC && sn_cc_hot_wanted(&line) ? sn_cc_hot(&line)
                                                              : compile(l, args, &line);
    sn_words_free(&line);
    return status;
}

int sn_cmd_cc(int argc, char **argv)
{
    (void)argc;
    return run(&c, argv + 1);
}

int sn_cmd_cxx(int argc, char **argv)
{
    (void)argc;
    return run(&cxx, argv + 1);
}

static void help(const struct language *l)
{
    char *usage = sn_xformat("snag %s ARGUMENTS…", l->command);
    char *words = sn_xformat(
        "Runs the compiler ($%s, default %s) with the instrumentation that snag needs: it adds\n"
        "-fsanitize=thread -g in front of the arguments, and links libsnag. gcc and clang.\n"
        "The program runs by itself as ever; snag race ./prog watches it.\n"
        "Not with -static, and not together with other sanitizers that watch memory.\n\n"
        "  make CC=\"snag cc\" CXX=\"snag c++\"\n"
        "  CC=\"snag cc\" CXX=\"snag c++\" cmake -B build   (also ./configure, meson setup)\n"
        "  SNAG_CC=clang-22 snag cc prog.c",
        l->variable, l->compiler);
    char *example =
        sn_xformat("snag %s -O2 -o prog prog.%s -pthread", l->command, l == &c ? "c" : "cc");
    sn_help_tell(&(struct sn_help){
        .usage = usage, .words = words, .example = example, .common = SN_COMMON_NONE});
    free(usage);
    free(words);
    free(example);
}

void sn_help_cc(void)
{
    help(&c);
}

void sn_help_cxx(void)
{
    help(&cxx);
}
