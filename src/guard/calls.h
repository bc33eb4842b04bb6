/*
 * calls.h: the calls of a module's code: where each returns to and what it calls. They are found by
 * the relocations that `snag cc` keeps in the file (ld -q), else by looking for calls of the
 * procedure linkage table. The machine's instructions are known in machine_x86_64.c only.
 *
 * Ownership: struct sn_calls owns everything; names point into its copy of the file.
 */
#ifndef SN_GUARD_CALLS_H
#define SN_GUARD_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sn_call_form {
    SN_CALL_NONE,
    SN_CALL_DIRECT, /* call rel32 */
    SN_CALL_TAIL,   /* jmp rel32: the callee returns to the caller's caller */
    SN_CALL_SLOT,   /* call through the global offset table */
    SN_CALL_TAIL_SLOT,
};

struct sn_call_site {
    uint64_t at;      /* the instruction; ELF virtual address */
    uint64_t returns; /* address after it */
    uint32_t bytes;   /* of the instruction */
    enum sn_call_form form;
    const char *name; /* what is called */
};

struct sn_function {
    uint64_t low, high;
    const char *name; /* as in the symbol table */
};

struct sn_calls {
    uint8_t *file;
    size_t file_bytes;
    bool by_relocation;
    struct sn_call_site *call; /* sorted by `at` */
    size_t n, cap;
    struct sn_function *function; /* sorted by low */
    size_t nfunctions, function_cap;
    uint8_t build_id[64];
    unsigned build_id_bytes;
};

/* 0, or -errno: unreadable, no ELF file for this machine (-ENOEXEC). */
int sn_calls_read(const char *path, struct sn_calls *out);
void sn_calls_free(struct sn_calls *c);
const struct sn_call_site *sn_calls_by_return(const struct sn_calls *c, uint64_t returns);
const struct sn_function *sn_calls_function(const struct sn_calls *c, uint64_t at); /* or null */

#endif
