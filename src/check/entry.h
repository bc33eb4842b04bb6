/*
 * entry.h: where an interpretation begins: main; a library's exported functions; test functions; in
 * the middle, functions that start threads. The paper's section 4.1.
 */
#ifndef SN_CHECK_ENTRY_H
#define SN_CHECK_ENTRY_H

#include "check/vm.h"

enum sn_entry_kind { SN_ENTRY_MAIN, SN_ENTRY_NAMED, SN_ENTRY_TEST, SN_ENTRY_UNRUN_TEST, SN_ENTRY_LIBRARY, SN_ENTRY_MIDDLE };

struct sn_entry {
    enum sn_entry_kind kind;
    uint32_t func; /* SN_ENTRY_UNRUN_TEST: a test that main may not reach. SN_ENTRY_LIBRARY: any exported function, several in a row */
    bool concurrent; /* some run of it had more than one thread */
    bool exhausted;  /* all orders were tried, and nothing was found */
    uint64_t runs;
};

struct sn_entries {
    struct sn_entry *e;
    size_t n;
    uint32_t *exported; /* of a library */
    size_t nexported;
};

/* `named` is --entry, or null. Returns 0, or -1 when that function is not there. */
int sn_entries_find(const struct sn_bytecode *code, const char *named, struct sn_entries *out);
void sn_entries_free(struct sn_entries *e);
/* Sets up the first task. False: the run cannot begin. */
bool sn_entry_start(struct sn_vm *vm, const struct sn_entries *all, const struct sn_entry *e);

#endif
