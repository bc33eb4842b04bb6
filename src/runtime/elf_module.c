/*
 * elf_module.c: reading the dynamic section of a loaded module, and finding functions in it by the
 * GNU hash table (or the old one), versions respected.
 */
#include "runtime/elf_module.h"

#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The loader has relocated the pointers in the dynamic section, or not (vdso). */
static uintptr_t at(const struct sn_elf *m, uintptr_t value)
{
    return value < m->base ? m->base + value : value;
}

static void read_entry(struct sn_elf *m, const ElfW(Dyn) * d, uintptr_t *soname)
{
    uintptr_t p = at(m, d->d_un.d_ptr);
    switch (d->d_tag) {
    case DT_SONAME:
        *soname = 1 + d->d_un.d_val;
        break;
    case DT_STRTAB:
        m->names = (const char *)p;
        break;
    case DT_SYMTAB:
        m->symbols = (const ElfW(Sym) *)p;
        break;
    case DT_GNU_HASH:
        m->gnu_hash = (const uint32_t *)p;
        break;
    case DT_HASH:
        m->hash = (const uint32_t *)p;
        break;
    case DT_VERSYM:
        m->versym = (const uint16_t *)p;
        break;
    case DT_VERDEF:
        m->verdef = (const ElfW(Verdef) *)p;
        break;
    case DT_VERNEED:
        m->verneed = (const ElfW(Verneed) *)p;
        break;
    case DT_RELA:
        m->rela = (const ElfW(Rela) *)p;
        break;
    case DT_RELASZ:
        m->nrela = d->d_un.d_val / sizeof(ElfW(Rela));
        break;
    case DT_JMPREL:
        m->jmprel = (const ElfW(Rela) *)p;
        break;
    case DT_DEBUG:
        m->debug = (const struct r_debug *)d->d_un.d_ptr;
        break;
    case DT_PLTRELSZ:
        m->njmprel = d->d_un.d_val / sizeof(ElfW(Rela));
        break;
    }
}

bool sn_elf_read(struct sn_elf *m, const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *dynamic = 0;
    uintptr_t soname = 0;
    *m = (struct sn_elf){.base = info->dlpi_addr, .low = UINTPTR_MAX};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t from = m->base + ph->p_vaddr, to = from + ph->p_memsz;
        if (ph->p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)from;
        if (ph->p_type == PT_GNU_RELRO) {
            m->relro_low = from & ~(uintptr_t)4095;
            m->relro_high = to & ~(uintptr_t)4095;
        }
        if (ph->p_type != PT_LOAD)
            continue;
        m->low = from < m->low ? from : m->low;
        m->high = to > m->high ? to : m->high;
    }
    for (const ElfW(Dyn) *d = dynamic; d && d->d_tag != DT_NULL; d++)
        read_entry(m, d, &soname);
    m->path = info->dlpi_name ? info->dlpi_name : "";
    m->soname = soname && m->names ? m->names + soname - 1 : base_name(m->path);
    return dynamic && m->names && m->symbols;
}

const char *sn_elf_wanted_version(const struct sn_elf *m, uint32_t i)
{
    uint16_t index = m->versym ? m->versym[i] & 0x7fff : 0;
    const char *p = (const char *)m->verneed;
    while (p && index > 1) {
        const ElfW(Verneed) *need = (const void *)p;
        const char *q = p + need->vn_aux;
        for (unsigned k = 0; k < need->vn_cnt; k++) {
            const ElfW(Vernaux) *aux = (const void *)q;
            if ((aux->vna_other & 0x7fff) == index)
                return m->names + aux->vna_name;
            q += aux->vna_next;
        }
        p = need->vn_next ? p + need->vn_next : 0;
    }
    return 0;
}

static const char *defined_version(const struct sn_elf *m, uint16_t index)
{
    const char *p = (const char *)m->verdef;
    while (p) {
        const ElfW(Verdef) *def = (const void *)p;
        if (def->vd_ndx == index) {
            const ElfW(Verdaux) *aux = (const void *)(p + def->vd_aux);
            return m->names + aux->vda_name;
        }
        p = def->vd_next ? p + def->vd_next : 0;
    }
    return 0;
}

static bool fits(const struct sn_elf *m, uint32_t i, const char *name, const char *version)
{
    const ElfW(Sym) *s = &m->symbols[i];
    unsigned type = ELF64_ST_TYPE(s->st_info);
    if (s->st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC) ||
        strcmp(m->names + s->st_name, name) != 0)
        return false;
    if (!m->versym)
        return true;
    const char *own = version ? defined_version(m, m->versym[i] & 0x7fff) : 0;
    return own ? strcmp(own, version) == 0 : !(m->versym[i] & 0x8000);
}

static uintptr_t address(const struct sn_elf *m, uint32_t i)
{
    const ElfW(Sym) *s = &m->symbols[i];
    uintptr_t p = m->base + s->st_value;
    if (ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC)
        p = ((uintptr_t(*)(void))p)();
    return p;
}

static uintptr_t find_gnu(const struct sn_elf *m, const char *name, const char *version)
{
    uint32_t h = 5381, nbuckets = m->gnu_hash[0], first = m->gnu_hash[1], words = m->gnu_hash[2];
    const uint32_t *buckets = m->gnu_hash + 4 + words * 2, *chain = buckets + nbuckets;
    for (const char *s = name; *s; s++)
        h = h * 33 + (unsigned char)*s;
    uint32_t i = nbuckets ? buckets[h % nbuckets] : 0;
    for (; i >= first && i; i++) {
        uint32_t have = chain[i - first];
        if ((have | 1) == (h | 1) && fits(m, i, name, version))
            return address(m, i);
        if (have & 1)
            break;
    }
    return 0;
}

uintptr_t sn_elf_find(const struct sn_elf *m, const char *name, const char *version)
{
    if (m->gnu_hash)
        return find_gnu(m, name, version);
    for (uint32_t i = 1, n = m->hash ? m->hash[1] : 0; i < n; i++)
        if (fits(m, i, name, version))
            return address(m, i);
    return 0;
}

static void look_at(const struct sn_elf *m, const ElfW(Rela) * r,
                    void (*look)(const struct sn_elf *m, const struct sn_elf_slot *s))
{
    uint32_t type = ELF64_R_TYPE(r->r_info), symbol = ELF64_R_SYM(r->r_info);
    if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) ||
        !symbol || r->r_addend)
        return;
    struct sn_elf_slot s = {.at = (uintptr_t *)(m->base + r->r_offset),
                            .name = m->names + m->symbols[symbol].st_name,
                            .symbol = symbol,
                            .is_call = type == R_X86_64_JUMP_SLOT};
    s.now = __atomic_load_n(s.at, __ATOMIC_RELAXED);
    s.unbound =
        s.is_call && s.now - m->low < m->high - m->low && m->symbols[symbol].st_shndx == SHN_UNDEF;
    if (s.now)
        look(m, &s);
}

void sn_elf_slots(const struct sn_elf *m,
                  void (*look)(const struct sn_elf *m, const struct sn_elf_slot *s))
{
    for (size_t i = 0; m->jmprel && i < m->njmprel; i++)
        look_at(m, &m->jmprel[i], look);
    for (size_t i = 0; m->rela && i < m->nrela; i++)
        look_at(m, &m->rela[i], look);
}

bool sn_elf_name_fits(const char *name, const char *with)
{
    const char *star = 0, *again = 0;
    while (*name) {
        if (*with == '*') {
            star = with++;
            again = name;
        } else if (*with == *name) {
            with++;
            name++;
        } else if (star) {
            with = star + 1;
            name = ++again;
        } else {
            return false;
        }
    }
    return with[strspn(with, "*")] == 0;
}
