/*
 * exports.c: names that a guarded program has for everybody, libraries included, and one that it
 * asks of libc. The tables of symbols and relocations are copied to the end of the file, longer;
 * the loader finds names by a hash table of the older kind, which asks for no order of the symbols.
 */
#include <errno.h>
#include <string.h>

#include "guard/image.h"

struct tables {
    struct sn_image *i;
    uint32_t nold, nnew;
    size_t symbols, versions, relocations, hash; /* offsets of the new ones */
};

static void set_or_add(struct sn_image *i, int64_t tag, uint64_t value)
{
    Elf64_Dyn *d = sn_image_at(i, i->dynamic_at);
    for (size_t k = 0; k + 1 < i->ndynamic; k++)
        if (d[k].d_tag == tag || d[k].d_tag == DT_NULL) {
            d[k] = (Elf64_Dyn){.d_tag = tag, .d_un.d_val = value};
            return;
        }
}

static void drop(struct sn_image *i, int64_t tag)
{
    Elf64_Dyn *d = sn_image_at(i, i->dynamic_at), *to = d;
    for (size_t k = 0; k < i->ndynamic; k++)
        if (d[k].d_tag != tag)
            *to++ = d[k];
    for (; to < d + i->ndynamic; to++)
        *to = (Elf64_Dyn){.d_tag = DT_NULL};
}

/* A longer copy at the end; the tag and the section point to it. Its offset. */
static size_t copy(struct tables *t, int64_t tag, size_t bytes, size_t more)
{
    struct sn_image *i = t->i;
    uint64_t old = sn_image_dynamic(i, tag);
    size_t from = old ? sn_image_offset(i, old) : 0, at = (i->bytes + 15) & ~(size_t)15;
    sn_image_grow(i, at + bytes + more);
    if (from)
        memcpy(sn_image_at(i, at), sn_image_at(i, from), bytes);
    sn_image_move_section(i, old, at, bytes + more);
    set_or_add(i, tag, at + i->delta);
    return at;
}

static void put_symbols(struct tables *t, const struct sn_export *e, uint32_t n, uint32_t import)
{
    Elf64_Sym *sym = (Elf64_Sym *)sn_image_at(t->i, t->symbols) + t->nold;
    Elf64_Half *version =
        t->versions ? (Elf64_Half *)sn_image_at(t->i, t->versions) + t->nold : NULL;
    for (uint32_t k = 0; k < n; k++)
        sym[k] = (Elf64_Sym){.st_name = e[k].string,
                             .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                             .st_shndx = 1,
                             .st_value = e[k].address};
    sym[n] = (Elf64_Sym){.st_name = import, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)};
    for (uint32_t k = 0; version && k <= n; k++)
        version[k] = VER_NDX_GLOBAL;
}

static uint32_t hash_of(const char *name)
{
    uint32_t h = 0;
    for (; *name; name++) {
        h = (h << 4) + (unsigned char)*name;
        h = (h ^ (h & 0xf0000000) >> 24) & 0x0fffffff;
    }
    return h;
}

static void put_hash(struct tables *t, size_t names)
{
    uint32_t n = t->nold + t->nnew, *head = sn_image_at(t->i, t->hash), *bucket = head + 2,
             *chain = bucket + n;
    const Elf64_Sym *sym = sn_image_at(t->i, t->symbols);
    head[0] = head[1] = n;
    for (uint32_t k = 1; k < n; k++) {
        uint32_t h = hash_of((const char *)sn_image_at(t->i, names) + sym[k].st_name) % n;
        chain[k] = bucket[h];
        bucket[h] = k;
    }
}

int sn_image_export(struct sn_image *i, const struct sn_export *e, uint32_t n, uint32_t import,
                    uint64_t slot)
{
    struct tables t = {.i = i, .nold = sn_image_count_symbols(i), .nnew = n + 1};
    size_t names = sn_image_offset(i, sn_image_dynamic(i, DT_STRTAB));
    size_t relocated = sn_image_dynamic(i, DT_RELA) ? sn_image_dynamic(i, DT_RELASZ) : 0;
    if (!t.nold || !sn_image_dynamic(i, DT_SYMTAB))
        return -ENOEXEC;
    if (!names) /* among what is new, which no segment has yet */
        names = sn_image_dynamic(i, DT_STRTAB) - i->delta;
    t.symbols = copy(&t, DT_SYMTAB, t.nold * sizeof(Elf64_Sym), t.nnew * sizeof(Elf64_Sym));
    if (sn_image_dynamic(i, DT_VERSYM))
        t.versions = copy(&t, DT_VERSYM, t.nold * sizeof(Elf64_Half), t.nnew * sizeof(Elf64_Half));
    t.relocations = copy(&t, DT_RELA, relocated, sizeof(Elf64_Rela));
    set_or_add(i, DT_RELASZ, relocated + sizeof(Elf64_Rela));
    set_or_add(i, DT_RELAENT, sizeof(Elf64_Rela));
    put_symbols(&t, e, n, import);
    Elf64_Rela r = {slot, ELF64_R_INFO((uint64_t)t.nold + n, R_X86_64_GLOB_DAT), 0};
    memcpy((char *)sn_image_at(i, t.relocations) + relocated, &r, sizeof r);
    drop(i, DT_GNU_HASH);
    drop(i, DT_HASH);
    t.hash = copy(&t, DT_HASH, 0, (2 + 2 * ((size_t)t.nold + t.nnew)) * sizeof(uint32_t));
    put_hash(&t, names);
    return 0;
}
