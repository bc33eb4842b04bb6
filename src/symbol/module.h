/*
 * module.h: one ELF module with all that this folder knows of it. Inside of src/symbol only: it
 * shows elfutils' types.
 *
 * A module owns its files, indexes and caches; sn_module_close() gives all of it back. DIEs and
 * strings that the functions here hand out point into it. Indexes are made at their first use.
 * Nothing here may be used by two threads at once.
 */
#ifndef SN_SYMBOL_MODULE_H
#define SN_SYMBOL_MODULE_H

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "store/finding.h"
#include "symbol/demangle.h"
#include "symbol/map.h"
#include "symbol/span.h"

#define SN_BUILD_ID_MAX 64
#define SN_HOOK_SLOTS 4

struct sn_build_id {
    uint8_t bytes[SN_BUILD_ID_MAX];
    unsigned n; /* 0: none */
};

/* ELF symbols by what they name; `item` of the spans is an index into `name`. */
struct sn_elfsyms {
    bool ready;
    const char **name;
    size_t n, cap;
    struct sn_spans code, data, tls;
};

/* A compilation unit. */
struct sn_unit {
    Dwarf_Die cu;  /* has the line table */
    Dwarf_Die top; /* has the functions and variables: the split unit's, if there is one */
    bool opened;   /* `top` is set */
    bool indexed;  /* `functions` is ready */
    struct sn_spans functions; /* item: index into function */
    Dwarf_Die *function;
    size_t nfunction, function_cap;
};

struct sn_units {
    bool ready;
    struct sn_unit *unit;
    size_t n, cap;
    struct sn_spans code; /* item: index into unit */
};

/* A piece of memory of a variable; most variables are one piece. */
struct sn_piece {
    Dwarf_Die variable;
    uint64_t low;    /* ELF vaddr, or offset in the TLS block */
    uint64_t offset; /* of the piece in the variable */
    bool in_function;
};

struct sn_variables {
    bool ready;
    struct sn_piece *piece;
    size_t n, cap;
    struct sn_spans data, tls; /* item: index into piece */
};

/* Frames of one code position; `module` and `offset` of the frames are not set. */
struct sn_code_frames {
    struct sn_frame *frame;
    size_t n;
};

struct sn_module {
    char *path;
    const char *file_name;       /* in path */
    struct sn_build_id asked;    /* by the caller; n 0: any */
    struct sn_build_id build_id; /* of the build that ran; n 0: none */
    int fd, debug_fd;            /* -1: not open */
    Elf *elf;                    /* null: not there, broken, or of another build */
    bool dwarf_ready;            /* the next two are set, if there is any: sn_module_need_dwarf() */
    Elf *debug_elf;              /* separate debug file; null: none */
    Elf *unpacked;               /* of debug_elf or elf, if zstd packed its sections */
    char *unpacked_image;        /* its bytes */
    Dwarf *dwarf;                /* of unpacked, debug_elf or elf; null: none */
    Dwarf_CFI *eh_cfi;           /* .eh_frame of elf */
    bool cfi_ready, hooks_ready;
    uint64_t hook_slot[SN_HOOK_SLOTS]; /* GOT slots of __tsan_func_entry */
    unsigned nhook;
    struct sn_elfsyms syms;
    struct sn_units units;
    struct sn_variables variables;
    struct sn_map code_cache; /* pc -> index into code */
    struct sn_code_frames *code;
    size_t ncode, code_cap;
    struct sn_map name_cache; /* DIE -> index into names */
    char **names;
    size_t nnames, names_cap;
};

/* module.c. A file that cannot be used gives a module without symbols. */
void sn_module_open(struct sn_module *m, const char *path, const struct sn_build_id *id);
void sn_module_close(struct sn_module *m);
void sn_module_need_dwarf(struct sn_module *m); /* before a look at `dwarf` or `debug_elf` */

/* separate.c: the build id of a file, and the file with the debug information of `elf`, which may
 * be null when only the build id is known. The file is opened: 0 or -ENOENT. */
struct sn_build_id sn_build_id_of(Elf *elf);
bool sn_build_id_same(const struct sn_build_id *a, const struct sn_build_id *b);
int sn_separate_debug(const char *path, Elf *elf, const struct sn_build_id *id, int *fd, Elf **out);

/* zstd.c: a copy in memory whose sections are unpacked; null: zstd packed none. `image` is to be
 * freed after the copy was closed. */
Elf *sn_unpacked_elf(Elf *elf, char **image);

/* elfsym.c: the symbol that covers an address, and where it starts. Null: none. */
const char *sn_elfsym_code(struct sn_module *m, uint64_t at);
const char *sn_elfsym_data(struct sn_module *m, uint64_t at, uint64_t *low, uint64_t *size);
const char *sn_elfsym_tls(struct sn_module *m, uint64_t at, uint64_t *low, uint64_t *size);
void sn_elfsyms_free(struct sn_elfsyms *s);

/* unit.c */
struct sn_unit *sn_unit_at(struct sn_module *m, uint64_t pc); /* null: none */
bool sn_unit_function(struct sn_unit *u, uint64_t pc, Dwarf_Die *function);
bool sn_scope_holds(Dwarf_Die *scope, uint64_t pc); /* a block or inlined call */
void sn_units_load(struct sn_module *m);
void sn_unit_open(struct sn_unit *u);
void sn_units_free(struct sn_units *u);

/* code.c: the frames at pc, innermost first, at least one. Owned by the module. */
const struct sn_code_frames *sn_code_at(struct sn_module *m, uint64_t pc);
void sn_code_free(struct sn_module *m);

/* lines.c: the code ranges of a source line; column 0: any. `file` is compared by its base name. */
void sn_module_lines(struct sn_module *m, const char *file, int line, int column,
                     void (*found)(void *arg, uint64_t low, uint64_t high), void *arg);

/* data.c: the piece of a variable that covers an address. Null: none. */
const struct sn_piece *sn_variable_data(struct sn_module *m, uint64_t at);
const struct sn_piece *sn_variable_tls(struct sn_module *m, uint64_t at);
void sn_variables_free(struct sn_variables *v);

const char *sn_function_name(struct sn_module *m, Dwarf_Die *function); /* owned by the module */
char *sn_variable_name(Dwarf_Die *variable, bool in_function);
/* The path in a file-index attribute (DW_AT_decl_file, DW_AT_call_file). malloc, null: none. */
char *sn_die_file(Dwarf_Die *die, unsigned attribute);
int sn_die_number(Dwarf_Die *die, unsigned attribute); /* 0: none */
char *sn_source_path(Dwarf_Die *cu, const char *path); /* made absolute by the unit's directory */
void sn_names_free(struct sn_module *m);

/* type.c */
bool sn_die_type(Dwarf_Die *die, Dwarf_Die *type); /* typedefs and qualifiers taken off */
uint64_t sn_type_size(Dwarf_Die *type);            /* 0: not known */
/* Writes ".field[3].sub" for the byte at `offset`; stops where the type is not known. */
void sn_type_path(Dwarf_Die *type, uint64_t offset, FILE *out);

/* local.c: the variable of the function at pc, with these registers, that holds addr. */
struct sn_local {
    Dwarf_Die variable;
    uint64_t offset, size;
};
int sn_local_at(struct sn_module *m, uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t addr,
                struct sn_local *out);

/* entry.c: where the function calls __tsan_func_entry; pc when that is not found. */
uint64_t sn_entry_call(struct sn_module *m, Dwarf_Die *function, uint64_t pc);

#endif
