/*
 * module.c: opens a module's file, checks that it is the build that ran, and finds its debug
 * information: in the file itself, else in a separate one. When the file has gone or was rebuilt, a
 * separate debug file with the right build id still serves.
 */
#include "symbol/module.h"

#include <fcntl.h>
#include <unistd.h>

#include "store/xalloc.h"

static bool has_section(Elf *elf, const char *name)
{
    size_t names;
    GElf_Shdr header;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        if (!gelf_getshdr(s, &header) || header.sh_type == SHT_NOBITS)
            continue;
        const char *found = elf_strptr(elf, names, header.sh_name);
        if (found && strcmp(found, name) == 0)
            return true;
    }
    return false;
}

static void drop_elf(struct sn_module *m)
{
    elf_end(m->elf);
    if (m->fd >= 0)
        close(m->fd);
    m->elf = NULL;
    m->fd = -1;
}

static void open_elf(struct sn_module *m)
{
    m->fd = open(m->path, O_RDONLY | O_CLOEXEC);
    if (m->fd < 0)
        return;
    m->elf = elf_begin(m->fd, ELF_C_READ_MMAP, NULL);
    GElf_Ehdr header;
    if (!m->elf || elf_kind(m->elf) != ELF_K_ELF || !gelf_getehdr(m->elf, &header)) {
        drop_elf(m);
        return;
    }
    struct sn_build_id id = sn_build_id_of(m->elf);
    if (m->build_id.n && !sn_build_id_same(&id, &m->build_id))
        drop_elf(m);
    else
        m->build_id = id;
}

static void drop_unpacked(struct sn_module *m)
{
    elf_end(m->unpacked);
    free(m->unpacked_image);
    m->unpacked = NULL;
    m->unpacked_image = NULL;
}

static Dwarf *begin_dwarf(struct sn_module *m, Elf *elf)
{
    drop_unpacked(m);
    m->unpacked = sn_unpacked_elf(elf, &m->unpacked_image);
    return dwarf_begin_elf(m->unpacked ? m->unpacked : elf, DWARF_C_READ, NULL);
}

/* Its sections are unpacked at once, ten megabytes for the C library: only for who asks. */
void sn_module_need_dwarf(struct sn_module *m)
{
    if (m->dwarf_ready)
        return;
    m->dwarf_ready = true;
    bool own =
        m->elf && (has_section(m->elf, ".debug_info") || has_section(m->elf, ".zdebug_info"));
    if (own)
        m->dwarf = begin_dwarf(m, m->elf);
    if (m->dwarf)
        return;
    if (sn_separate_debug(m->path, m->elf, &m->build_id, &m->debug_fd, &m->debug_elf) == 0)
        m->dwarf = begin_dwarf(m, m->debug_elf);
}

void sn_module_open(struct sn_module *m, const char *path, const struct sn_build_id *id)
{
    *m = (struct sn_module){.fd = -1, .debug_fd = -1, .asked = *id, .build_id = *id};
    m->path = sn_xstrdup(path);
    const char *slash = strrchr(m->path, '/');
    m->file_name = slash ? slash + 1 : m->path;
    elf_version(EV_CURRENT);
    open_elf(m);
}

void sn_module_close(struct sn_module *m)
{
    sn_code_free(m);
    sn_names_free(m);
    sn_variables_free(&m->variables);
    sn_units_free(&m->units);
    sn_elfsyms_free(&m->syms);
    if (m->eh_cfi)
        dwarf_cfi_end(m->eh_cfi);
    dwarf_end(m->dwarf);
    drop_unpacked(m);
    elf_end(m->debug_elf);
    if (m->debug_fd >= 0)
        close(m->debug_fd);
    drop_elf(m);
    free(m->path);
}
