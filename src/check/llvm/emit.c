/*
 * emit.c: instructions, registers and constants of the function that is being lowered.
 *
 * A frame's registers are: parameters, results of instructions, constants, outgoing arguments. How
 * many there are of each is known only at the end, so constants and outgoing arguments are numbered
 * with SN_CONST_REG and SN_OUT_REG until sn_lower_function() closes the function.
 */
#include <stdlib.h>
#include <string.h>

#include "check/llvm/llvm.h"

uint32_t sn_emit(struct sn_lower *l, enum sn_opcode op, uint16_t x, uint32_t a, uint32_t b, uint32_t c)
{
    struct sn_bytecode *code = l->code;
    SN_GROW(code->insn, code->ninsn, l->cap_insn);
    SN_GROW(code->pos, code->ninsn, l->cap_pos);
    code->insn[code->ninsn] = (struct sn_insn){(uint16_t)op, x, a, b, c};
    code->pos[code->ninsn] = l->place;
    return (uint32_t)code->ninsn++;
}

/* A jump counts the instructions since the last one; its target is filled in later. */
uint32_t sn_emit_jump(struct sn_lower *l, enum sn_opcode op, uint32_t b, uint32_t c)
{
    size_t n = l->code->ninsn + 1 - l->counted;
    uint32_t at = sn_emit(l, op, (uint16_t)(n < UINT16_MAX ? n : UINT16_MAX), SN_NONE, b, c);
    l->counted = at + 1;
    return at;
}

uint32_t sn_new_reg(struct sn_lower *l, uint32_t n)
{
    uint32_t r = l->nlocals;
    l->nlocals += n;
    return r;
}

/* n literals in a row; a single one is shared. */
uint32_t sn_const_reg(struct sn_lower *l, const struct sn_reg *r, uint32_t n)
{
    struct sn_bytecode *c = l->code;
    uint64_t key = (r->v * 2 + 1) ^ (r->u << 62);
    uint32_t *known = n == 1 ? sn_lower_map_find(&l->consts, key) : NULL;
    if (known != NULL && c->literal[l->f->const_first + *known].v == r->v &&
        c->literal[l->f->const_first + *known].u == r->u)
        return SN_CONST_REG | *known;
    for (uint32_t i = 0; i < n; i++) {
        SN_GROW(c->literal, c->nliteral, l->cap_literal);
        c->literal[c->nliteral++] = r[i];
    }
    if (n == 1)
        sn_lower_map_put(&l->consts, key, l->nconst);
    l->nconst += n;
    return SN_CONST_REG | (l->nconst - n);
}

uint32_t sn_imm_reg(struct sn_lower *l, uint64_t v)
{
    return sn_const_reg(l, &(struct sn_reg){v, 0}, 1);
}

void sn_set_reg(struct sn_lower *l, LLVMValueRef v, uint32_t reg)
{
    *sn_lower_map_put(&l->regs, SN_KEY(v), reg) = reg;
}

static uint32_t constant_of(struct sn_lower *l, LLVMValueRef v)
{
    const struct sn_flat *flat = sn_lower_flat(l, LLVMTypeOf(v));
    uint32_t offset;
    if (sn_const_tls(l, v, &offset)) {
        uint32_t r = sn_new_reg(l, 1);
        sn_emit(l, SN_BC_TLS, 0, r, 0, offset);
        return r;
    }
    uint32_t n = flat->nslot ? flat->nslot : 1;
    struct sn_reg *slots = calloc(n, sizeof *slots);
    if (slots == NULL)
        abort();
    sn_const_slots(l, v, flat, slots);
    uint32_t r = sn_const_reg(l, slots, n);
    free(slots);
    return r;
}

/* A value that is used before it is lowered (a phi's, or one in unreachable code) gets its
 * registers now; the instruction that makes it finds them. */
uint32_t sn_reg_of(struct sn_lower *l, LLVMValueRef v)
{
    uint32_t *known = sn_lower_map_find(&l->regs, SN_KEY(v));
    if (known != NULL)
        return *known;
    if (LLVMIsConstant(v))
        return constant_of(l, v);
    const struct sn_flat *flat = sn_lower_flat(l, LLVMTypeOf(v));
    uint32_t r = sn_new_reg(l, flat->nslot ? flat->nslot : 1);
    sn_set_reg(l, v, r);
    return r;
}

bool sn_imm_of(struct sn_lower *l, LLVMValueRef v, unsigned bits, uint32_t *imm)
{
    uint32_t offset;
    if (!LLVMIsConstant(v) || sn_const_tls(l, v, &offset))
        return false;
    struct sn_reg r = sn_const_scalar(l, v);
    if (r.u != 0)
        return false;
    int64_t s = bits == 32 ? (int32_t)r.v : (int64_t)r.v;
    if (s != (int32_t)s)
        return false;
    *imm = (uint32_t)s;
    return true;
}

#define GAP_BYTES 16u
#define FRAME_LIMIT (64u << 20) /* a frame beyond this has no addressable variables */

uint32_t sn_new_local(struct sn_lower *l, uint64_t bytes, unsigned align, const char *name, uint32_t line)
{
    struct sn_bytecode *c = l->code;
    uint64_t at = l->f->frame_bytes + GAP_BYTES;
    align = align < 16 ? 16 : align > 4096 ? 4096 : align;
    at = (at + align - 1) / align * align;
    if (bytes > FRAME_LIMIT || at + bytes > FRAME_LIMIT)
        return SN_NONE;
    SN_GROW(c->local, c->nlocal, l->cap_local);
    uint32_t text = name && name[0] ? sn_lower_string(l, name, strlen(name)) : SN_NONE;
    c->local[c->nlocal++] = (struct sn_local){text, (uint32_t)at, (uint32_t)bytes, line};
    l->f->nlocal++;
    l->f->frame_bytes = (uint32_t)(at + bytes);
    l->f->frame_align = align > l->f->frame_align ? align : l->f->frame_align;
    return (uint32_t)at;
}

void sn_emit_move(struct sn_lower *l, uint32_t to, uint32_t from, uint32_t n)
{
    if (n == 1)
        sn_emit(l, SN_BC_MOV, 0, to, from, 0);
    else if (n > 1)
        sn_emit(l, SN_BC_MOVN, (uint16_t)n, to, from, 0);
}

void sn_emit_undef(struct sn_lower *l, uint32_t to, uint32_t n)
{
    if (n > 0)
        sn_emit(l, SN_BC_UNDEF, (uint16_t)n, to, 0, 0);
}
