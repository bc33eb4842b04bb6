/*
 * elfsym.c: names from .symtab (of the module, else of its debug file), else from .dynsym. The last
 * resort, when there is no DWARF: a function's or variable's name and size, no source.
 */
#include "symbol/module.h"

#include "store/xalloc.h"

struct table {
    Elf *elf;
    Elf_Data *data;
    GElf_Shdr header;
    size_t n;
};

static bool find_table(Elf *elf, GElf_Word type, struct table *t)
{
    if (!elf)
        return false;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        if (!gelf_getshdr(s, &t->header) || t->header.sh_type != type)
            continue;
        t->elf = elf;
        t->data = elf_getdata(s, NULL);
        if (!t->data || t->header.sh_entsize == 0)
            continue;
        t->n = t->data->d_size / t->header.sh_entsize;
        if (t->n > 1)
            return true;
    }
    return false;
}

/* Added to the rank of symbols that have a size. */
#define SIZED 1000

/* Of several names for one thing the most public one, with the fewest underscores before it. */
static uint32_t rank_of(const GElf_Sym *sym, const char *name)
{
    static const uint32_t by_binding[] = {[STB_LOCAL] = 10, [STB_GLOBAL] = 30, [STB_WEAK] = 20};
    unsigned binding = GELF_ST_BIND(sym->st_info);
    uint32_t rank = binding <= STB_WEAK ? by_binding[binding] : 10;
    uint32_t underscores = strspn(name, "_");
    rank -= underscores < 8 ? underscores : 8;
    rank += GELF_ST_TYPE(sym->st_info) == STT_NOTYPE ? 0 : 100;
    return sym->st_size ? rank + SIZED : rank;
}

static bool section_of(Elf *elf, const GElf_Sym *sym, GElf_Shdr *section)
{
    return sym->st_shndx < SHN_LORESERVE && gelf_getshdr(elf_getscn(elf, sym->st_shndx), section);
}

/* Where a symbol without a size (assembly) ends at the latest. */
static uint64_t code_end(Elf *elf, const GElf_Sym *sym)
{
    GElf_Shdr section;
    if (sym->st_size)
        return sym->st_value + sym->st_size;
    if (!section_of(elf, sym, &section))
        return sym->st_value;
    return section.sh_addr + section.sh_size;
}

static bool is_executable(Elf *elf, const GElf_Sym *sym)
{
    GElf_Shdr section;
    return section_of(elf, sym, &section) && (section.sh_flags & SHF_EXECINSTR);
}

static void add_symbol(struct sn_elfsyms *s, Elf *elf, const GElf_Sym *sym, const char *name)
{
    uint32_t item = s->n, rank = rank_of(sym, name);
    uint64_t low = sym->st_value;
    switch (GELF_ST_TYPE(sym->st_info)) {
    case STT_NOTYPE:
        if (!is_executable(elf, sym))
            return;
        /* fall through */
    case STT_FUNC:
    case STT_GNU_IFUNC:
        sn_spans_add(&s->code, low, code_end(elf, sym), item, rank);
        break;
    case STT_OBJECT:
    case STT_COMMON:
        sn_spans_add(&s->data, low, low + sym->st_size, item, rank);
        break;
    case STT_TLS:
        sn_spans_add(&s->tls, low, low + sym->st_size, item, rank);
        break;
    default:
        return;
    }
    s->name = sn_xgrow(s->name, s->n, &s->cap, sizeof *s->name);
    s->name[s->n++] = name;
}

/* A symbol without a size reaches to the next symbol and no further. */
static void clip(struct sn_spans *code)
{
    uint64_t next = UINT64_MAX;
    for (size_t i = code->n; i-- > 0;) {
        struct sn_span *span = &code->v[i];
        if (i + 1 < code->n && code->v[i + 1].low > span->low)
            next = code->v[i + 1].low;
        if (span->rank < SIZED && span->high > next)
            span->high = next;
    }
}

static void load(struct sn_module *m)
{
    struct sn_elfsyms *s = &m->syms;
    struct table t;
    GElf_Sym sym;
    s->ready = true;
    sn_module_need_dwarf(m);
    if (!find_table(m->elf, SHT_SYMTAB, &t) && !find_table(m->debug_elf, SHT_SYMTAB, &t) &&
        !find_table(m->elf, SHT_DYNSYM, &t))
        return;
    for (size_t i = 1; i < t.n; i++) {
        if (!gelf_getsym(t.data, i, &sym) || sym.st_shndx == SHN_UNDEF || sym.st_shndx == SHN_ABS)
            continue;
        const char *name = elf_strptr(t.elf, t.header.sh_link, sym.st_name);
        if (name && *name)
            add_symbol(s, t.elf, &sym, name);
    }
    sn_spans_sort(&s->code);
    clip(&s->code);
    sn_spans_sort(&s->code);
    sn_spans_sort(&s->data);
    sn_spans_sort(&s->tls);
}

static const char *find(struct sn_module *m, const struct sn_spans *spans, uint64_t at,
                        uint64_t *low, uint64_t *size)
{
    if (!m->syms.ready)
        load(m);
    const struct sn_span *span = sn_spans_find(spans, at);
    if (!span)
        return NULL;
    if (low)
        *low = span->low;
    if (size)
        *size = span->high - span->low;
    return m->syms.name[span->item];
}

const char *sn_elfsym_code(struct sn_module *m, uint64_t at)
{
    return find(m, &m->syms.code, at, NULL, NULL);
}

const char *sn_elfsym_data(struct sn_module *m, uint64_t at, uint64_t *low, uint64_t *size)
{
    return find(m, &m->syms.data, at, low, size);
}

const char *sn_elfsym_tls(struct sn_module *m, uint64_t at, uint64_t *low, uint64_t *size)
{
    return find(m, &m->syms.tls, at, low, size);
}

void sn_elfsyms_free(struct sn_elfsyms *s)
{
    free(s->name);
    sn_spans_free(&s->code);
    sn_spans_free(&s->data);
    sn_spans_free(&s->tls);
}
