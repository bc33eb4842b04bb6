/*
 * unit.c: which compilation unit and which function hold a code address. Units are indexed by the
 * ranges of their DIEs (clang writes no .debug_aranges); the functions of a unit when it is first
 * hit, so that a large program costs only what is asked of it.
 */
#include "symbol/module.h"

#include <dwarf.h>

#include "store/xalloc.h"
#include "symbol/walk.h"

static void add_unit(struct sn_module *m, Dwarf_Die *cu)
{
    struct sn_units *u = &m->units;
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(cu, at, &base, &low, &high)) > 0) {
        /* Code that the linker dropped stands at 0, where the ELF header is. */
        if (low != 0)
            sn_spans_add(&u->code, low, high, u->n, 0);
    }
    u->unit = sn_xgrow(u->unit, u->n, &u->cap, sizeof *u->unit);
    u->unit[u->n++] = (struct sn_unit){.cu = *cu};
}

void sn_units_load(struct sn_module *m)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die cu;
    uint8_t type;
    sn_module_need_dwarf(m);
    if (m->units.ready || !m->dwarf)
        return;
    m->units.ready = true;
    while (dwarf_get_units(m->dwarf, unit, &unit, NULL, &type, &cu, NULL) == 0) {
        if (type == DW_UT_compile || type == DW_UT_skeleton)
            add_unit(m, &cu);
    }
    sn_spans_sort(&m->units.code);
}

struct sn_unit *sn_unit_at(struct sn_module *m, uint64_t pc)
{
    sn_units_load(m);
    const struct sn_span *span = sn_spans_find(&m->units.code, pc);
    return span ? &m->units.unit[span->item] : NULL;
}

void sn_unit_open(struct sn_unit *u)
{
    Dwarf_Die split;
    if (u->opened)
        return;
    u->opened = true;
    u->top = u->cu;
    if (dwarf_cu_info(u->cu.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 && split.addr)
        u->top = split;
}

static bool add_function(Dwarf_Die *die, const struct sn_walk *walk, void *arg)
{
    struct sn_unit *u = arg;
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;
    size_t before = u->functions.n;
    (void)walk;
    if (dwarf_tag(die) != DW_TAG_subprogram)
        return true;
    while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
        if (low != 0)
            sn_spans_add(&u->functions, low, high, u->nfunction, 0);
    }
    if (u->functions.n > before) {
        u->function = sn_xgrow(u->function, u->nfunction, &u->function_cap, sizeof *die);
        u->function[u->nfunction++] = *die;
    }
    return true;
}

bool sn_unit_function(struct sn_unit *u, uint64_t pc, Dwarf_Die *function)
{
    if (!u->indexed) {
        u->indexed = true;
        sn_unit_open(u);
        sn_walk(&u->top, add_function, u);
        sn_spans_sort(&u->functions);
    }
    const struct sn_span *span = sn_spans_find(&u->functions, pc);
    if (span)
        *function = u->function[span->item];
    return span != NULL;
}

/* A scope without an address of its own reaches as far as what encloses it. */
bool sn_scope_holds(Dwarf_Die *scope, uint64_t pc)
{
    if (dwarf_tag(scope) == DW_TAG_lexical_block && !dwarf_hasattr(scope, DW_AT_low_pc) &&
        !dwarf_hasattr(scope, DW_AT_ranges))
        return true;
    return dwarf_haspc(scope, pc) > 0;
}

void sn_units_free(struct sn_units *u)
{
    for (size_t i = 0; i < u->n; i++) {
        sn_spans_free(&u->unit[i].functions);
        free(u->unit[i].function);
    }
    free(u->unit);
    sn_spans_free(&u->code);
}
