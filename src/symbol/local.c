/*
 * local.c: the variable or parameter on the stack that holds an address.
 *
 * The runtime knows a function's rsp and rbp from the moment when it called __tsan_func_entry, and
 * the return address of the call that the function is in now. So the frame (CFA) is computed with
 * the unwind rules at that first call, where they fit the registers: further on the function may
 * have pushed arguments. The scopes and the location lists are those of the return address.
 */
#include "symbol/module.h"

#include <dwarf.h>
#include <errno.h>

#include "symbol/location.h"
#include "symbol/walk.h"

struct search {
    struct sn_registers registers;
    uint64_t pc, addr;
    bool elsewhere; /* look at the places that variables have at other addresses of the function */
    struct sn_local *out;
    int found;
};

static bool frame_address(Dwarf_CFI *cfi, uint64_t pc, struct sn_registers *r)
{
    Dwarf_Frame *frame = NULL;
    Dwarf_Op *op;
    size_t n;
    if (!cfi || dwarf_cfi_addrframe(cfi, pc, &frame) != 0)
        return false;
    r->has_cfa = dwarf_frame_cfa(frame, &op, &n) == 0 && sn_location_address(op, n, r, &r->cfa);
    free(frame);
    return r->has_cfa;
}

static void set_frame(struct sn_module *m, uint64_t pc, struct sn_registers *r)
{
    if (!m->cfi_ready) {
        m->cfi_ready = true;
        m->eh_cfi = m->elf ? dwarf_getcfi_elf(m->elf) : NULL;
    }
    if (frame_address(m->eh_cfi, pc, r))
        return;
    sn_module_need_dwarf(m);
    frame_address(dwarf_getcfi(m->dwarf), pc, r);
}

/* The expression that holds at pc. */
static bool expression_at(Dwarf_Die *die, unsigned attribute, uint64_t pc, Dwarf_Op **op, size_t *n)
{
    Dwarf_Attribute a;
    return dwarf_attr_integrate(die, attribute, &a) &&
           dwarf_getlocation_addr(&a, pc, op, n, 1) == 1;
}

static void set_frame_base(Dwarf_Die *function, uint64_t pc, struct sn_registers *r)
{
    Dwarf_Op *op;
    size_t n;
    r->has_frame_base = expression_at(function, DW_AT_frame_base, pc, &op, &n) &&
                        sn_location_base(op, n, r, &r->frame_base);
}

static bool holds(struct search *s, Dwarf_Die *die, const Dwarf_Op *op, size_t n)
{
    size_t at = 0;
    uint64_t offset = 0;
    struct sn_location part;
    Dwarf_Die type;
    uint64_t size = sn_die_type(die, &type) ? sn_type_size(&type) : 0;
    while (sn_location_next(op, n, &s->registers, &at, &offset, &part)) {
        uint64_t bytes = part.size ? part.size : size > part.offset ? size - part.offset : 1;
        if (s->addr - part.low >= bytes)
            continue;
        *s->out = (struct sn_local){*die, s->addr - part.low + part.offset, size};
        return true;
    }
    return false;
}

static bool held_elsewhere(struct search *s, Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Addr base, low, high;
    Dwarf_Op *op;
    size_t n;
    ptrdiff_t at = 0;
    if (!dwarf_attr_integrate(die, DW_AT_location, &a))
        return false;
    while ((at = dwarf_getlocations(&a, at, &base, &low, &high, &op, &n)) > 0) {
        if (holds(s, die, op, n))
            return true;
    }
    return false;
}

static void try_variable(struct search *s, Dwarf_Die *die)
{
    Dwarf_Op *op;
    size_t n;
    if (s->elsewhere)
        s->found += held_elsewhere(s, die);
    else if (expression_at(die, DW_AT_location, s->pc, &op, &n))
        s->found += holds(s, die, op, n);
}

/* Inner scopes come after outer ones, so that the last match is the innermost. */
static bool visit(Dwarf_Die *die, const struct sn_walk *walk, void *arg)
{
    struct search *s = arg;
    (void)walk;
    switch (dwarf_tag(die)) {
    case DW_TAG_variable:
    case DW_TAG_formal_parameter:
        try_variable(s, die);
        return false;
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
        return sn_scope_holds(die, s->pc);
    default:
        return false;
    }
}

int sn_local_at(struct sn_module *m, uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t addr,
                struct sn_local *out)
{
    struct search s = {.pc = pc, .addr = addr, .out = out};
    Dwarf_Die function;
    struct sn_unit *unit = sn_unit_at(m, pc);
    if (!unit || !sn_unit_function(unit, pc, &function))
        return -ENOENT;
    s.registers.rsp = rsp;
    s.registers.rbp = rbp;
    set_frame(m, sn_entry_call(m, &function, pc), &s.registers);
    set_frame_base(&function, pc, &s.registers);
    sn_walk(&function, visit, &s);
    if (s.found)
        return 0;
    s.elsewhere = true;
    sn_walk(&function, visit, &s);
    return s.found == 1 ? 0 : -ENOENT;
}
