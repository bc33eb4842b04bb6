/* program.c: the kind of a program file, by libelf. See program.h. */
#include "symbol/program.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

static bool defines(Elf *elf, Elf_Scn *section, const GElf_Shdr *head, const char *name)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data && head->sh_entsize ? head->sh_size / head->sh_entsize : 0;
    for (size_t i = 0; i < n; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF)
            continue;
        const char *found = elf_strptr(elf, head->sh_link, symbol.st_name);
        if (found && strcmp(found, name) == 0)
            return true;
    }
    return false;
}

/* The dynamic symbols only: they are there in a stripped program too. */
static bool exports(Elf *elf, const char *name)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr head;
        if (gelf_getshdr(section, &head) && head.sh_type == SHT_DYNSYM &&
            defines(elf, section, &head, name))
            return true;
    }
    return false;
}

static bool has_segment(Elf *elf, GElf_Word type)
{
    size_t n;
    GElf_Phdr segment;
    if (elf_getphdrnum(elf, &n) < 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == type)
            return true;
    return false;
}

static enum sn_program_kind program_kind(Elf *elf)
{
    GElf_Ehdr head;
    if (!gelf_getehdr(elf, &head))
        return SN_PROGRAM_OTHER;
    if (head.e_machine != EM_X86_64 || head.e_ident[EI_CLASS] != ELFCLASS64)
        return SN_PROGRAM_FOREIGN;
    /* The loader itself, run with a program as its argument, has no interpreter but a name. */
    if (has_segment(elf, PT_INTERP) || exports(elf, "_dl_mcount"))
        return SN_PROGRAM_DYNAMIC;
    return SN_PROGRAM_STATIC;
}

int sn_program_read(const char *path, struct sn_program *out)
{
    *out = (struct sn_program){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    char start[2] = {0};
    if (elf && elf_kind(elf) == ELF_K_ELF) {
        out->kind = program_kind(elf);
        out->tsan_inside = exports(elf, "__tsan_init");
    } else if (pread(fd, start, 2, 0) == 2) {
        out->script = memcmp(start, "#!", 2) == 0;
    }
    elf_end(elf);
    close(fd);
    return 0;
}
