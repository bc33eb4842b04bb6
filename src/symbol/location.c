/*
 * location.c: a small machine for the expressions that compilers write for the stack: a register or
 * the frame base, and constants added to it. All else (memory, other registers, values that have no
 * place) is not known.
 */
#include "symbol/location.h"

#include <dwarf.h>

#define STACK_MAX 16

/* DWARF's numbers of the registers on x86-64. */
enum { RBP = 6, RSP = 7 };

struct machine {
    const struct sn_registers *r;
    uint64_t stack[STACK_MAX];
    int n;
};

static bool push(struct machine *m, bool known, uint64_t value)
{
    if (!known || m->n == STACK_MAX)
        return false;
    m->stack[m->n++] = value;
    return true;
}

static bool push_register(struct machine *m, uint64_t number, uint64_t add)
{
    if (number == RSP)
        return push(m, true, m->r->rsp + add);
    return push(m, number == RBP, m->r->rbp + add);
}

static bool binary(struct machine *m, unsigned atom)
{
    if (m->n < 2)
        return false;
    uint64_t b = m->stack[--m->n], *a = &m->stack[m->n - 1];
    switch (atom) {
    case DW_OP_plus:
        *a += b;
        return true;
    case DW_OP_minus:
        *a -= b;
        return true;
    default:
        *a &= b;
        return true;
    }
}

static bool step(struct machine *m, const Dwarf_Op *op)
{
    if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
        return push_register(m, op->atom - DW_OP_breg0, op->number);
    if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
        return push(m, true, op->atom - DW_OP_lit0);
    switch (op->atom) {
    case DW_OP_bregx:
        return push_register(m, op->number, op->number2);
    case DW_OP_fbreg:
        return push(m, m->r->has_frame_base, m->r->frame_base + op->number);
    case DW_OP_call_frame_cfa:
        return push(m, m->r->has_cfa, m->r->cfa);
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
        return push(m, true, op->number);
    case DW_OP_plus_uconst:
        if (m->n == 0)
            return false;
        m->stack[m->n - 1] += op->number;
        return true;
    case DW_OP_plus:
    case DW_OP_minus:
    case DW_OP_and:
        return binary(m, op->atom);
    case DW_OP_nop:
        return true;
    default:
        return false;
    }
}

bool sn_location_address(const Dwarf_Op *op, size_t n, const struct sn_registers *r, uint64_t *out)
{
    struct machine m = {.r = r};
    for (size_t i = 0; i < n; i++) {
        if (!step(&m, &op[i]))
            return false;
    }
    if (m.n == 0)
        return false;
    *out = m.stack[m.n - 1];
    return true;
}

bool sn_location_base(const Dwarf_Op *op, size_t n, const struct sn_registers *r, uint64_t *out)
{
    struct machine m = {.r = r};
    if (n != 1 || op->atom < DW_OP_reg0 || op->atom > DW_OP_reg31)
        return sn_location_address(op, n, r, out);
    if (!push_register(&m, op->atom - DW_OP_reg0, 0))
        return false;
    *out = m.stack[0];
    return true;
}

bool sn_location_next(const Dwarf_Op *op, size_t n, const struct sn_registers *r, size_t *at,
                      uint64_t *offset, struct sn_location *out)
{
    while (*at < n) {
        size_t end = *at;
        while (end < n && op[end].atom != DW_OP_piece)
            end++;
        bool known = sn_location_address(&op[*at], end - *at, r, &out->low);
        out->offset = *offset;
        out->size = end < n ? op[end].number : 0;
        *offset += out->size;
        *at = end + 1;
        if (known)
            return true;
    }
    return false;
}
