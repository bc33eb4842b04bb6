/*
 * cc_plan.c: reading a compiler's command line, see cc_plan.h.
 *
 * gcc links its sanitizer library by -ltsan, early on the line; with -L LIB/gcc in front it finds
 * libsnag under that name. Clang would link its own static runtime into the program:
 * -fno-sanitize-link-runtime keeps it out, and libsnag is named to the linker. That keeps out all
 * sanitizers' runtimes; when another one is wanted, only clang's inner compiler (-Xclang) is told
 * of thread, and the driver links what the other needs. -Xlinker instead of -Wl, because a folder's
 * name may have a comma.
 */
#include "cmd/cc_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/xalloc.h"

/* Options whose value may be the next word, which is then no input file. */
static const char *const with_value[] = {"-o",
                                         "-x",
                                         "-I",
                                         "-D",
                                         "-U",
                                         "-L",
                                         "-l",
                                         "-T",
                                         "-u",
                                         "-z",
                                         "-e",
                                         "-A",
                                         "-B",
                                         "-F",
                                         "-include",
                                         "-imacros",
                                         "-isystem",
                                         "-iquote",
                                         "-idirafter",
                                         "-iprefix",
                                         "-isysroot",
                                         "-imultilib",
                                         "-iwithprefix",
                                         "-MF",
                                         "-MT",
                                         "-MQ",
                                         "-MJ",
                                         "-Xlinker",
                                         "-Xassembler",
                                         "-Xpreprocessor",
                                         "-Xclang",
                                         "-aux-info",
                                         "--param",
                                         "-dumpbase",
                                         "-dumpbase-ext",
                                         "-dumpdir",
                                         "-arch",
                                         "-target",
                                         "-mllvm",
                                         "-wrapper",
                                         "-rpath",
                                         "-include-pch",
                                         "--sysroot",
                                         "-iwithprefixbefore",
                                         "-Xanalyzer",
                                         "-fplugin-arg",
                                         "--serialize-diagnostics",
                                         "-gcc-toolchain",
                                         NULL};

/* Sanitizers that the compilers refuse together with thread. */
static const char *const rivals[] = {"address",          "kernel-address", "hwaddress",
                                     "kernel-hwaddress", "leak",           "memory",
                                     "kernel-memory",    "memtag",         NULL};

#define MAX_RESPONSE_DEPTH 16 /* response files may name each other in a circle */

struct reading {
    struct sn_cc_request *r;
    bool compiles_only;    /* -c, -S, -fsyntax-only … */
    bool has_linkable;     /* an input that is not a header */
    bool thread_off;       /* the user's -fno-sanitize=thread came last */
    unsigned rivals_on;    /* bit per entry of rivals[] */
    bool header_language;  /* -x c-header, -x c++-header */
    bool skip_next;        /* the next word is a value … */
    bool next_is_language; /* … of -x */
};

static bool in_list(const char *const *list, const char *word)
{
    for (; *list; list++)
        if (strcmp(*list, word) == 0)
            return true;
    return false;
}

static bool starts(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

static void read_sanitizer(struct reading *in, const char *name, size_t n, bool on)
{
    bool all = n == 3 && strncmp(name, "all", n) == 0;
    bool thread = n == 6 && strncmp(name, "thread", n) == 0;
    if (thread || all)
        in->thread_off = !on;
    if (on && !thread)
        in->r->others = true;
    for (unsigned i = 0; rivals[i]; i++) {
        if (!all && (strlen(rivals[i]) != n || strncmp(rivals[i], name, n) != 0))
            continue;
        in->rivals_on = on ? in->rivals_on | 1u << i : in->rivals_on & ~(1u << i);
    }
}

static void read_sanitizers(struct reading *in, const char *list, bool on)
{
    while (*list) {
        size_t n = strcspn(list, ",");
        read_sanitizer(in, list, n, on);
        list += n + (list[n] == ',');
    }
}

static bool ends(const char *word, const char *with)
{
    size_t n = strlen(word), m = strlen(with);
    return n >= m && strcmp(word + n - m, with) == 0;
}

static bool ends_in(const char *const *list, const char *word)
{
    while (*list && !ends(word, *list))
        list++;
    return *list != NULL;
}

static void read_language(struct reading *in, const char *language)
{
    in->header_language = ends(language, "-header");
    in->r->cxx |= starts(language, "c++");
}

/* A header alone is precompiled: there is nothing to link. */
static void read_input(struct reading *in, const char *name)
{
    static const char *const cxx_headers[] = {".hh",  ".H",   ".hp",  ".hxx", ".hpp",
                                              ".HPP", ".h++", ".tcc", NULL};
    static const char *const cxx[] = {".cc",  ".cp", ".cxx", ".cpp", ".CPP",
                                      ".c++", ".C",  ".ii",  NULL};
    bool is_cxx_header = ends_in(cxx_headers, name);
    bool is_header = in->header_language || is_cxx_header || ends(name, ".h");
    in->r->has_input = true;
    in->r->cxx |= is_cxx_header || ends_in(cxx, name);
    in->has_linkable |= !is_header;
}

static void read_flag(struct reading *in, const char *word)
{
    struct sn_cc_request *r = in->r;
    static const char *const only[] = {
        "-c", "-S", "-fsyntax-only", "--precompile", "--analyze", "-emit-ast", NULL};
    static const char *const preprocess[] = {"-E", "-M", "-MM", NULL};
    static const char *const no_lib[] = {"-nostdlib", "-nodefaultlibs",
                                         "-fno-sanitize-link-runtime", NULL};
    static const char *const strip[] = {"-s", "-Wl,-s", "-Wl,--strip-all", NULL};
    static const char *const is_static[] = {"-static", "--static", "-static-pie", NULL};
    if (in_list(only, word))
        in->compiles_only = true;
    else if (in_list(preprocess, word))
        r->preprocess_only = true;
    else if (in_list(no_lib, word))
        r->no_default_lib = true;
    else if (strcmp(word, "-r") == 0)
        r->relocatable = true;
    else if (in_list(strip, word))
        r->strips = true;
    else if (starts(word, "-x"))
        read_language(in, word + 2);
    else if (starts(word, "-fsanitize="))
        read_sanitizers(in, word + 11, true);
    else if (starts(word, "-fno-sanitize="))
        read_sanitizers(in, word + 14, false);
    else if (in_list(is_static, word)) {
        r->is_static = true;
        r->static_word = strcmp(word, "-static-pie") == 0 ? "-static-pie" : "-static";
    }
}

static void read_word(struct reading *in, const char *word, int depth);

static void read_response_file(struct reading *in, const char *name, int depth)
{
    FILE *f = depth < MAX_RESPONSE_DEPTH ? fopen(name, "re") : NULL;
    char *text = NULL;
    size_t cap = 0;
    if (!f || getdelim(&text, &cap, 0, f) < 0) {
        read_input(in, name); /* the compiler takes it for an input file, and complains */
    } else {
        struct sn_words words = {0};
        sn_words_split(&words, text);
        for (size_t i = 0; i < words.n; i++)
            read_word(in, words.v[i], depth + 1);
        sn_words_free(&words);
    }
    free(text);
    if (f)
        fclose(f);
}

/* The driver's -shared, or the linker's behind -Wl, or -Xlinker. Libraries whose names look like it
 * do no harm. */
static bool asks_for_library(const char *word)
{
    return word[0] == '-' && !ends(word, "-shared-libgcc") && !ends(word, "-shared-libsan") &&
           (strstr(word, "-shared") || strstr(word, "-Bshareable"));
}

static void read_word(struct reading *in, const char *word, int depth)
{
    in->r->shared |= asks_for_library(word);
    if (in->skip_next) {
        if (in->next_is_language)
            read_language(in, word);
        in->skip_next = in->next_is_language = false;
    } else if (word[0] == '@' && word[1])
        read_response_file(in, word + 1, depth);
    else if (word[0] != '-' || !word[1])
        read_input(in, word);
    else if (in_list(with_value, word)) {
        in->skip_next = true;
        in->next_is_language = strcmp(word, "-x") == 0;
    } else
        read_flag(in, word);
}

void sn_cc_read(char *const *args, struct sn_cc_request *r)
{
    *r = (struct sn_cc_request){0};
    struct reading in = {.r = r};
    for (; *args; args++)
        read_word(&in, *args, 0);
    r->links = in.has_linkable && !in.compiles_only && !r->preprocess_only;
    r->no_default_lib |= in.thread_off;
    for (unsigned i = 0; rivals[i]; i++)
        if (in.rivals_on & 1u << i)
            snprintf(r->conflict, sizeof r->conflict, "%s", rivals[i]);
}

static void to_linker(struct sn_words *out, const char *word)
{
    sn_words_add(out, "-Xlinker");
    sn_words_add(out, word);
}

static void name_library(const char *lib, struct sn_words *out)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/libsnag.so", lib);
    to_linker(out, "--push-state");
    to_linker(out, "--no-as-needed");
    to_linker(out, path);
    to_linker(out, "--pop-state");
}

/* The memory path itself, in front of what is not inlined. */
static void name_fast_path(const struct sn_cc_request *r, const char *lib, struct sn_words *out)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/snag-fast%s.o", lib, r->shared ? "" : "-program");
    to_linker(out, path);
}

static void find_library(const struct sn_cc_request *r, enum sn_cc_kind kind, const char *lib,
                         struct sn_words *out)
{
    if (kind == SN_CC_CLANG || r->no_default_lib) {
        name_library(lib, out);
    } else {
        char path[4096];
        snprintf(path, sizeof path, "-L%s/gcc", lib);
        sn_words_add(out, path);
    }
    to_linker(out, "-rpath");
    to_linker(out, lib);
}

/* Clang's driver is not told of thread at all. */
static bool is_inner(const struct sn_cc_request *r, enum sn_cc_kind kind)
{
    return kind == SN_CC_CLANG && r->links && r->others;
}

static void add_link(const struct sn_cc_request *r, enum sn_cc_kind kind, const char *lib,
                     struct sn_words *out)
{
    /* also into the output of -r clang would put its runtime */
    if (kind == SN_CC_CLANG && !is_inner(r, kind))
        sn_words_add(out, "-fno-sanitize-link-runtime");
    if (r->relocatable)
        return;
    name_fast_path(r, lib, out);
    find_library(r, kind, lib, out);
    if (!r->strips)
        to_linker(out, "--emit-relocs"); /* by these `snag guard build` knows every call */
}

/* <snag.h>, after every folder of the user's: a program may carry its own copy. */
static void find_header(const char *lib, struct sn_words *out)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/include", lib);
    sn_words_add(out, "-idirafter");
    sn_words_add(out, path);
}

void sn_cc_extra(const struct sn_cc_request *r, enum sn_cc_kind kind, const char *lib,
                 struct sn_words *out)
{
    if (!r->has_input)
        return;
    /* an argument that clang has no use for (an assembler file) is no error under -Werror */
    bool quiet = kind == SN_CC_CLANG;
    if (quiet)
        sn_words_add(out, "--start-no-unused-arguments");
    if (is_inner(r, kind))
        sn_words_add(out, "-Xclang");
    sn_words_add(out, "-fsanitize=thread");
    if (!r->preprocess_only)
        sn_words_add(out, "-g");
    /* runtime/own_function.c. gcc has one table of entries for a whole file, tied to the first
     * function in it: where that stays and an inline function of the file is another file's, ld
     * refuses the table. */
    if (!r->preprocess_only && !(r->cxx && kind == SN_CC_GCC))
        sn_words_add(out, "-fpatchable-function-entry=16,14");
    find_header(lib, out);
    if (r->links)
        add_link(r, kind, lib, out);
    if (quiet)
        sn_words_add(out, "--end-no-unused-arguments");
}

/* "-fsanitize=a,thread,b" without thread; null when nothing is left. */
static char *without_thread(const char *arg)
{
    char *left = sn_xstrdup("-fsanitize=");
    size_t begin = strlen(left);
    for (const char *p = arg + begin; *p;) {
        size_t n = strcspn(p, ",");
        if (n != 6 || strncmp(p, "thread", n) != 0) {
            char *longer = sn_xformat("%s%s%.*s", left, left[begin] ? "," : "", (int)n, p);
            free(left);
            left = longer;
        }
        p += n + (p[n] == ',');
    }
    if (left[begin])
        return left;
    free(left);
    return NULL;
}

char *sn_cc_argument(const struct sn_cc_request *r, enum sn_cc_kind kind, const char *arg)
{
    static const char *const dropped[] = {"-static-libtsan", "-static-libsan", "-shared-libsan",
                                          "-fsanitize-link-runtime", NULL};
    if (in_list(dropped, arg))
        return NULL;
    if (is_inner(r, kind) && starts(arg, "-fsanitize="))
        return without_thread(arg);
    return sn_xstrdup(arg);
}
