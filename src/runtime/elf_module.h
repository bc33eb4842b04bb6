/*
 * elf_module.h: a loaded module as its dynamic section describes it: symbols by name and version.
 * Valid as long as the module stays loaded: use it under dl_iterate_phdr().
 */
#ifndef SN_RUNTIME_ELF_MODULE_H
#define SN_RUNTIME_ELF_MODULE_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct sn_elf {
    uintptr_t base, low, high;
    uintptr_t relro_low, relro_high;
    const char *path;   /* "" for the program itself */
    const char *soname; /* or the file's name */
    const char *names;
    const ElfW(Sym) * symbols;
    const uint32_t *gnu_hash, *hash;
    const uint16_t *versym;
    const ElfW(Verdef) * verdef;
    const ElfW(Verneed) * verneed;
    const ElfW(Rela) * rela, *jmprel;
    size_t nrela, njmprel;
    const struct r_debug *debug; /* of the program itself */
};

/* A place through which the module calls a function of another one, or has its address. */
struct sn_elf_slot {
    uintptr_t *at, now; /* now: not 0 */
    const char *name;
    uint32_t symbol;
    bool is_call; /* made for calls; else any address, also that of data */
    bool unbound; /* the loader looks the function up at the first call */
};

/* false: no dynamic section. */
bool sn_elf_read(struct sn_elf *m, const struct dl_phdr_info *info);
/* The version that the module asks of its symbol i, or null. */
const char *sn_elf_wanted_version(const struct sn_elf *m, uint32_t i);
/* The address of a function that the module defines; version null: the default one. 0: none. */
uintptr_t sn_elf_find(const struct sn_elf *m, const char *name, const char *version);
/* Slots, as the relocations have them (JUMP_SLOT, GLOB_DAT and 64). */
void sn_elf_slots(const struct sn_elf *m,
                  void (*look)(const struct sn_elf *m, const struct sn_elf_slot *s));
/* A * in `with` stands for anything. */
bool sn_elf_name_fits(const char *name, const char *with);

#endif
