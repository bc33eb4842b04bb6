/*
 * program.h: what kind of file a program is, as far as it matters for watching it: can the dynamic
 * loader bring libsnag into it, and whose instrumentation does it carry.
 */
#ifndef SN_SYMBOL_PROGRAM_H
#define SN_SYMBOL_PROGRAM_H

#include <stdbool.h>

enum sn_program_kind {
    SN_PROGRAM_OTHER,   /* no ELF file: a script, or nothing that can be executed */
    SN_PROGRAM_DYNAMIC, /* the usual case */
    SN_PROGRAM_STATIC,  /* no dynamic loader */
    SN_PROGRAM_FOREIGN, /* for another machine, or of another word size */
    SN_PROGRAM_DAMAGED, /* begins like an ELF file, and is none */
    SN_PROGRAM_DATA,    /* neither a program nor a script */
};

struct sn_program {
    enum sn_program_kind kind;
    bool script;           /* OTHER: begins with #! */
    bool musl;             /* its C library is not glibc */
    bool tsan_inside;      /* a ThreadSanitizer runtime is linked into it, as clang does */
    bool wants_asan_first; /* gcc's AddressSanitizer, which ends a program that was given another
                              library before it */
};

/* 0 or -errno. */
int sn_program_read(const char *path, struct sn_program *out);

#endif
