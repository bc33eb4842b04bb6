/*
 * contract.h: contract files (contracts/NAME.contract) as the command sees them: read, checked,
 * laid out flat for the runtime (core/contract.h). doc/contracts.md describes their form.
 *
 * Ownership: a set owns all that was read into it; sn_contracts_free() gives it back.
 */
#ifndef SN_CONTRACT_CONTRACT_H
#define SN_CONTRACT_CONTRACT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/contract.h"

struct sn_contract_lib {
    char *name, *file, *about;
    char **soname;
    size_t nsonames;
    bool wrong_libc; /* the file is for another libc than this machine's */
};

struct sn_contract_type {
    char *name;
    size_t lib;
    bool hidden, key;
    enum sn_contract_map map;
    char *root, *map_symbol;
    int64_t map_value;
    char *role[13];
    unsigned nroles;
    int line;
};

struct sn_contract_mode_text {
    char *name, *symbol;
    size_t lib;
    enum sn_contract_mode_kind kind;
    enum sn_contract_test test;
    bool deref;
    int64_t value, offset;
    int line;
};

/* One function under one rule; a function has as many as it has effects. */
struct sn_contract_rule {
    char *function;
    size_t lib;
    bool exempt;
    struct sn_contract_effect effect; /* object and mode: indexes in this set */
    char *callback;                   /* "@NAME"; null: none */
};

struct sn_contracts {
    struct sn_contract_lib *lib;
    size_t nlibs, cap_libs;
    struct sn_contract_type *type;
    size_t ntypes, cap_types;
    struct sn_contract_mode_text *mode;
    size_t nmodes, cap_modes;
    struct sn_contract_rule *rule;
    size_t nrules, cap_rules;
};

/* Adds the file. 0, or -errno with "FILE:LINE: what is wrong" in *why (malloc). */
int sn_contracts_read(struct sn_contracts *c, const char *path, char **why);
/* The same for text that is already there; `name` stands for the file in messages. */
int sn_contracts_read_text(struct sn_contracts *c, const char *name, const char *text, char **why);
void sn_contracts_free(struct sn_contracts *c);
/* The flat form. malloc. `order`: of the rules those that order threads, else the others. */
void *sn_contracts_compile(const struct sn_contracts *c, bool order, size_t *bytes);

#endif
