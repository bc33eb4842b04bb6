/*
 * zstd.c: debug sections that are packed with zstd (-gz=zstd), which elfutils before 0.189 cannot
 * read. A copy of the file is made in memory, with these sections unpacked behind its end and their
 * headers set to there; the rest is where it was. The file may be damaged: a section that does not
 * unpack stays as it is.
 */
#include "symbol/module.h"

#include <string.h>
#include <zstd.h>

#include "store/xalloc.h"

enum {
    PACKED_BY_ZSTD = 2, /* ELFCOMPRESS_ZSTD, where elf.h is older */
    ALIGN = 16,
    MOST = 4096, /* times its packed size; a damaged header asks for any amount of memory */
};

struct copy {
    const char *file; /* as it is on the disk */
    size_t file_bytes;
    char *image; /* null: only its size is counted */
    size_t used;
};

/* The header in the section's data, when zstd packed it. */
static bool is_packed(const struct copy *c, const Elf64_Shdr *s, Elf64_Chdr *head)
{
    if (!(s->sh_flags & SHF_COMPRESSED) || s->sh_type == SHT_NOBITS || s->sh_size < sizeof *head ||
        s->sh_offset > c->file_bytes || s->sh_size > c->file_bytes - s->sh_offset)
        return false;
    memcpy(head, c->file + s->sh_offset, sizeof *head);
    return head->ch_type == PACKED_BY_ZSTD && head->ch_size / MOST <= s->sh_size;
}

static void unpack(struct copy *c, Elf64_Shdr *s, const Elf64_Chdr *head)
{
    if (c->image) {
        size_t n =
            ZSTD_decompress(c->image + c->used, head->ch_size,
                            c->file + s->sh_offset + sizeof *head, s->sh_size - sizeof *head);
        if (n != head->ch_size) /* an error is another number, too */
            return;
        s->sh_flags &= ~(Elf64_Xword)SHF_COMPRESSED;
        s->sh_offset = c->used;
        s->sh_size = n;
        s->sh_addralign = head->ch_addralign;
    }
    c->used += (head->ch_size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

/* How many sections there are to unpack; with an image they are unpacked into it. */
static size_t each_section(struct copy *c, const Elf64_Ehdr *e, size_t sections)
{
    size_t found = 0;
    for (size_t i = 0; i < sections; i++) {
        size_t at = e->e_shoff + i * sizeof(Elf64_Shdr);
        Elf64_Shdr s;
        Elf64_Chdr head;
        memcpy(&s, c->file + at, sizeof s);
        if (!is_packed(c, &s, &head))
            continue;
        found++;
        unpack(c, &s, &head);
        if (c->image)
            memcpy(c->image + at, &s, sizeof s);
    }
    return found;
}

Elf *sn_unpacked_elf(Elf *elf, char **image)
{
    struct copy c = {0};
    Elf64_Ehdr e;
    size_t sections;
    c.file = elf ? elf_rawfile(elf, &c.file_bytes) : NULL;
    if (!c.file || c.file_bytes < sizeof e || elf_getshdrnum(elf, &sections) != 0)
        return NULL;
    memcpy(&e, c.file, sizeof e);
    if (e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_shentsize != sizeof(Elf64_Shdr) ||
        e.e_shoff > c.file_bytes || sections > (c.file_bytes - e.e_shoff) / sizeof(Elf64_Shdr))
        return NULL;
    size_t begin = c.used = (c.file_bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (!each_section(&c, &e, sections))
        return NULL;
    *image = c.image = sn_xcalloc(1, c.used);
    size_t bytes = c.used;
    memcpy(c.image, c.file, c.file_bytes);
    c.used = begin;
    each_section(&c, &e, sections);
    return elf_memory(c.image, bytes);
}
