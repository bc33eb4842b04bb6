/*
 * elf.c: the facts of elf.h, from the program headers, the dynamic section and the symbol tables.
 */
#include "symbol/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/module.h"

static void read_needed(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                        struct sn_elf_facts *out)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Dyn entry;
    for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
        if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE))
            out->pie = true;
        if (entry.d_tag != DT_NEEDED)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
        out->needs_libsnag |= name && strncmp(name, "libsnag", 7) == 0;
        out->needs_libtsan |= name && strncmp(name, "libtsan.so", 10) == 0;
        out->needs_libasan |= name && strncmp(name, "libasan.so", 10) == 0;
        out->needs_musl |= /* glibc's has its version behind it */
            name && (strcmp(name, "libc.so") == 0 || strncmp(name, "libc.musl", 9) == 0);
    }
}

/* What the compilers call, as against the annotations, which people call by hand, and the calls
 * with a pc, which are those of src/fast. */
static bool is_instrumentation(const char *name)
{
    size_t n = strlen(name);
    if (n > 3 && strcmp(name + n - 3, "_pc") == 0)
        return false;
    static const char *const prefix[] = {"__tsan_init",  "__tsan_func_",    "__tsan_read",
                                         "__tsan_write", "__tsan_atomic",   "__tsan_unaligned_",
                                         "__tsan_vptr_", "__tsan_volatile_"};
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++) {
        if (strncmp(name, prefix[i], strlen(prefix[i])) == 0)
            return true;
    }
    return false;
}

static void read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                         struct sn_elf_facts *out)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym sym;
    for (int i = 1; data && gelf_getsym(data, i, &sym); i++) {
        const char *name = elf_strptr(elf, header->sh_link, sym.st_name);
        out->loads |= name && (strcmp(name, "dlopen") == 0 || strcmp(name, "dlmopen") == 0);
        if (!name || !is_instrumentation(name))
            continue;
        out->instrumented = true;
        out->own_tsan |= sym.st_shndx != SHN_UNDEF && strcmp(name, "__tsan_init") == 0;
    }
}

/* The dynamic symbols say it all where there are some, and are few. */
static void find_instrumentation(Elf *elf, struct sn_elf_facts *out)
{
    GElf_Shdr header;
    Elf_Scn *all = NULL;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        if (!gelf_getshdr(s, &header))
            continue;
        if (header.sh_type == SHT_DYNSYM) {
            read_symbols(elf, s, &header, out);
            return;
        }
        all = header.sh_type == SHT_SYMTAB ? s : all;
    }
    if (all && gelf_getshdr(all, &header))
        read_symbols(elf, all, &header, out);
}

static void read_sections(Elf *elf, struct sn_elf_facts *out)
{
    GElf_Shdr header;
    size_t names;
    bool named = elf_getshdrstrndx(elf, &names) == 0;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        if (!gelf_getshdr(s, &header))
            continue;
        if (header.sh_type == SHT_DYNAMIC)
            read_needed(elf, s, &header, out);
        const char *name = named ? elf_strptr(elf, names, header.sh_name) : NULL;
        out->has_debug_info |= name && strcmp(name, ".debug_info") == 0;
    }
}

static bool has_interpreter(Elf *elf)
{
    GElf_Phdr segment;
    size_t n;
    if (elf_getphdrnum(elf, &n) != 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (gelf_getphdr(elf, i, &segment) && segment.p_type == PT_INTERP)
            return true;
    }
    return false;
}

static void find_debug_info(const char *path, Elf *elf, struct sn_elf_facts *out)
{
    struct sn_build_id id = sn_build_id_of(elf);
    Elf *debug;
    int fd;
    out->build_id_bytes = id.n;
    memcpy(out->build_id, id.bytes, id.n);
    if (out->has_debug_info || sn_separate_debug(path, elf, &id, &fd, &debug) != 0)
        return;
    out->has_debug_info = true;
    elf_end(debug);
    close(fd);
}

static int read_facts(const char *path, Elf *elf, struct sn_elf_facts *out)
{
    GElf_Ehdr header;
    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        return -ENOEXEC;
    bool interpreter = has_interpreter(elf);
    read_sections(elf, out);
    find_instrumentation(elf, out);
    out->x86_64 = header.e_machine == EM_X86_64 && gelf_getclass(elf) == ELFCLASS64;
    /* Old linkers do not set DF_1_PIE; libc.so.6 has an interpreter and is executable. */
    out->pie = header.e_type == ET_DYN && (out->pie || interpreter);
    out->program = header.e_type == ET_EXEC || out->pie;
    out->is_static = out->program && !interpreter;
    find_debug_info(path, elf, out);
    return 0;
}

int sn_elf_probe(const char *path, struct sn_elf_facts *out)
{
    struct stat st;
    *out = (struct sn_elf_facts){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return S_ISDIR(st.st_mode) ? -EISDIR : -ENOEXEC;
    }
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    int result = elf ? read_facts(path, elf, out) : -ENOEXEC;
    elf_end(elf);
    close(fd);
    return result;
}
