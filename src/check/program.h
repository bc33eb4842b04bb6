/*
 * program.h: which units make a program. How a project is linked is not known, so: every unit with a
 * main() is a program, together with the units that define what it needs, and what they need. Units
 * that no program needs are checked as a library.
 */
#ifndef SN_CHECK_PROGRAM_H
#define SN_CHECK_PROGRAM_H

#include "check/clang.h"

struct sn_program {
    char *name;      /* for messages: the file with main(), or "library" */
    size_t *unit;    /* indices, the one with main() first */
    size_t n;
};

struct sn_programs {
    struct sn_program *p;
    size_t n;
};

/* Symbols of each unit: filled by the caller (worker.c), in the order of the units. */
struct sn_symbols {
    struct sn_words defined, needed;
};

void sn_programs_find(const struct sn_sources *units, const struct sn_symbols *symbols, struct sn_programs *out);
void sn_programs_free(struct sn_programs *p);

#endif
