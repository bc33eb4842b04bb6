/*
 * compile.c: a set of contracts as the one flat file that the runtime maps (core/contract.h).
 * Functions are sorted by name, with their effects side by side, so that the runtime finds them by
 * bisection. Exempt functions are left out: nothing is to be done for them. So are the rules of the
 * other kind: `snag run` looks at what may not overlap, the other engines at what orders threads.
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

static bool is_wanted(const struct sn_contract_rule *r, bool order)
{
    enum sn_contract_act act = (enum sn_contract_act)r->effect.act;
    if (!order)
        return !sn_contract_is_order(&r->effect);
    if (r->effect.mode)
        return false;
    return r->exempt || act >= SN_ACT_LOCK || act == SN_ACT_RESET ||
           (act >= SN_ACT_ACQUIRE && act <= SN_ACT_RELEASE_SHARED);
}

static const struct sn_contract_rule **sorted(const struct sn_contracts *c, bool order, size_t *n)
{
    const struct sn_contract_rule **all = sn_xcalloc(c->nrules, sizeof *all);
    *n = 0;
    for (size_t i = 0; i < c->nrules; i++)
        if (!c->lib[c->rule[i].lib].wrong_libc && is_wanted(&c->rule[i], order))
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

/* Something is to be done when the call returns. */
static bool ends(const struct sn_contract_effect *e, bool callback)
{
    switch ((enum sn_contract_act)e->act) {
    case SN_ACT_ACQUIRE:
    case SN_ACT_ACQUIRE_SHARED:
    case SN_ACT_RECEIVE:
        return !callback;
    case SN_ACT_RELEASE:
    case SN_ACT_RELEASE_SHARED:
    case SN_ACT_SEND:
        return callback || (e->how & SN_HOW_QUIET);
    case SN_ACT_LOCK:
    case SN_ACT_UNLOCK:
    case SN_ACT_WAIT:
    case SN_ACT_SYNC:
    case SN_ACT_DROP:
    case SN_ACT_ALLOC:
        return true;
    default:
        return false;
    }
}

static uint16_t flags_of(const struct sn_contract_rule *const *r, size_t n, bool order)
{
    bool callback = r[0]->function[0] == '@';
    unsigned flags = callback ? SN_ENTRY_CALLBACK : 0;
    for (size_t i = 0; i < n; i++) {
        const struct sn_contract_effect *e = &r[i]->effect;
        if (e->is_long || (order && ends(e, callback)))
            flags |= SN_ENTRY_LONG;
        if (e->how & SN_HOW_VARIADIC)
            flags |= SN_ENTRY_VARIADIC;
    }
    return (uint16_t)flags;
}

struct tables {
    struct sn_contract_entry *entry;
    struct sn_contract_effect *effect;
    size_t nentries, neffects;
};

static size_t entry_of(const struct sn_contract_rule *const *r, size_t n, size_t lib,
                       const char *function)
{
    size_t entry = 0;
    for (size_t i = 0; i < n; i++) {
        if (i && !same_function(r[i - 1], r[i]))
            entry++;
        if (r[i]->lib == lib && strcmp(r[i]->function, function) == 0)
            return entry + 1;
    }
    return 0;
}

/* A callback that looks at the arguments of the call that it runs in needs that one to be known. */
static bool looks_out(const struct tables *t, const struct sn_contract_entry *e)
{
    for (size_t i = 0; i < e->neffects; i++)
        if (t->effect[e->first_effect + i].arg > SN_ARG_OUTER ||
            t->effect[e->first_effect + i].arg2 > SN_ARG_OUTER)
            return true;
    return false;
}

static void mark_callbacks(struct tables *t, struct sn_contract_entry *e)
{
    for (size_t i = 0; i < e->neffects; i++) {
        const struct sn_contract_effect *f = &t->effect[e->first_effect + i];
        struct sn_contract_entry *callback = f->callback ? &t->entry[f->callback - 1] : NULL;
        if (callback && looks_out(t, callback))
            e->flags |= SN_ENTRY_LONG;
        if (callback && f->act == SN_ACT_METHOD && !(f->how & SN_HOW_IN_PLACE))
            callback->flags |= SN_ENTRY_METHOD;
    }
}

static void fill_entries(const struct sn_contracts *c, bool order, struct tables *t,
                         struct text *text)
{
    size_t n;
    const struct sn_contract_rule **r = sorted(c, order, &n);
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
        e->flags = flags_of(r + i, k, order);
        if (!order && is_lazy(c, r + i, k))
            e->flags |= SN_ENTRY_LAZY;
        for (size_t j = 0; j < k && j < SN_CONTRACT_EFFECTS; j++, e->neffects++) {
            struct sn_contract_effect *f = &t->effect[t->neffects++];
            *f = r[i + j]->effect;
            if (r[i + j]->callback)
                f->callback = (uint16_t)entry_of(r, n, r[i]->lib, r[i + j]->callback);
        }
        i += k;
    }
    for (size_t i = 0; i < t->nentries; i++)
        mark_callbacks(t, &t->entry[i]);
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
                                           .key = c->type[i].key,
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

void *sn_contracts_compile(const struct sn_contracts *c, bool order, size_t *bytes)
{
    struct text text = {0};
    struct tables t = {0};
    fill_entries(c, order, &t, &text);
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
