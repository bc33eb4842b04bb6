/* calls.c: reading a module's calls, functions and build id, see calls.h. */
#include "guard/calls.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard/machine.h"
#include "store/xalloc.h"
#include "symbol/map.h"

struct reading {
    struct sn_calls *out;
    Elf *elf;
    struct sn_map slots; /* GOT slot -> index into names */
    struct sn_map plt;   /* entry -> index into names */
    const char **names;
    size_t nnames, names_cap;
};

static int read_whole(const char *path, struct sn_calls *c)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int r = fstat(fd, &st) < 0 ? -errno : 0;
    if (!r) {
        c->file = sn_xcalloc((size_t)st.st_size + 1, 1);
        while (c->file_bytes < (size_t)st.st_size) {
            ssize_t n = read(fd, c->file + c->file_bytes, (size_t)st.st_size - c->file_bytes);
            if (n <= 0)
                break;
            c->file_bytes += (size_t)n;
        }
    }
    close(fd);
    return r;
}

static void add_call(struct sn_calls *c, uint64_t at, uint32_t bytes, enum sn_call_form form,
                     const char *name)
{
    c->call = sn_xgrow(c->call, c->n, &c->cap, sizeof *c->call);
    c->call[c->n++] = (struct sn_call_site){at, at + bytes, bytes, form, name};
}

static int compare_calls(const void *a, const void *b)
{
    const struct sn_call_site *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int compare_functions(const void *a, const void *b)
{
    const struct sn_function *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

static bool bytes_of(const struct reading *in, const GElf_Shdr *sh, const uint8_t **data)
{
    if (sh->sh_type == SHT_NOBITS || sh->sh_offset > in->out->file_bytes ||
        sh->sh_size > in->out->file_bytes - sh->sh_offset)
        return false;
    *data = in->out->file + sh->sh_offset;
    return true;
}

/* ---- by relocations ---- */

static void read_relocation(struct reading *in, const GElf_Rela *rela, const GElf_Shdr *code_sh,
                            const uint8_t *code, Elf_Data *symbols, size_t strings)
{
    GElf_Sym sym;
    size_t begin;
    uint32_t length;
    if (rela->r_offset < code_sh->sh_addr ||
        rela->r_offset >= code_sh->sh_addr + code_sh->sh_size ||
        !gelf_getsym(symbols, (int)GELF_R_SYM(rela->r_info), &sym))
        return;
    enum sn_call_form form =
        sn_machine_call(code, code_sh->sh_size, rela->r_offset - code_sh->sh_addr,
                        (unsigned)GELF_R_TYPE(rela->r_info), &begin, &length);
    const char *name = form ? elf_strptr(in->elf, strings, sym.st_name) : NULL;
    if (!name || !*name)
        return;
    /* a versioned name is "malloc@GLIBC_2.2.5" in the symbol table */
    size_t n = strcspn(name, "@");
    if (name[n])
        ((char *)name)[n] = '\0';
    add_call(in->out, code_sh->sh_addr + begin, length, form, name);
}

static void read_relocations(struct reading *in, Elf_Scn *scn, const GElf_Shdr *sh)
{
    GElf_Shdr code_sh, sym_sh;
    const uint8_t *code;
    Elf_Scn *code_scn = elf_getscn(in->elf, sh->sh_info);
    Elf_Scn *sym_scn = elf_getscn(in->elf, sh->sh_link);
    Elf_Data *data = elf_getdata(scn, NULL);
    if (!data || !code_scn || !sym_scn || !gelf_getshdr(code_scn, &code_sh) ||
        !gelf_getshdr(sym_scn, &sym_sh) || !(code_sh.sh_flags & SHF_EXECINSTR) ||
        !bytes_of(in, &code_sh, &code))
        return;
    Elf_Data *symbols = elf_getdata(sym_scn, NULL);
    for (size_t i = 0; symbols && i < sh->sh_size / sh->sh_entsize; i++) {
        GElf_Rela rela;
        if (gelf_getrela(data, (int)i, &rela))
            read_relocation(in, &rela, &code_sh, code, symbols, sym_sh.sh_link);
    }
    in->out->by_relocation = true;
}

/* ---- by the linkage table ---- */

static void read_slots(struct reading *in, Elf_Scn *scn, const GElf_Shdr *sh)
{
    GElf_Shdr sym_sh;
    Elf_Scn *sym_scn = elf_getscn(in->elf, sh->sh_link);
    Elf_Data *data = elf_getdata(scn, NULL);
    if (!data || !sym_scn || !gelf_getshdr(sym_scn, &sym_sh))
        return;
    Elf_Data *symbols = elf_getdata(sym_scn, NULL);
    for (size_t i = 0; symbols && i < sh->sh_size / sh->sh_entsize; i++) {
        GElf_Rela rela;
        GElf_Sym sym;
        uint32_t known;
        if (!gelf_getrela(data, (int)i, &rela) ||
            !gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &sym) || !sym.st_name ||
            sn_map_get(&in->slots, rela.r_offset, &known))
            continue;
        in->names = sn_xgrow(in->names, in->nnames, &in->names_cap, sizeof *in->names);
        in->names[in->nnames] = elf_strptr(in->elf, sym_sh.sh_link, sym.st_name);
        sn_map_put(&in->slots, rela.r_offset, (uint32_t)in->nnames++);
    }
}

static void read_plt(struct reading *in, const GElf_Shdr *sh)
{
    const uint8_t *code;
    if (!bytes_of(in, sh, &code))
        return;
    for (size_t at = 0; at + 16 <= sh->sh_size; at += 16) {
        int64_t slot;
        uint32_t length, name;
        if (sn_machine_plt(code, sh->sh_size, at, &slot, &length) &&
            sn_map_get(&in->slots, sh->sh_addr + (uint64_t)slot, &name))
            sn_map_put(&in->plt, sh->sh_addr + at, name);
    }
}

static void scan_code(struct reading *in, const GElf_Shdr *sh)
{
    const uint8_t *code;
    if (!bytes_of(in, sh, &code))
        return;
    for (size_t at = 0; at < sh->sh_size; at++) {
        int64_t target;
        enum sn_call_form form;
        uint32_t length, name;
        if (sn_machine_target(code, sh->sh_size, at, &target, &form, &length) &&
            sn_map_get(&in->plt, sh->sh_addr + (uint64_t)target, &name)) {
            add_call(in->out, sh->sh_addr + at, length, form, in->names[name]);
            at += length - 1;
        }
    }
}

/* ---- the whole ---- */

static void read_functions(struct reading *in, Elf_Scn *scn, const GElf_Shdr *sh)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    struct sn_calls *c = in->out;
    for (size_t i = 0; data && i < sh->sh_size / sh->sh_entsize; i++) {
        GElf_Sym sym;
        if (!gelf_getsym(data, (int)i, &sym) || GELF_ST_TYPE(sym.st_info) != STT_FUNC ||
            !sym.st_shndx || !sym.st_size)
            continue;
        c->function = sn_xgrow(c->function, c->nfunctions, &c->function_cap, sizeof *c->function);
        c->function[c->nfunctions++] =
            (struct sn_function){sym.st_value, sym.st_value + sym.st_size,
                                 elf_strptr(in->elf, sh->sh_link, sym.st_name)};
    }
}

static void read_build_id(struct reading *in, Elf_Scn *scn)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    GElf_Nhdr note;
    size_t name, desc, at = 0, next;
    while (data && (next = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
        if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz <= sizeof in->out->build_id) {
            memcpy(in->out->build_id, (char *)data->d_buf + desc, note.n_descsz);
            in->out->build_id_bytes = note.n_descsz;
        }
        at = next;
    }
}

enum pass { SYMBOLS, RELOCATIONS, SLOTS, TABLES, CODE };

static void read_section(struct reading *in, Elf_Scn *scn, const GElf_Shdr *sh, const char *name,
                         enum pass pass)
{
    bool allocated = sh->sh_flags & SHF_ALLOC, code = allocated && sh->sh_flags & SHF_EXECINSTR;
    bool table = strncmp(name, ".plt", 4) == 0;
    if (pass == SYMBOLS && (sh->sh_type == SHT_SYMTAB || sh->sh_type == SHT_DYNSYM))
        read_functions(in, scn, sh);
    if (pass == SYMBOLS && sh->sh_type == SHT_NOTE && allocated)
        read_build_id(in, scn);
    if (pass == RELOCATIONS && sh->sh_type == SHT_RELA && !allocated && sh->sh_info)
        read_relocations(in, scn, sh);
    if (pass == SLOTS && sh->sh_type == SHT_RELA && allocated)
        read_slots(in, scn, sh);
    if (pass == TABLES && code && table)
        read_plt(in, sh);
    if (pass == CODE && code && !table)
        scan_code(in, sh);
}

static void read_sections(struct reading *in, enum pass pass)
{
    size_t strings;
    Elf_Scn *scn = NULL;
    if (elf_getshdrstrndx(in->elf, &strings) != 0)
        return;
    while ((scn = elf_nextscn(in->elf, scn))) {
        GElf_Shdr sh;
        const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(in->elf, strings, sh.sh_name) : NULL;
        int is_table =
            sh.sh_type == SHT_RELA || sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM;
        if (name && (sh.sh_entsize || !is_table))
            read_section(in, scn, &sh, name, pass);
    }
}

int sn_calls_read(const char *path, struct sn_calls *out)
{
    struct reading in = {.out = out};
    GElf_Ehdr head;
    memset(out, 0, sizeof *out);
    int r = read_whole(path, out);
    if (r)
        return r;
    elf_version(EV_CURRENT);
    in.elf = elf_memory((char *)out->file, out->file_bytes);
    if (!in.elf || !gelf_getehdr(in.elf, &head) || head.e_machine != EM_X86_64) {
        elf_end(in.elf);
        sn_calls_free(out);
        return -ENOEXEC;
    }
    read_sections(&in, SYMBOLS);
    read_sections(&in, RELOCATIONS);
    if (!out->by_relocation)
        for (enum pass p = SLOTS; p <= CODE; p++)
            read_sections(&in, p);
    qsort(out->call, out->n, sizeof *out->call, compare_calls);
    qsort(out->function, out->nfunctions, sizeof *out->function, compare_functions);
    sn_map_free(&in.slots);
    sn_map_free(&in.plt);
    free(in.names);
    elf_end(in.elf); /* the strings are in the copy of the file */
    return 0;
}

void sn_calls_free(struct sn_calls *c)
{
    free(c->file);
    free(c->call);
    free(c->function);
    memset(c, 0, sizeof *c);
}

const struct sn_call_site *sn_calls_by_return(const struct sn_calls *c, uint64_t returns)
{
    size_t low = 0, high = c->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (c->call[mid].returns == returns)
            return &c->call[mid];
        if (c->call[mid].returns < returns)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

const struct sn_function *sn_calls_function(const struct sn_calls *c, uint64_t at)
{
    const struct sn_function *best = NULL;
    size_t low = 0, high = c->nfunctions;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (c->function[mid].low <= at) {
            best = &c->function[mid];
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return best && at < best->high ? best : NULL;
}
