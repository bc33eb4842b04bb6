/*
 * objects.c: globals and functions by the symbol table, arguments by DWARF: compilers describe
 * every function that a unit calls. See objects.h.
 */
#include "symbol/objects.h"

#include <dwarf.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "symbol/module.h"
#include "symbol/walk.h"

struct listing {
    FILE *out;
    const char *module; /* base name */
    char *const *pattern;
    size_t npatterns;
    int excluded;
};

static bool is_excluded(const struct listing *l, const char *name)
{
    for (size_t i = 0; i < l->npatterns; i++)
        if (fnmatch(l->pattern[i], name, 0) == 0)
            return true;
    return false;
}

/* gcc's parts of one function: f.part.0, f.constprop.0, f.cold. */
static void whole_name(const char *name, char *out, size_t room)
{
    size_t n = strcspn(name, ".");
    if (n == 0 || n >= room)
        n = strlen(name) < room ? strlen(name) : room - 1;
    memcpy(out, name, n);
    out[n] = '\0';
}

static void list_symbol(struct listing *l, const GElf_Sym *sym, const char *name)
{
    char whole[1024];
    unsigned type = GELF_ST_TYPE(sym->st_info);
    if (sym->st_shndx == SHN_UNDEF || !sym->st_size || !sym->st_value)
        return;
    if (type == STT_OBJECT) {
        fprintf(l->out, "g %s %llx %llx\n", l->module, (unsigned long long)sym->st_value,
                (unsigned long long)sym->st_size);
        return;
    }
    whole_name(name, whole, sizeof whole);
    if (type != STT_FUNC || !is_excluded(l, whole))
        return;
    l->excluded++;
    fprintf(l->out, "x %s %llx %llx %s\n", l->module, (unsigned long long)sym->st_value,
            (unsigned long long)sym->st_size, whole);
}

static bool list_table(struct listing *l, Elf *elf, GElf_Word type)
{
    GElf_Shdr header;
    GElf_Sym sym;
    for (Elf_Scn *s = elf ? elf_nextscn(elf, NULL) : NULL; s; s = elf_nextscn(elf, s)) {
        if (!gelf_getshdr(s, &header) || header.sh_type != type || !header.sh_entsize)
            continue;
        Elf_Data *data = elf_getdata(s, NULL);
        size_t n = data ? data->d_size / header.sh_entsize : 0;
        for (size_t i = 1; i < n && i < INT32_MAX; i++) {
            const char *name = gelf_getsym(data, (int)i, &sym)
                                   ? elf_strptr(elf, header.sh_link, sym.st_name)
                                   : NULL;
            if (name)
                list_symbol(l, &sym, name);
        }
        if (n > 1)
            return true;
    }
    return false;
}

/* What may be a pointer: one, or an integer as wide as one (pthread_t). */
static bool may_point(Dwarf_Die *parameter)
{
    Dwarf_Die type;
    if (!sn_die_type(parameter, &type))
        return true;
    switch (dwarf_tag(&type)) {
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
    case DW_TAG_array_type:
        return true;
    case DW_TAG_base_type:
        return sn_type_size(&type) >= 8;
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_class_type:
        return sn_type_size(&type) <= 16;
    default:
        return false;
    }
}

/* Which integer registers hold something that may be a pointer. Structures by value take up to two;
 * floating point takes none. */
static unsigned registers_of(Dwarf_Die *function, bool *prototyped)
{
    Dwarf_Die child, type;
    unsigned mask = 0, next = 0;
    *prototyped = false;
    if (dwarf_child(function, &child) != 0)
        return 0;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_unspecified_parameters)
            return mask | (0x3fu & ~((1u << next) - 1));
        if (tag != DW_TAG_formal_parameter)
            continue;
        *prototyped = true;
        unsigned n = 1;
        bool known = sn_die_type(&child, &type);
        Dwarf_Word encoding = 0;
        Dwarf_Attribute attribute;
        if (known && dwarf_tag(&type) == DW_TAG_base_type &&
            dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &attribute), &encoding) == 0 &&
            encoding == DW_ATE_float)
            continue;
        if (known && dwarf_tag(&type) == DW_TAG_structure_type)
            n = sn_type_size(&type) > 16 ? 0 : sn_type_size(&type) > 8 ? 2 : 1;
        for (; n && next < 6; n--, next++)
            if (may_point(&child))
                mask |= 1u << next;
    } while (dwarf_siblingof(&child, &child) == 0);
    return mask;
}

static bool visit(Dwarf_Die *die, const struct sn_walk *walk, void *arg)
{
    struct listing *l = arg;
    Dwarf_Attribute attribute;
    bool prototyped;
    if (dwarf_tag(die) != DW_TAG_subprogram)
        return walk->depth < 4;
    const char *name = NULL;
    if (dwarf_attr(die, DW_AT_linkage_name, &attribute))
        name = dwarf_formstring(&attribute);
    if (!name && dwarf_attr(die, DW_AT_name, &attribute))
        name = dwarf_formstring(&attribute);
    if (!name || strchr(name, ' '))
        return false;
    unsigned mask = registers_of(die, &prototyped);
    if (prototyped || dwarf_hasattr(die, DW_AT_prototyped))
        fprintf(l->out, "f %s %x\n", name, mask);
    return false;
}

static void list_prototypes(struct listing *l, struct sn_module *m)
{
    sn_units_load(m);
    for (size_t i = 0; m->dwarf && i < m->units.n; i++) {
        sn_unit_open(&m->units.unit[i]);
        sn_walk(&m->units.unit[i].top, visit, l);
    }
}

int sn_symbol_objects(const char *path, char *const *pattern, size_t npatterns, FILE *out)
{
    struct sn_module m;
    const struct sn_build_id any = {.n = 0};
    struct listing l = {.out = out, .pattern = pattern, .npatterns = npatterns};
    sn_module_open(&m, path, &any);
    sn_module_need_dwarf(&m);
    l.module = m.file_name;
    int r = m.elf ? 0 : -ENOEXEC;
    if (!r && !strpbrk(l.module, " \n")) {
        if (!list_table(&l, m.elf, SHT_SYMTAB) && !list_table(&l, m.debug_elf, SHT_SYMTAB))
            list_table(&l, m.elf, SHT_DYNSYM);
        list_prototypes(&l, &m);
        r = l.excluded;
    }
    sn_module_close(&m);
    return r;
}
