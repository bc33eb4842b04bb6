/*
 * entry.c: where a function calls __tsan_func_entry, the first call that an instrumented function
 * makes. The call goes straight to it (all linked into one file), through a PLT stub, or through
 * the GOT (-fno-plt); the relocations say which GOT slot is its. The bytes of the function are
 * looked through for a call to one of these: no other byte sequence gives such a target but by
 * chance.
 */
#include "symbol/module.h"

#include <dwarf.h>
#include <string.h>

/* Bytes of a prologue that we look through. */
#define PROLOGUE_MAX 1024
#define HOOK "__tsan_func_entry"

/* The bytes at vaddr, at least `bytes` of them; null: not in the file. */
static const uint8_t *code_at(struct sn_module *m, uint64_t vaddr, uint64_t bytes)
{
    size_t file_bytes, n;
    const char *file = m->elf ? elf_rawfile(m->elf, &file_bytes) : NULL;
    GElf_Phdr segment;
    if (!file || elf_getphdrnum(m->elf, &n) != 0)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (!gelf_getphdr(m->elf, i, &segment) || segment.p_type != PT_LOAD)
            continue;
        uint64_t at = vaddr - segment.p_vaddr;
        if (vaddr < segment.p_vaddr || at >= segment.p_filesz || segment.p_filesz - at < bytes)
            continue;
        if (segment.p_offset > file_bytes || file_bytes - segment.p_offset < at + bytes)
            return NULL;
        return (const uint8_t *)file + segment.p_offset + at;
    }
    return NULL;
}

static bool is_hook(struct sn_module *m, const GElf_Shdr *rela, GElf_Xword symbol)
{
    Elf_Scn *section = elf_getscn(m->elf, rela->sh_link);
    GElf_Shdr table;
    GElf_Sym sym;
    if (!section || !gelf_getshdr(section, &table) ||
        !gelf_getsym(elf_getdata(section, NULL), symbol, &sym))
        return false;
    const char *name = elf_strptr(m->elf, table.sh_link, sym.st_name);
    return name && strcmp(name, HOOK) == 0;
}

static void find_slots_in(struct sn_module *m, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Rela rela;
    for (int i = 0; data && gelf_getrela(data, i, &rela); i++) {
        if (m->nhook == SN_HOOK_SLOTS)
            return;
        if (is_hook(m, header, GELF_R_SYM(rela.r_info)))
            m->hook_slot[m->nhook++] = rela.r_offset;
    }
}

static void find_slots(struct sn_module *m)
{
    GElf_Shdr header;
    GElf_Ehdr elf;
    if (m->hooks_ready)
        return;
    m->hooks_ready = true;
    if (!m->elf || !gelf_getehdr(m->elf, &elf) || elf.e_machine != EM_X86_64)
        return;
    for (Elf_Scn *s = elf_nextscn(m->elf, NULL); s; s = elf_nextscn(m->elf, s)) {
        /* With --emit-relocs there are others too; those that are loaded have SHF_ALLOC. */
        if (gelf_getshdr(s, &header) && header.sh_type == SHT_RELA && (header.sh_flags & SHF_ALLOC))
            find_slots_in(m, s, &header);
    }
}

static bool is_hook_slot(struct sn_module *m, uint64_t slot)
{
    for (unsigned i = 0; i < m->nhook; i++) {
        if (m->hook_slot[i] == slot)
            return true;
    }
    return false;
}

/* Where the 32-bit displacement at p, which is at vaddr, leads from the end of its instruction. */
static uint64_t relative(const uint8_t *p, uint64_t vaddr)
{
    int32_t displacement;
    memcpy(&displacement, p, sizeof displacement);
    return vaddr + sizeof displacement + (int64_t)displacement;
}

/* A stub is [endbr64] [bnd] jmp *slot(%rip). */
static bool is_stub(struct sn_module *m, uint64_t target)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    const uint8_t *p = code_at(m, target, 11);
    if (!p)
        return false;
    unsigned at = memcmp(p, endbr64, sizeof endbr64) == 0 ? sizeof endbr64 : 0;
    at += p[at] == 0xf2;
    return p[at] == 0xff && p[at + 1] == 0x25 &&
           is_hook_slot(m, relative(p + at + 2, target + at + 2));
}

static bool is_target(struct sn_module *m, uint64_t target)
{
    if (m->nhook)
        return is_stub(m, target);
    const char *symbol = sn_elfsym_code(m, target);
    return symbol && strcmp(symbol, HOOK) == 0;
}

static bool is_call(struct sn_module *m, const uint8_t *p, uint64_t vaddr)
{
    if (p[0] == 0xe8)
        return is_target(m, relative(p + 1, vaddr + 1));
    return p[0] == 0xff && p[1] == 0x15 && is_hook_slot(m, relative(p + 2, vaddr + 2));
}

static bool entry_range(Dwarf_Die *function, uint64_t *low, uint64_t *high)
{
    Dwarf_Addr base, entry, start, end;
    ptrdiff_t at = 0;
    if (dwarf_entrypc(function, &entry) != 0)
        return false;
    while ((at = dwarf_ranges(function, at, &base, &start, &end)) > 0) {
        if (entry < start || entry >= end)
            continue;
        *low = entry;
        *high = end - entry > PROLOGUE_MAX ? entry + PROLOGUE_MAX : end;
        return true;
    }
    return false;
}

uint64_t sn_entry_call(struct sn_module *m, Dwarf_Die *function, uint64_t pc)
{
    uint64_t low, high;
    find_slots(m);
    if (!entry_range(function, &low, &high))
        return pc;
    const uint8_t *code = code_at(m, low, high - low);
    for (uint64_t at = low; code && at + 6 <= high; at++) {
        if (is_call(m, code + (at - low), at))
            return at;
    }
    return pc;
}
