/*
 * dynamic.c: the loader's view of a guarded module. A name that the guard runtime has becomes a
 * hidden, defined symbol: every reference to it, by whatever relocation and bound early or late, is
 * then bound to that address in this module, without a look at any library.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard/image.h"
#include "store/xalloc.h"

struct strings {
    char *text;
    size_t bytes;
};

static uint32_t add_string(struct strings *s, const char *text)
{
    size_t n = strlen(text) + 1;
    uint32_t at = (uint32_t)s->bytes;
    s->text = sn_xrealloc(s->text, s->bytes + n, 1);
    memcpy(s->text + at, text, n);
    s->bytes += n;
    return at;
}

struct needed_version {
    uint32_t file; /* string */
    Elf64_Vernaux aux[64];
    unsigned n;
};

struct work {
    struct sn_image *i;
    struct strings strings;
    struct needed_version *need;
    unsigned nneed, max_index;
    uint32_t nsymbols;
    uint64_t names; /* offset of the new string table in the file */
};

/* ---- symbols ---- */

uint32_t sn_image_count_symbols(const struct sn_image *i)
{
    const Elf64_Ehdr *e = sn_image_at(i, 0);
    if (e->e_shoff + (uint64_t)e->e_shnum * sizeof(Elf64_Shdr) > i->bytes)
        return 0;
    const Elf64_Shdr *sh = sn_image_at(i, e->e_shoff);
    for (unsigned k = 0; k < e->e_shnum; k++)
        if (sh[k].sh_type == SHT_DYNSYM)
            return (uint32_t)(sh[k].sh_size / sizeof(Elf64_Sym));
    return 0;
}

static unsigned version_index(struct work *w, const char *version)
{
    struct needed_version *libc = NULL;
    for (unsigned k = 0; k < w->nneed; k++)
        if (strcmp(w->strings.text + w->need[k].file, "libc.so.6") == 0)
            libc = &w->need[k];
    if (!libc)
        return 1;
    for (unsigned k = 0; k < libc->n; k++)
        if (strcmp(w->strings.text + libc->aux[k].vna_name, version) == 0)
            return libc->aux[k].vna_other;
    if (libc->n == 64)
        return 1;
    unsigned long hash = 0;
    for (const char *c = version; *c; c++) {
        hash = (hash << 4) + (unsigned char)*c;
        hash = (hash ^ (hash & 0xf0000000) >> 24) & 0x0fffffff;
    }
    libc->aux[libc->n++] = (Elf64_Vernaux){(Elf64_Word)hash, 0, (Elf64_Half)++w->max_index,
                                           add_string(&w->strings, version), 0};
    return w->max_index;
}

static void bind_symbols(struct work *w, const struct sn_rebind *r)
{
    struct sn_image *i = w->i;
    Elf64_Sym *sym = sn_image_at(i, sn_image_offset(i, sn_image_dynamic(i, DT_SYMTAB)));
    uint64_t versym = sn_image_dynamic(i, DT_VERSYM);
    Elf64_Half *version = versym ? sn_image_at(i, sn_image_offset(i, versym)) : NULL;
    struct sn_versions *libc = sn_versions_of_libc();
    for (uint32_t k = 1; k < w->nsymbols; k++) {
        if (sym[k].st_shndx)
            continue;
        const char *name = w->strings.text + sym[k].st_name;
        uint64_t at = r->bind(r->arg, name, ELF64_ST_BIND(sym[k].st_info) == STB_WEAK);
        const char *wanted = at || !version || version[k] > 1 ? NULL : sn_versions_find(libc, name);
        if (at) {
            sym[k].st_value = at;
            sym[k].st_shndx = 1;
            sym[k].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
            sym[k].st_other = STV_HIDDEN;
        } else if (wanted) {
            char *copy = sn_xstrdup(wanted); /* the table of strings may move */
            version[k] = (Elf64_Half)version_index(w, copy);
            free(copy);
        }
    }
    sn_versions_free(libc);
}

/* All names with this beginning are snag's: what src/fast asks for changes from version to version.
 */
bool sn_image_is_fast(const char *name)
{
    return strncmp(name, "snag_", 5) == 0;
}

/* What `snag cc` links into programs (src/fast) asks libsnag for thread-local words. None of it
 * runs any more, so the loader is not asked for them. */
static void drop_words(struct work *w)
{
    struct sn_image *i = w->i;
    uint64_t at = sn_image_dynamic(i, DT_RELA), bytes = sn_image_dynamic(i, DT_RELASZ);
    Elf64_Rela *r = at ? sn_image_at(i, sn_image_offset(i, at)) : NULL;
    const Elf64_Sym *sym = sn_image_at(i, sn_image_offset(i, sn_image_dynamic(i, DT_SYMTAB)));
    for (size_t k = 0; r && k < bytes / sizeof *r; k++) {
        const Elf64_Sym *of = &sym[ELF64_R_SYM(r[k].r_info)];
        if (!of->st_shndx && sn_image_is_fast(w->strings.text + of->st_name) &&
            (ELF64_R_TYPE(r[k].r_info) == R_X86_64_TPOFF64 ||
             ELF64_R_TYPE(r[k].r_info) == R_X86_64_DTPMOD64 ||
             ELF64_R_TYPE(r[k].r_info) == R_X86_64_DTPOFF64))
            r[k].r_info = ELF64_R_INFO(0, R_X86_64_NONE);
    }
}

/* ---- versions ---- */

static void read_versions(struct work *w)
{
    struct sn_image *i = w->i;
    uint64_t at = sn_image_dynamic(i, DT_VERNEED), n = sn_image_dynamic(i, DT_VERNEEDNUM);
    size_t offset = at ? sn_image_offset(i, at) : 0;
    w->need = sn_xcalloc(n + 1, sizeof *w->need);
    for (uint64_t k = 0; offset && k < n; k++) {
        const Elf64_Verneed *need = sn_image_at(i, offset);
        struct needed_version *to = &w->need[w->nneed++];
        const Elf64_Vernaux *aux = sn_image_at(i, offset + need->vn_aux);
        to->file = need->vn_file;
        for (unsigned j = 0; j < need->vn_cnt && to->n < 64; j++) {
            to->aux[to->n++] = *aux;
            if (aux->vna_other > w->max_index)
                w->max_index = aux->vna_other;
            aux = (const void *)((const char *)aux + aux->vna_next);
        }
        offset += need->vn_next;
    }
}

static size_t put_versions(const struct work *w, uint8_t *to)
{
    size_t at = 0;
    for (unsigned k = 0; k < w->nneed; k++) {
        const struct needed_version *n = &w->need[k];
        size_t bytes = sizeof(Elf64_Verneed) + n->n * sizeof(Elf64_Vernaux);
        Elf64_Verneed head = {1, (Elf64_Half)n->n, n->file, sizeof head,
                              k + 1 < w->nneed ? (Elf64_Word)bytes : 0};
        if (to)
            memcpy(to + at, &head, sizeof head);
        for (unsigned j = 0; j < n->n; j++) {
            Elf64_Vernaux aux = n->aux[j];
            aux.vna_next = j + 1 < n->n ? sizeof aux : 0;
            if (to)
                memcpy(to + at + sizeof head + j * sizeof aux, &aux, sizeof aux);
        }
        at += bytes;
    }
    return at;
}

/* ---- needed libraries and the loader's path ---- */

static bool is_snags(const char *name)
{
    return strncmp(name, "libsnag.so", 10) == 0 || strncmp(name, "libtsan.so", 10) == 0;
}

/* "a:SNAG:b" without snag's folder, behind `first`. malloc. */
static char *new_path(const char *old, const struct sn_rebind *r)
{
    char *out = sn_xstrdup(r->run_path ? r->run_path : "");
    for (const char *p = old; *p;) {
        size_t n = strcspn(p, ":");
        if (strlen(r->own_lib) != n || strncmp(p, r->own_lib, n) != 0) {
            char *longer = sn_xformat("%s%s%.*s", out, *out ? ":" : "", (int)n, p);
            free(out);
            out = longer;
        }
        p += n + (p[n] == ':');
    }
    return out;
}

static void change_libraries(struct work *w, const struct sn_rebind *r)
{
    Elf64_Dyn *d = sn_image_at(w->i, w->i->dynamic_at), *to = d;
    for (size_t k = 0; k < w->i->ndynamic; k++) {
        Elf64_Dyn e = d[k];
        if (e.d_tag == DT_NEEDED && is_snags(w->strings.text + e.d_un.d_val))
            continue;
        if (e.d_tag == DT_RUNPATH || e.d_tag == DT_RPATH) {
            char *path = new_path(w->strings.text + e.d_un.d_val, r);
            bool empty = !*path;
            e.d_un.d_val = empty ? 0 : add_string(&w->strings, path);
            free(path);
            if (empty)
                continue;
        }
        *to++ = e;
    }
    for (; to < d + w->i->ndynamic; to++)
        *to = (Elf64_Dyn){.d_tag = DT_NULL};
}

void sn_image_move_section(struct sn_image *i, uint64_t from, size_t at, size_t bytes)
{
    const Elf64_Ehdr *e = sn_image_at(i, 0);
    Elf64_Shdr *sh = sn_image_at(i, e->e_shoff);
    for (unsigned k = 0; k < e->e_shnum; k++)
        if (sh[k].sh_addr == from && from && sh[k].sh_flags & SHF_ALLOC && sh[k].sh_size) {
            sh[k].sh_offset = at;
            sh[k].sh_addr = at + i->delta;
            sh[k].sh_size = bytes;
        }
}

/* True: the program has the name itself, so it is left alone. */
static bool is_defined(const struct work *w, const char *name)
{
    const struct sn_image *i = w->i;
    const Elf64_Sym *sym = sn_image_at(i, sn_image_offset(i, sn_image_dynamic(i, DT_SYMTAB)));
    for (uint32_t k = 1; k < w->nsymbols; k++)
        if (sym[k].st_shndx && strcmp(w->strings.text + sym[k].st_name, name) == 0)
            return true;
    return false;
}

/* A program with an allocator of its own keeps it, and nothing is exported. */
static bool name_exports(struct work *w, const struct sn_rebind *r)
{
    for (uint32_t k = 0; k < r->nexports; k++)
        if (is_defined(w, r->exports[k].name))
            return false;
    for (uint32_t k = 0; k < r->nexports; k++)
        r->exports[k].string = add_string(&w->strings, r->exports[k].name);
    return r->nexports > 0;
}

int sn_image_rebind(struct sn_image *i, const struct sn_rebind *r)
{
    struct work w = {.i = i, .nsymbols = sn_image_count_symbols(i)};
    size_t names = sn_image_offset(i, sn_image_dynamic(i, DT_STRTAB));
    size_t bytes = sn_image_dynamic(i, DT_STRSZ);
    if (!names || !w.nsymbols || names + bytes > i->bytes)
        return -ENOEXEC;
    w.strings = (struct strings){sn_xcalloc(bytes, 1), bytes};
    memcpy(w.strings.text, sn_image_at(i, names), bytes);
    read_versions(&w);
    drop_words(&w);
    bind_symbols(&w, r);
    change_libraries(&w, r);
    bool exports = name_exports(&w, r);
    uint32_t import = exports ? add_string(&w.strings, r->import) : 0;
    size_t at = (i->bytes + 15) & ~(size_t)15, versions = (at + w.strings.bytes + 15) & ~(size_t)15;
    sn_image_grow(i, versions + put_versions(&w, NULL));
    memcpy(sn_image_at(i, at), w.strings.text, w.strings.bytes);
    put_versions(&w, sn_image_at(i, versions));
    sn_image_move_section(i, sn_image_dynamic(i, DT_STRTAB), at, w.strings.bytes);
    if (w.nneed)
        sn_image_move_section(i, sn_image_dynamic(i, DT_VERNEED), versions, i->bytes - versions);
    sn_image_set_dynamic(i, DT_STRTAB, at + i->delta);
    sn_image_set_dynamic(i, DT_STRSZ, w.strings.bytes);
    if (w.nneed)
        sn_image_set_dynamic(i, DT_VERNEED, versions + i->delta);
    free(w.strings.text);
    free(w.need);
    return exports ? sn_image_export(i, r->exports, r->nexports, import, r->slot) : 0;
}
