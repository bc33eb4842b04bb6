/*
 * elf.h: what kind of program a file is, before it is run: for messages that say what to do.
 */
#ifndef SN_SYMBOL_ELF_H
#define SN_SYMBOL_ELF_H

#include <stdbool.h>
#include <stdint.h>

#define SN_ELF_BUILD_ID_MAX 64

struct sn_elf_facts {
    bool x86_64;
    bool program;        /* can be executed: not a library, not an object file */
    bool pie;            /* a program that can be loaded anywhere */
    bool is_static;      /* a program that needs no dynamic loader: nothing can be preloaded */
    bool instrumented;   /* its code calls the __tsan_* functions */
    bool own_tsan;       /* holds a ThreadSanitizer runtime (clang links it in) */
    bool needs_libsnag;  /* by DT_NEEDED */
    bool needs_libtsan;  /* gcc's */
    bool needs_libasan;  /* gcc's; clang links its own into the program */
    bool needs_musl;     /* another C library than the one that snag knows */
    bool loads;          /* calls dlopen() or dlmopen() */
    bool has_debug_info; /* in the file, or in a separate one that is installed */
    uint8_t build_id[SN_ELF_BUILD_ID_MAX];
    unsigned build_id_bytes; /* 0: none */
};

/* 0; -ENOEXEC when the file is no ELF file; other -errno when it cannot be read. */
int sn_elf_probe(const char *path, struct sn_elf_facts *out);

#endif
