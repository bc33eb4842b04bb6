/*
 * testbuild.h: for the tests of this folder: builds the sources in testdata/ into a directory that
 * goes away at the end, with whichever compilers are there.
 */
#ifndef SN_SYMBOL_TESTBUILD_H
#define SN_SYMBOL_TESTBUILD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "symbol/symbol.h"

static char test_dir[64];

static inline void __attribute__((format(printf, 1, 2))) run(const char *format, ...)
{
    char command[4096];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(command, sizeof command, format, args);
    va_end(args);
    assert_true(n < (int)sizeof command);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

static inline void remove_dir(void)
{
    if (*test_dir)
        run("rm -rf %s", test_dir);
}

static inline const char *dir(void)
{
    if (!*test_dir) {
        strcpy(test_dir, "/tmp/snag-symbol-XXXXXX");
        assert_non_null(mkdtemp(test_dir));
        atexit(remove_dir);
    }
    return test_dir;
}

/* The path of a file in the directory; one of eight buffers in turn. */
static inline const char *built(const char *name)
{
    static char path[8][256];
    static int turn;
    char *p = path[turn++ % 8];
    snprintf(p, sizeof path[0], "%s/%s", dir(), name);
    return p;
}

static inline const char *source(const char *name)
{
    static char path[8][1024];
    static int turn;
    char *p = path[turn++ % 8];
    /* not from __FILE__, which a compiler cache may have made relative */
    snprintf(p, sizeof path[0], SNAG_SOURCE_DIR "/src/symbol/testdata/%s", name);
    return p;
}

static inline bool has_tool(const char *tool)
{
    char command[256];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", tool);
    return system(command) == 0;
}

/* The compilers that tests build with; the third is the newest clang with a version in its name. Ends with null. */
static inline const char *const *compilers(bool cxx)
{
    static char names[2][32];
    static const char *of_c[] = {"gcc", "clang-14", NULL, NULL}, *of_cxx[] = {"g++", "clang++-14", NULL, NULL};
    const char **all = cxx ? of_cxx : of_c;
    char *newest = names[cxx];
    for (int version = 40; version > 14 && all[2] == NULL; version--) {
        snprintf(newest, sizeof names[0], cxx ? "clang++-%d" : "clang-%d", version);
        if (has_tool(newest))
            all[2] = newest;
    }
    return all;
}

/* A symbol of a program as nm gives it. */
struct symbol {
    uint64_t at, size;
    char type, name[128];
};

static inline bool read_symbol(FILE *nm, struct symbol *s)
{
    char line[512];
    while (fgets(line, sizeof line, nm)) {
        unsigned long at, size;
        if (sscanf(line, "%lx %lx %c %127s", &at, &size, &s->type, s->name) != 4)
            continue;
        s->at = at;
        s->size = size;
        return true;
    }
    return false;
}

static inline FILE *open_symbols(const char *program)
{
    char command[512];
    snprintf(command, sizeof command, "nm -S --defined-only %s", program);
    FILE *nm = popen(command, "r");
    assert_non_null(nm);
    return nm;
}

#endif
