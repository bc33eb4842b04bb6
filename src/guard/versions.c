/*
 * versions.c: a program that was linked with libsnag refers to pthread_cond_wait and its like
 * without a version, since libsnag has none. Without libsnag the loader would take libc's oldest
 * one. So the names that libc has in several versions get the newest, as if the program had been
 * linked without snag.
 */
#include <elf.h>
#include <gelf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "guard/calls.h"
#include "guard/image.h"
#include "guard/keys.h"
#include "store/xalloc.h"
#include "symbol/map.h"

struct sn_versions {
    struct sn_calls file;  /* for its copy of the file */
    struct sn_map by_name; /* hash of the name -> version index */
    struct sn_map has_old; /* names that are there in the oldest version, too */
    const char **version;  /* by index */
    size_t nversions;
};

static int find_libc(struct dl_phdr_info *info, size_t bytes, void *arg)
{
    (void)bytes;
    if (!strstr(info->dlpi_name, "/libc.so.6"))
        return 0;
    *(char **)arg = sn_xstrdup(info->dlpi_name);
    return 1;
}

static void read_definitions(struct sn_versions *v, Elf *elf, Elf_Data *data, size_t strings,
                             size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        GElf_Verdef def;
        GElf_Verdaux aux;
        if (!gelf_getverdef(data, (int)at, &def) ||
            !gelf_getverdaux(data, (int)(at + def.vd_aux), &aux))
            return;
        while (v->nversions <= def.vd_ndx) {
            v->version = sn_xrealloc(v->version, v->nversions + 1, sizeof *v->version);
            v->version[v->nversions++] = NULL;
        }
        v->version[def.vd_ndx] = elf_strptr(elf, strings, aux.vda_name);
        at += def.vd_next;
    }
}

static void read_names(struct sn_versions *v, Elf *elf, Elf_Data *symbols, Elf_Data *versions,
                       size_t strings, size_t n)
{
    enum { OLDEST = 2, HIDDEN = 0x8000 };
    for (size_t i = 1; i < n; i++) {
        GElf_Sym sym;
        GElf_Versym ver;
        uint32_t there;
        if (!gelf_getsym(symbols, (int)i, &sym) || !gelf_getversym(versions, (int)i, &ver) ||
            !sym.st_shndx)
            continue;
        uint64_t hash = sn_keys_hash(elf_strptr(elf, strings, sym.st_name));
        if ((ver & 0x7fff) == OLDEST && ver & HIDDEN && !sn_map_get(&v->has_old, hash, &there))
            sn_map_put(&v->has_old, hash, 1);
        if (!(ver & HIDDEN) && (ver & 0x7fff) > OLDEST && !sn_map_get(&v->by_name, hash, &there))
            sn_map_put(&v->by_name, hash, ver & 0x7fff);
    }
}

static void read_libc(struct sn_versions *v, Elf *elf)
{
    Elf_Scn *scn = NULL;
    Elf_Data *symbols = NULL, *versions = NULL;
    size_t strings = 0, n = 0;
    while ((scn = elf_nextscn(elf, scn))) {
        GElf_Shdr sh;
        if (!gelf_getshdr(scn, &sh))
            continue;
        if (sh.sh_type == SHT_DYNSYM) {
            symbols = elf_getdata(scn, NULL);
            strings = sh.sh_link;
            n = sh.sh_entsize ? sh.sh_size / sh.sh_entsize : 0;
        }
        if (sh.sh_type == SHT_GNU_versym)
            versions = elf_getdata(scn, NULL);
        if (sh.sh_type == SHT_GNU_verdef)
            read_definitions(v, elf, elf_getdata(scn, NULL), sh.sh_link, sh.sh_info);
    }
    if (symbols && versions)
        read_names(v, elf, symbols, versions, strings, n);
}

struct sn_versions *sn_versions_of_libc(void)
{
    char *path = NULL;
    struct sn_versions *v = sn_xcalloc(1, sizeof *v);
    dl_iterate_phdr(find_libc, &path);
    if (!path || sn_calls_read(path, &v->file) != 0) {
        free(path);
        free(v);
        return NULL;
    }
    free(path);
    Elf *elf = elf_memory((char *)v->file.file, v->file.file_bytes);
    read_libc(v, elf);
    elf_end(elf);
    return v;
}

const char *sn_versions_find(const struct sn_versions *v, const char *name)
{
    uint32_t index, old;
    uint64_t hash = sn_keys_hash(name);
    if (!v || !sn_map_get(&v->has_old, hash, &old) || !sn_map_get(&v->by_name, hash, &index) ||
        index >= v->nversions)
        return NULL;
    return v->version[index];
}

void sn_versions_free(struct sn_versions *v)
{
    if (!v)
        return;
    sn_calls_free(&v->file);
    sn_map_free(&v->by_name);
    sn_map_free(&v->has_old);
    free(v->version);
    free(v);
}
