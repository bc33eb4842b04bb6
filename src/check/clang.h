/*
 * clang.h: from C to bitcode: which clang, which flags, and what it says when the code does not
 * compile.
 */
#ifndef SN_CHECK_CLANG_H
#define SN_CHECK_CLANG_H

#include <stdbool.h>
#include <time.h>

#include "cmd/words.h"

/* One source file and how it is compiled. */
struct sn_source {
    char *file;            /* absolute */
    char *directory;       /* where the command is run */
    char *output;          /* object file that the build makes of it, or null */
    struct sn_words flags; /* without compiler, input and output */
    char *bitcode;         /* path; null: not compiled */
    char *errors;          /* what clang said, or null */
};

struct sn_sources {
    struct sn_source *u;
    size_t n, cap;
};

/* A file whose text changed at that time, whatever the file system says: it is open in an editor. */
struct sn_touched {
    const char *file; /* absolute */
    struct timespec when;
};

/* How units are compiled besides their own flags. */
struct sn_compiling {
    const struct sn_words *flags; /* behind those of every unit; null: none */
    const char *cache;            /* folder where bitcode is kept for the next time; null: nothing is */
    const struct sn_touched *touched;
    size_t ntouched;
    int jobs;                     /* at a time */
};

struct sn_source *sn_sources_add(struct sn_sources *all);
void sn_sources_free(struct sn_sources *all);

/* A clang whose bitcode LLVM of that major version reads: SNAG_CLANG, else the same version, else an
 * older one. malloc, or null with a sentence in *why (malloc). */
char *sn_clang_find(int llvm_version, char **why);
/* Compiles all units into dir. A unit that fails has errors and no bitcode. */
void sn_clang_compile(const char *clang, struct sn_sources *units, const char *dir, const struct sn_compiling *how);
/* compile_commands.json in dir. 0, or -errno with a sentence in *why (malloc). */
int sn_sources_from_database(const char *dir, struct sn_sources *out, char **why);

#endif
