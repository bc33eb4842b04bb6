/*
 * data.c: the variables that have a fixed place, global or in a function, in memory or in
 * thread-local storage. One walk over the whole debug information, at the first question, finds
 * them all; a table by address answers.
 */
#include "symbol/module.h"

#include <dwarf.h>

#include "store/xalloc.h"
#include "symbol/walk.h"

struct place {
    uint64_t low;
    bool tls;
};

struct collect {
    struct sn_variables *v;
    uint64_t tls_low, tls_size; /* the module's TLS segment */
};

/* The first operation of all the expressions that we understand. Most variables of functions are in
 * registers or on the stack: this spares us decoding them. */
static bool may_be_fixed(Dwarf_Attribute *location)
{
    Dwarf_Block block;
    if (dwarf_formblock(location, &block) != 0 || block.length < 2)
        return false;
    switch (block.data[0]) {
    case DW_OP_addr:
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index:
    case DW_OP_const4u:
    case DW_OP_const8u:
    case DW_OP_constx:
    case DW_OP_GNU_const_index:
        return true;
    default:
        return false;
    }
}

/* An address or a constant that stands in .debug_addr. */
static bool indexed_number(Dwarf_Attribute *location, const Dwarf_Op *op, uint64_t *number)
{
    Dwarf_Attribute a;
    Dwarf_Word value;
    Dwarf_Addr addr;
    if (dwarf_getlocation_attr(location, op, &a) != 0)
        return false;
    if (dwarf_formaddr(&a, &addr) == 0)
        *number = addr;
    else if (dwarf_formudata(&a, &value) == 0)
        *number = value;
    else
        return false;
    return true;
}

static bool number_of(Dwarf_Attribute *location, const Dwarf_Op *op, struct place *p)
{
    switch (op->atom) {
    case DW_OP_addr:
        p->low = op->number;
        return true;
    case DW_OP_const4u:
    case DW_OP_const8u:
        p->low = op->number;
        p->tls = true;
        return true;
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index:
        return indexed_number(location, op, &p->low);
    case DW_OP_constx:
    case DW_OP_GNU_const_index:
        p->tls = true;
        return indexed_number(location, op, &p->low);
    default:
        return false;
    }
}

/* One place: an address, or a constant that is turned into a thread's address; perhaps plus an
 * offset. Returns how many operations it took, 0 when it is something else. */
static size_t read_place(Dwarf_Attribute *location, const Dwarf_Op *op, size_t n, struct place *p)
{
    size_t used = 1;
    *p = (struct place){0};
    if (!number_of(location, op, p))
        return 0;
    bool is_constant = p->tls;
    if (used < n &&
        (op[used].atom == DW_OP_form_tls_address || op[used].atom == DW_OP_GNU_push_tls_address)) {
        p->tls = true;
        used++;
    } else if (is_constant) {
        return 0;
    }
    if (used < n && op[used].atom == DW_OP_plus_uconst)
        p->low += op[used++].number;
    return used;
}

static void add_piece(struct collect *c, Dwarf_Die *die, bool in_function, struct place *p,
                      uint64_t offset, uint64_t size)
{
    struct sn_variables *v = c->v;
    struct sn_spans *spans = p->tls ? &v->tls : &v->data;
    /* With -gsplit-dwarf gcc gives the address in the segment for the offset in it. */
    if (p->tls && p->low >= c->tls_size && p->low - c->tls_low < c->tls_size)
        p->low -= c->tls_low;
    /* Variables that the linker dropped stand at 0. A size of 0 is not known, one byte at least. */
    if ((p->low == 0 && !p->tls) || size >= INT64_MAX || p->low > UINT64_MAX - size - 1)
        return;
    sn_spans_add(spans, p->low, p->low + (size ? size : 1), v->n, size > 0);
    v->piece = sn_xgrow(v->piece, v->n, &v->cap, sizeof *v->piece);
    v->piece[v->n++] = (struct sn_piece){*die, p->low, offset, in_function};
}

static uint64_t variable_size(Dwarf_Die *die)
{
    Dwarf_Die type;
    return sn_die_type(die, &type) ? sn_type_size(&type) : 0;
}

/* Either one place for all, or a list of places with DW_OP_piece (globals that clang took apart).
 */
static void add_places(struct collect *c, Dwarf_Die *die, bool in_function,
                       Dwarf_Attribute *location)
{
    Dwarf_Op *op;
    size_t n, used;
    struct place p;
    uint64_t offset = 0;
    if (dwarf_getlocation(location, &op, &n) != 0)
        return;
    for (size_t i = 0; i < n; offset += op[i++].number) {
        if (op[i].atom == DW_OP_piece)
            continue; /* a part that is not in memory */
        used = read_place(location, &op[i], n - i, &p);
        i += used;
        if (used == 0 || (i < n && op[i].atom != DW_OP_piece))
            return;
        if (i == n) {
            add_piece(c, die, in_function, &p, offset, variable_size(die));
            return;
        }
        add_piece(c, die, in_function, &p, offset, op[i].number);
    }
}

static bool add_variable(Dwarf_Die *die, const struct sn_walk *walk, void *arg)
{
    Dwarf_Attribute location;
    switch (dwarf_tag(die)) {
    case DW_TAG_variable:
        if (dwarf_attr(die, DW_AT_location, &location) && may_be_fixed(&location))
            add_places(arg, die, walk->functions > 0, &location);
        return false;
    case DW_TAG_enumeration_type:
    case DW_TAG_subroutine_type:
    case DW_TAG_array_type:
        return false;
    default:
        return true;
    }
}

static void find_tls_segment(Elf *elf, struct collect *c)
{
    GElf_Phdr segment;
    size_t n;
    if (!elf || elf_getphdrnum(elf, &n) != 0)
        return;
    for (size_t i = 0; i < n; i++) {
        if (!gelf_getphdr(elf, i, &segment) || segment.p_type != PT_TLS)
            continue;
        c->tls_low = segment.p_vaddr;
        c->tls_size = segment.p_memsz;
    }
}

static void load(struct sn_module *m)
{
    struct sn_variables *v = &m->variables;
    struct collect c = {.v = v};
    if (v->ready)
        return;
    v->ready = true;
    sn_module_need_dwarf(m);
    find_tls_segment(m->elf ? m->elf : m->debug_elf, &c);
    sn_units_load(m);
    for (size_t i = 0; i < m->units.n; i++) {
        sn_unit_open(&m->units.unit[i]);
        sn_walk(&m->units.unit[i].top, add_variable, &c);
    }
    sn_spans_sort(&v->data);
    sn_spans_sort(&v->tls);
}

static const struct sn_piece *find(struct sn_module *m, const struct sn_spans *spans, uint64_t at)
{
    load(m);
    const struct sn_span *span = sn_spans_find(spans, at);
    return span ? &m->variables.piece[span->item] : NULL;
}

const struct sn_piece *sn_variable_data(struct sn_module *m, uint64_t at)
{
    return find(m, &m->variables.data, at);
}

const struct sn_piece *sn_variable_tls(struct sn_module *m, uint64_t at)
{
    return find(m, &m->variables.tls, at);
}

void sn_variables_free(struct sn_variables *v)
{
    free(v->piece);
    sn_spans_free(&v->data);
    sn_spans_free(&v->tls);
}
