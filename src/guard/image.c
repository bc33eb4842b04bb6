/* image.c: see image.h. */
#include "guard/image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/xalloc.h"

int sn_image_load(struct sn_image *i, const char *path)
{
    FILE *f = fopen(path, "re");
    memset(i, 0, sizeof *i);
    if (!f)
        return -errno;
    for (size_t n = 1; n;) {
        if (i->bytes == i->cap)
            i->data = sn_xrealloc(i->data, i->cap = i->cap ? 2 * i->cap : 1 << 20, 1);
        n = fread(i->data + i->bytes, 1, i->cap - i->bytes, f);
        i->bytes += n;
    }
    fclose(f);
    const Elf64_Ehdr *e = (const void *)i->data;
    if (i->bytes < sizeof *e || memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 ||
        e->e_machine != EM_X86_64 || (e->e_type != ET_DYN && e->e_type != ET_EXEC) ||
        e->e_phoff + (uint64_t)e->e_phnum * sizeof(Elf64_Phdr) > i->bytes)
        return -ENOEXEC;
    const Elf64_Phdr *p = sn_image_at(i, e->e_phoff);
    for (unsigned k = 0; k < e->e_phnum; k++)
        if (p[k].p_type == PT_DYNAMIC && p[k].p_offset + p[k].p_filesz <= i->bytes) {
            i->dynamic_at = p[k].p_offset;
            i->ndynamic = p[k].p_filesz / sizeof(Elf64_Dyn);
        }
    return i->dynamic_at ? 0 : -ENOEXEC;
}

void sn_image_grow(struct sn_image *i, size_t bytes)
{
    if (bytes > i->cap)
        i->data = sn_xrealloc(i->data, i->cap = bytes + (bytes >> 2), 1);
    if (bytes > i->bytes)
        memset(i->data + i->bytes, 0, bytes - i->bytes);
    i->bytes = bytes;
}

void sn_image_free(struct sn_image *i)
{
    free(i->data);
    memset(i, 0, sizeof *i);
}

size_t sn_image_offset(const struct sn_image *i, uint64_t address)
{
    const Elf64_Ehdr *e = sn_image_at(i, 0);
    const Elf64_Phdr *p = sn_image_at(i, e->e_phoff);
    for (unsigned k = 0; k < e->e_phnum; k++)
        if (p[k].p_type == PT_LOAD && address >= p[k].p_vaddr &&
            address < p[k].p_vaddr + p[k].p_filesz)
            return p[k].p_offset + (address - p[k].p_vaddr);
    return 0;
}

uint64_t sn_image_dynamic(const struct sn_image *i, int64_t tag)
{
    const Elf64_Dyn *d = sn_image_at(i, i->dynamic_at);
    for (size_t k = 0; k < i->ndynamic && d[k].d_tag != DT_NULL; k++)
        if (d[k].d_tag == tag)
            return d[k].d_un.d_val;
    return 0;
}

void sn_image_set_dynamic(struct sn_image *i, int64_t tag, uint64_t value)
{
    Elf64_Dyn *d = sn_image_at(i, i->dynamic_at);
    for (size_t k = 0; k < i->ndynamic && d[k].d_tag != DT_NULL; k++)
        if (d[k].d_tag == tag)
            d[k].d_un.d_val = value;
}
