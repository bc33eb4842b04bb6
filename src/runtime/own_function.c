/*
 * own_function.c: the entry of a function that was compiled with room for a jump.
 *
 *     14 bytes of nop            jmp *(%rip); address
 *     entry: [endbr64]           entry: [endbr64]
 *            2 bytes of nop              jmp .-14…
 *     body:  …                   body:  …
 *
 * Two bytes are all that a function pays that nobody redirects. The compiler lists these places in
 * the section __patchable_function_entries, which is mapped with the module; the names are in the
 * symbol table of its file, so that static functions have one, too.
 */
#include "runtime/own_function.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/sys.h"

enum { BEFORE = 14 };

struct file {
    const char *bytes;
    size_t size;
    const ElfW(Shdr) * section;
    size_t nsections;
    const uintptr_t *room; /* in the module's memory */
    size_t nrooms;
};

static bool map(struct file *f, const char *path)
{
    struct stat st;
    long fd = sn_sys3(SYS_open, *path ? path : "/proc/self/exe", O_RDONLY | O_CLOEXEC, 0), p = -1;
    if (fd < 0)
        return false;
    if (sn_sys2(SYS_fstat, fd, &st) == 0 && st.st_size > (long)sizeof(ElfW(Ehdr)))
        p = sn_sys6(SYS_mmap, 0, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    sn_sys1(SYS_close, fd);
    *f = (struct file){.bytes = (const char *)p, .size = (size_t)st.st_size};
    return (unsigned long)p < (unsigned long)-4095;
}

static bool is_inside(const struct file *f, uint64_t at, uint64_t bytes)
{
    return at <= f->size && bytes <= f->size - at;
}

static bool find_sections(struct file *f)
{
    const ElfW(Ehdr) *h = (const void *)f->bytes;
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_shentsize != sizeof(ElfW(Shdr)) ||
        !is_inside(f, h->e_shoff, (uint64_t)h->e_shnum * sizeof(ElfW(Shdr))) ||
        h->e_shstrndx >= h->e_shnum)
        return false;
    f->section = (const void *)(f->bytes + h->e_shoff);
    f->nsections = h->e_shnum;
    return is_inside(f, f->section[h->e_shstrndx].sh_offset, f->section[h->e_shstrndx].sh_size);
}

static void find_rooms(struct file *f, const struct sn_elf *m)
{
    const ElfW(Ehdr) *h = (const void *)f->bytes;
    const ElfW(Shdr) *names = &f->section[h->e_shstrndx];
    for (size_t i = 0; i < f->nsections; i++) {
        const ElfW(Shdr) *s = &f->section[i];
        uintptr_t from = m->base + s->sh_addr;
        if (s->sh_name >= names->sh_size ||
            strcmp(f->bytes + names->sh_offset + s->sh_name, "__patchable_function_entries") != 0)
            continue;
        if (!(s->sh_flags & SHF_ALLOC) || from < m->low || from + s->sh_size > m->high)
            continue;
        f->room = (const uintptr_t *)from;
        f->nrooms = s->sh_size / sizeof *f->room;
        return;
    }
}

static bool has_room(const struct file *f, uintptr_t entry)
{
    for (size_t i = 0; i < f->nrooms; i++)
        if (f->room[i] == entry - BEFORE)
            return true;
    return false;
}

/* 0: there are no two bytes of nop where they should be. */
static uintptr_t body_of(uintptr_t entry)
{
    static const unsigned char endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    const unsigned char *p = (const unsigned char *)entry;
    if (memcmp(p, endbr, sizeof endbr) == 0)
        p += sizeof endbr;
    return (p[0] == 0x90 || p[0] == 0x66) && p[1] == 0x90 ? (uintptr_t)p + 2 : 0;
}

static void each_symbol(const struct file *f, const ElfW(Shdr) * table, const struct sn_elf *m,
                        void (*found)(const struct sn_elf *, const char *, uintptr_t, uintptr_t))
{
    const ElfW(Sym) *s = (const void *)(f->bytes + table->sh_offset);
    const ElfW(Shdr) *names = &f->section[table->sh_link];
    for (size_t i = 0; i < table->sh_size / sizeof *s; i++, s++) {
        uintptr_t entry = m->base + s->st_value;
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx == SHN_UNDEF ||
            s->st_name >= names->sh_size || entry < m->low + BEFORE || entry >= m->high)
            continue;
        uintptr_t body = has_room(f, entry) ? body_of(entry) : 0;
        if (body)
            found(m, f->bytes + names->sh_offset + s->st_name, entry, body);
    }
}

void sn_own_each(const struct sn_elf *m, void (*found)(const struct sn_elf *m, const char *name,
                                                       uintptr_t entry, uintptr_t body))
{
    struct file f;
    if (!map(&f, m->path))
        return;
    bool good = find_sections(&f);
    if (good)
        find_rooms(&f, m);
    for (size_t i = 0; good && f.nrooms && i < f.nsections; i++) {
        const ElfW(Shdr) *s = &f.section[i];
        if (s->sh_type == SHT_SYMTAB && s->sh_link < f.nsections &&
            is_inside(&f, s->sh_offset, s->sh_size) &&
            is_inside(&f, f.section[s->sh_link].sh_offset, f.section[s->sh_link].sh_size))
            each_symbol(&f, s, m, found);
    }
    sn_sys2(SYS_munmap, f.bytes, f.size);
}

bool sn_own_jump(uintptr_t entry, uintptr_t body, uintptr_t to)
{
    unsigned char far[BEFORE] = {0xff, 0x25, 0, 0, 0, 0};
    uintptr_t low = (entry - BEFORE) & ~(uintptr_t)4095, high = (body + 4095) & ~(uintptr_t)4095;
    unsigned char near[2] = {0xeb, (unsigned char)(entry - BEFORE - body)};
    uint16_t word;
    memcpy(far + 6, &to, sizeof to);
    memcpy(&word, near, sizeof word);
    if (sn_sys3(SYS_mprotect, low, high - low, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
        return false;
    memcpy((void *)(entry - BEFORE), far, sizeof far);
    __atomic_store_n((uint16_t *)(body - 2), word, __ATOMIC_RELEASE);
    sn_sys3(SYS_mprotect, low, high - low, PROT_READ | PROT_EXEC);
    return true;
}
