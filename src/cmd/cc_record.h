/*
 * cc_record.h: how a program was compiled, kept in the program. After each compilation and each
 * link `snag cc` adds a section to the file that came out: the folder, the compiler, the arguments.
 * The linker puts the sections of all objects into the program. `snag guard build --bias` compiles
 * hot functions anew with that (guard_compile.c).
 *
 * Ownership: a struct sn_cc_records owns all it has.
 */
#ifndef SN_CMD_CC_RECORD_H
#define SN_CMD_CC_RECORD_H

#include <stdbool.h>

#include "cmd/words.h"

struct sn_cc_record {
    bool links;
    bool is_cxx;
    char *output;   /* as in the arguments; a path of the folder */
    char *compiler; /* $SNAG_CC or $SNAG_CXX; empty: the default */
    char *folder;
    struct sn_words args; /* the user's */
};

struct sn_cc_records {
    struct sn_cc_record *v;
    size_t n, cap;
};

/* Where the arguments have their output; the default is a.out, or the source's name with .o.
 * malloc; null: there is no one file that comes out. */
char *sn_cc_output(char *const *args, bool links);
/* Adds the record to the file. Files that are no ELF files of this machine are left alone. */
void sn_cc_record_put(const struct sn_cc_record *r);
/* All records in a program. */
void sn_cc_records_read(const char *path, struct sn_cc_records *out);
void sn_cc_records_free(struct sn_cc_records *r);
/* C and C++ sources by their names. */
bool sn_cc_is_source(const char *word);

#endif
