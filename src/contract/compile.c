/*
 * compile.c: a set of contracts as the one flat file that the runtime maps (core/contract.h).
 * Functions are sorted by name, with their effects side by side, so that the runtime finds them by
 * bisection. Exempt functions are left out: nothing is to be done for them.
 */
#include "contract/contract.h"

#include <string.h>

#include "store/xalloc.h"

struct text {
    char *data;
    size_t bytes, cap;
};

static uint32_t put_text(struct text *t, const char *s)
{
    size_t n = strlen(s ? s : "") + 1;
    while (t->bytes + n > t->cap) {
        t->cap = t->cap ? t->cap * 2 : 4096;
        t->data = sn_xrealloc(t->data, t->cap, 1);
    }
    memcpy(t->data + t->bytes, s ? s : "", n);
    t->bytes += n;
    return (uint32_t)(t->bytes - n);
}

static int by_function(const void *a, const void *b)
{
    const struct sn_contract_rule *const *x = a, *const *y = b;
    int order = strcmp((*x)->function, (*y)->function);
    if (order)
        return order;
    if ((*x)->lib != (*y)->lib)
        return (*x)->lib < (*y)->lib ? -1 : 1;
    return (*x)->effect.line < (*y)->effect.line ? -1 : (*x)->effect.line > (*y)->effect.line;
}

static bool same_function(const struct sn_contract_rule *a, const struct sn_contract_rule *b)
{
    return a->lib == b->lib && strcmp(a->function, b->function) == 0;
}

/* Leaves out functions with an `exempt` among their rules, which stand side by side. */
static size_t without_exempt(const struct sn_contract_rule **all, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0, k; i < n; i += k) {
        bool exempt = false;
        for (k = 0; i + k < n && same_function(all[i], all[i + k]); k++)
            exempt = exempt || all[i + k]->exempt;
        for (size_t j = 0; j < k && !exempt; j++)
            all[kept++] = all[i + j];
    }
    return kept;
}

static const struct sn_contract_rule **sorted(const struct sn_contracts *c, size_t *n)
{
    const struct sn_contract_rule **all = sn_xcalloc(c->nrules, sizeof *all);
    *n = 0;
    for (size_t i = 0; i < c->nrules; i++)
        if (!c->lib[c->rule[i].lib].wrong_libc)
            all[(*n)++] = &c->rule[i];
    qsort(all, *n, sizeof *all, by_function);
    *n = without_exempt(all, *n);
    return all;
}

/* Reads of hidden state only. */
static bool is_lazy(const struct sn_contracts *c, const struct sn_contract_rule *const *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!c->type[r[i]->effect.object].hidden || (r[i]->effect.does & SN_CB_WRITE))
            return false;
    return true;
}

static bool is_long(const struct sn_contract_rule *const *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (r[i]->effect.is_long)
            return true;
    return false;
}

struct tables {
    struct sn_contract_entry *entry;
    struct sn_contract_effect *effect;
    size_t nentries, neffects;
};

static void fill_entries(const struct sn_contracts *c, struct tables *t, struct text *text)
{
    size_t n;
    const struct sn_contract_rule **r = sorted(c, &n);
    t->entry = sn_xcalloc(n, sizeof *t->entry);
    t->effect = sn_xcalloc(n, sizeof *t->effect);
    for (size_t i = 0; i < n;) {
        size_t k = 1;
        while (i + k < n && same_function(r[i], r[i + k]))
            k++;
        struct sn_contract_entry *e = &t->entry[t->nentries++];
        *e = (struct sn_contract_entry){.name = put_text(text, r[i]->function),
                                        .library = (uint32_t)r[i]->lib,
                                        .first_effect = (uint32_t)t->neffects};
        e->flags = (uint16_t)((is_lazy(c, r + i, k) ? SN_ENTRY_LAZY : 0) |
                              (is_long(r + i, k) ? SN_ENTRY_LONG : 0));
        for (size_t j = 0; j < k && j < SN_CONTRACT_EFFECTS; j++, e->neffects++)
            t->effect[t->neffects++] = r[i + j]->effect;
        i += k;
    }
    free(r);
}

static uint32_t root_of(const struct sn_contracts *c, size_t i)
{
    for (size_t k = 0; c->type[i].root && k < c->ntypes; k++)
        if (c->type[k].lib == c->type[i].lib && strcmp(c->type[k].name, c->type[i].root) == 0)
            return (uint32_t)k;
    return (uint32_t)i;
}

static struct sn_contract_object *objects(const struct sn_contracts *c, struct text *text)
{
    struct sn_contract_object *o = sn_xcalloc(c->ntypes, sizeof *o);
    for (size_t i = 0; i < c->ntypes; i++)
        o[i] = (struct sn_contract_object){.name = put_text(text, c->type[i].name),
                                           .library = (uint32_t)c->type[i].lib,
                                           .hidden = c->type[i].hidden,
                                           .map = (uint8_t)c->type[i].map,
                                           .root = root_of(c, i),
                                           .map_symbol = put_text(text, c->type[i].map_symbol),
                                           .map_value = c->type[i].map_value};
    return o;
}

static struct sn_contract_mode *modes(const struct sn_contracts *c, struct text *text)
{
    struct sn_contract_mode *m = sn_xcalloc(c->nmodes, sizeof *m);
    for (size_t i = 0; i < c->nmodes; i++)
        m[i] = (struct sn_contract_mode){.name = put_text(text, c->mode[i].name),
                                         .library = (uint32_t)c->mode[i].lib,
                                         .symbol = put_text(text, c->mode[i].symbol),
                                         .kind = (uint8_t)c->mode[i].kind,
                                         .test = (uint8_t)c->mode[i].test,
                                         .deref = c->mode[i].deref,
                                         .offset = c->mode[i].offset,
                                         .value = c->mode[i].value};
    return m;
}

static struct sn_contract_library *libraries(const struct sn_contracts *c, struct text *text)
{
    struct sn_contract_library *l = sn_xcalloc(c->nlibs, sizeof *l);
    for (size_t i = 0; i < c->nlibs; i++) {
        const char *slash = strrchr(c->lib[i].file, '/');
        l[i].name = put_text(text, c->lib[i].name);
        l[i].file = put_text(text, slash ? slash + 1 : c->lib[i].file);
        l[i].nsonames = (uint32_t)c->lib[i].nsonames;
        l[i].sonames = (uint32_t)text->bytes;
        for (size_t k = 0; k < c->lib[i].nsonames; k++)
            put_text(text, c->lib[i].soname[k]);
    }
    return l;
}

/* Appends n elements at the next multiple of eight. */
static uint32_t append(char *out, size_t *at, const void *data, size_t n, size_t size)
{
    *at = (*at + 7) & ~(size_t)7;
    uint32_t here = (uint32_t)*at;
    if (out && n)
        memcpy(out + here, data, n * size);
    *at += n * size;
    return here;
}

void *sn_contracts_compile(const struct sn_contracts *c, size_t *bytes)
{
    struct text text = {0};
    struct tables t = {0};
    fill_entries(c, &t, &text);
    struct sn_contract_object *o = objects(c, &text);
    struct sn_contract_mode *m = modes(c, &text);
    struct sn_contract_library *l = libraries(c, &text);
    struct sn_contract_file h = {.magic = SN_CONTRACT_MAGIC,
                                 .nentries = (uint32_t)t.nentries,
                                 .neffects = (uint32_t)t.neffects,
                                 .nobjects = (uint32_t)c->ntypes,
                                 .nmodes = (uint32_t)c->nmodes,
                                 .nlibraries = (uint32_t)c->nlibs};
    char *out = NULL;
    for (int pass = 0; pass < 2; pass++) {
        size_t at = sizeof h;
        h.entries = append(out, &at, t.entry, t.nentries, sizeof *t.entry);
        h.effects = append(out, &at, t.effect, t.neffects, sizeof *t.effect);
        h.objects = append(out, &at, o, c->ntypes, sizeof *o);
        h.modes = append(out, &at, m, c->nmodes, sizeof *m);
        h.libraries = append(out, &at, l, c->nlibs, sizeof *l);
        h.strings = append(out, &at, text.data, text.bytes, 1);
        h.bytes = (uint32_t)at;
        if (!out)
            out = sn_xcalloc(at, 1);
    }
    memcpy(out, &h, sizeof h);
    free(t.entry);
    free(t.effect);
    free(o);
    free(m);
    free(l);
    free(text.data);
    *bytes = h.bytes;
    return out;
}
