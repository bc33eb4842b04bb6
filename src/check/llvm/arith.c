/*
 * arith.c: arithmetic, comparisons, conversions, selects: scalars directly, vectors lane by lane.
 */
#include "check/llvm/llvm.h"

/* The five forms of an operation follow each other in opcode.def. */
enum { FORM_32, FORM_32I, FORM_64, FORM_64I, FORM_N };

static bool int_opcode(LLVMOpcode op, enum sn_opcode *bc, enum sn_wide *wide)
{
#define PAIR(llvm, name) case llvm: *bc = SN_BC_##name##32; *wide = SN_WIDE_##name; return true
    switch (op) {
        PAIR(LLVMAdd, ADD);
        PAIR(LLVMSub, SUB);
        PAIR(LLVMMul, MUL);
        PAIR(LLVMAnd, AND);
        PAIR(LLVMOr, OR);
        PAIR(LLVMXor, XOR);
        PAIR(LLVMShl, SHL);
        PAIR(LLVMLShr, LSHR);
        PAIR(LLVMAShr, ASHR);
        PAIR(LLVMUDiv, UDIV);
        PAIR(LLVMSDiv, SDIV);
        PAIR(LLVMURem, UREM);
        PAIR(LLVMSRem, SREM);
    default:
        return false;
    }
#undef PAIR
}

static bool float_kind(LLVMOpcode op, enum sn_float *kind)
{
    switch (op) {
    case LLVMFAdd: *kind = SN_FLT_ADD; return true;
    case LLVMFSub: *kind = SN_FLT_SUB; return true;
    case LLVMFMul: *kind = SN_FLT_MUL; return true;
    case LLVMFDiv: *kind = SN_FLT_DIV; return true;
    case LLVMFRem: *kind = SN_FLT_REM; return true;
    case LLVMFNeg: *kind = SN_FLT_NEG; return true;
    default: return false;
    }
}

static enum sn_ftype float_type(enum sn_leaf_kind k)
{
    return k == SN_LEAF_F32 ? SN_F32 : k == SN_LEAF_F64 ? SN_F64 : SN_F80;
}

static bool is_float(const struct sn_leaf *leaf)
{
    return leaf->kind == SN_LEAF_F32 || leaf->kind == SN_LEAF_F64 || leaf->kind == SN_LEAF_F80;
}

static void int_binary(struct sn_lower *l, LLVMOpcode op, unsigned bits, uint32_t a, uint32_t b, uint32_t c)
{
    enum sn_opcode bc;
    enum sn_wide wide;
    if (!int_opcode(op, &bc, &wide))
        sn_emit_undef(l, a, 1);
    else
        sn_emit(l, bc + (bits == 32 ? FORM_32 : bits == 64 ? FORM_64 : FORM_N), (uint16_t)bits, a, b, c);
}

static bool int_immediate(struct sn_lower *l, LLVMValueRef i, unsigned bits, uint32_t a)
{
    enum sn_opcode bc;
    enum sn_wide wide;
    uint32_t imm;
    if ((bits != 32 && bits != 64) || !int_opcode(LLVMGetInstructionOpcode(i), &bc, &wide))
        return false;
    if (!sn_imm_of(l, LLVMGetOperand(i, 1), bits, &imm))
        return false;
    bool divides = bc >= SN_BC_UDIV32 && bc <= SN_BC_SREMN;
    if (divides && (imm == 0 || imm == UINT32_MAX)) /* the careful form handles those */
        return false;
    sn_emit(l, bc + (bits == 32 ? FORM_32I : FORM_64I), 0, a, sn_reg_of(l, LLVMGetOperand(i, 0)), imm);
    return true;
}

static void float_binary(struct sn_lower *l, enum sn_float kind, enum sn_leaf_kind type, uint32_t a,
                         uint32_t b, uint32_t c)
{
    if (kind <= SN_FLT_DIV && type == SN_LEAF_F32)
        sn_emit(l, SN_BC_FADD32 + kind, 0, a, b, c);
    else if (kind <= SN_FLT_DIV && type == SN_LEAF_F64)
        sn_emit(l, SN_BC_FADD64 + kind, 0, a, b, c);
    else
        sn_emit(l, SN_BC_FLOAT, SN_FLOAT_WORD(kind, float_type(type), 0), a, b, c);
}

void sn_lower_binary(struct sn_lower *l, LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    const struct sn_flat *flat = sn_lower_flat(l, LLVMTypeOf(i));
    uint32_t a = sn_reg_of(l, i);
    enum sn_float fkind;
    enum sn_opcode bc;
    enum sn_wide wide;
    if (flat->nleaf == 1 && flat->leaf[0].kind == SN_LEAF_INT && int_immediate(l, i, flat->leaf[0].bits, a))
        return;
    uint32_t b = sn_reg_of(l, LLVMGetOperand(i, 0));
    uint32_t c = op == LLVMFNeg ? b : sn_reg_of(l, LLVMGetOperand(i, 1));
    for (uint32_t k = 0; k < flat->nleaf; k++) {
        const struct sn_leaf *leaf = &flat->leaf[k];
        uint32_t s = leaf->slot;
        if (leaf->kind == SN_LEAF_INT)
            int_binary(l, op, leaf->bits, a + s, b + s, c + s);
        else if (leaf->kind == SN_LEAF_WIDE && int_opcode(op, &bc, &wide))
            sn_emit(l, SN_BC_WIDE, (uint16_t)wide, a + s, b + s, c + s);
        else if (is_float(leaf) && float_kind(op, &fkind))
            float_binary(l, fkind, leaf->kind, a + s, b + s, c + s);
        else
            sn_emit_undef(l, a + s, 1);
    }
}

/* --- comparisons --- */

struct predicate {
    enum sn_opcode op32, op64;
    bool is_signed;
    enum sn_wide wide;
    LLVMIntPredicate swapped;
};

static struct predicate predicate_of(LLVMIntPredicate p)
{
    switch (p) {
    case LLVMIntEQ: return (struct predicate){SN_BC_EQ, SN_BC_EQ, false, SN_WIDE_EQ, LLVMIntEQ};
    case LLVMIntNE: return (struct predicate){SN_BC_NE, SN_BC_NE, false, SN_WIDE_NE, LLVMIntNE};
    case LLVMIntUGT: return (struct predicate){SN_BC_UGT, SN_BC_UGT, false, SN_WIDE_UGT, LLVMIntULT};
    case LLVMIntUGE: return (struct predicate){SN_BC_UGE, SN_BC_UGE, false, SN_WIDE_UGE, LLVMIntULE};
    case LLVMIntULT: return (struct predicate){SN_BC_ULT, SN_BC_ULT, false, SN_WIDE_ULT, LLVMIntUGT};
    case LLVMIntULE: return (struct predicate){SN_BC_ULE, SN_BC_ULE, false, SN_WIDE_ULE, LLVMIntUGE};
    case LLVMIntSGT: return (struct predicate){SN_BC_SGT32, SN_BC_SGT64, true, SN_WIDE_SGT, LLVMIntSLT};
    case LLVMIntSGE: return (struct predicate){SN_BC_SGE32, SN_BC_SGE64, true, SN_WIDE_SGE, LLVMIntSLE};
    case LLVMIntSLT: return (struct predicate){SN_BC_SLT32, SN_BC_SLT64, true, SN_WIDE_SLT, LLVMIntSGT};
    default: return (struct predicate){SN_BC_SLE32, SN_BC_SLE64, true, SN_WIDE_SLE, LLVMIntSGE};
    }
}

static uint32_t widened(struct sn_lower *l, uint32_t reg, unsigned bits)
{
    uint32_t r = sn_new_reg(l, 1);
    sn_emit(l, SN_BC_SEXT, (uint16_t)bits, r, reg, 64);
    return r;
}

/* An unsigned immediate is sign-extended by the interpreter: it must be non-negative to mean itself;
 * narrower than 64 bits, registers are zero-extended, and the same holds. */
static bool compare_immediate(struct sn_lower *l, LLVMValueRef v, unsigned bits, bool is_signed, uint32_t *imm)
{
    if (is_signed && bits < 32)
        return false;
    if (!sn_imm_of(l, v, is_signed ? bits : 64, imm))
        return false;
    return is_signed || (int32_t)*imm >= 0 || bits == 64;
}

struct sn_compare sn_lower_compare(struct sn_lower *l, LLVMValueRef i)
{
    LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
    unsigned bits = sn_lower_flat(l, LLVMTypeOf(x))->leaf[0].bits;
    struct predicate p = predicate_of(LLVMGetICmpPredicate(i));
    if (LLVMIsConstant(x) && !LLVMIsConstant(y)) {
        LLVMValueRef t = x;
        x = y;
        y = t;
        p = predicate_of(p.swapped);
    }
    struct sn_compare c = {.op = bits == 32 ? p.op32 : p.op64};
    c.b = sn_reg_of(l, x);
    c.imm = compare_immediate(l, y, bits, p.is_signed, &c.c);
    if (!c.imm)
        c.c = sn_reg_of(l, y);
    if (p.is_signed && bits != 32 && bits != 64) {
        c.b = widened(l, c.b, bits);
        if (!c.imm)
            c.c = widened(l, c.c, bits);
    }
    return c;
}

static void compare_lane(struct sn_lower *l, struct predicate p, const struct sn_leaf *leaf, uint32_t a,
                         uint32_t b, uint32_t c)
{
    unsigned bits = leaf->bits;
    if (leaf->kind == SN_LEAF_WIDE) {
        sn_emit(l, SN_BC_WIDE, (uint16_t)p.wide, a, b, c);
    } else if (leaf->kind != SN_LEAF_INT) {
        sn_emit_undef(l, a, 1);
    } else {
        if (p.is_signed && bits != 32 && bits != 64) {
            b = widened(l, b, bits);
            c = widened(l, c, bits);
        }
        sn_emit(l, bits == 32 ? p.op32 : p.op64, 0, a, b, c);
    }
}

void sn_lower_icmp(struct sn_lower *l, LLVMValueRef i)
{
    const struct sn_flat *flat = sn_lower_flat(l, LLVMTypeOf(LLVMGetOperand(i, 0)));
    uint32_t a = sn_reg_of(l, i);
    if (flat->nleaf == 1 && flat->leaf[0].kind == SN_LEAF_INT) {
        struct sn_compare c = sn_lower_compare(l, i);
        sn_emit(l, c.op + (c.imm ? 1 : 0), 0, a, c.b, c.c);
        return;
    }
    struct predicate p = predicate_of(LLVMGetICmpPredicate(i));
    uint32_t b = sn_reg_of(l, LLVMGetOperand(i, 0)), c = sn_reg_of(l, LLVMGetOperand(i, 1));
    for (uint32_t k = 0; k < flat->nleaf; k++)
        compare_lane(l, p, &flat->leaf[k], a + k, b + flat->leaf[k].slot, c + flat->leaf[k].slot);
}

void sn_lower_fcmp(struct sn_lower *l, LLVMValueRef i)
{
    const struct sn_flat *flat = sn_lower_flat(l, LLVMTypeOf(LLVMGetOperand(i, 0)));
    uint32_t a = sn_reg_of(l, i), b = sn_reg_of(l, LLVMGetOperand(i, 0));
    uint32_t c = sn_reg_of(l, LLVMGetOperand(i, 1));
    for (uint32_t k = 0; k < flat->nleaf; k++) {
        const struct sn_leaf *leaf = &flat->leaf[k];
        uint16_t x = SN_FLOAT_WORD(SN_FLT_CMP, float_type(leaf->kind), LLVMGetFCmpPredicate(i));
        if (is_float(leaf))
            sn_emit(l, SN_BC_FLOAT, x, a + k, b + leaf->slot, c + leaf->slot);
        else
            sn_emit_undef(l, a + k, 1);
    }
}

void sn_lower_select(struct sn_lower *l, LLVMValueRef i)
{
    uint32_t n = sn_lower_flat(l, LLVMTypeOf(i))->nslot;
    uint32_t lanes = sn_lower_flat(l, LLVMTypeOf(LLVMGetOperand(i, 0)))->nslot;
    uint32_t a = sn_reg_of(l, i), cond = sn_reg_of(l, LLVMGetOperand(i, 0));
    uint32_t yes = sn_reg_of(l, LLVMGetOperand(i, 1)), no = sn_reg_of(l, LLVMGetOperand(i, 2));
    uint32_t each = lanes > 1 && n >= lanes ? n / lanes : n; /* registers that a condition decides */
    for (uint32_t k = 0; k < n; k++) {
        sn_emit(l, SN_BC_SELECT, 0, a + k, cond + k / (each ? each : 1), yes + k);
        sn_emit(l, SN_BC_EXT, 0, no + k, 0, 0);
    }
}

/* --- conversions --- */

static void narrow_or_widen(struct sn_lower *l, LLVMOpcode op, const struct sn_leaf *from,
                            const struct sn_leaf *to, uint32_t a, uint32_t b)
{
    bool wide = to->kind == SN_LEAF_WIDE;
    if (wide && from->kind == SN_LEAF_WIDE) {
        sn_emit_move(l, a, b, 2);
    } else if (wide) {
        sn_emit(l, SN_BC_WIDE, op == LLVMSExt ? SN_WIDE_SEXT : SN_WIDE_ZEXT, a, b, b);
        sn_emit(l, SN_BC_EXT, 0, 0, from->bits, 0);
    } else if (op == LLVMSExt && from->bits == 32 && to->bits == 64) {
        sn_emit(l, SN_BC_SEXT32, 0, a, b, 0);
    } else if (op == LLVMSExt) {
        sn_emit(l, SN_BC_SEXT, (uint16_t)from->bits, a, b, to->bits);
    } else if (to->bits >= from->bits || to->bits >= 64) {
        sn_emit_move(l, a, b, 1);
    } else {
        sn_emit(l, SN_BC_TRUNC, (uint16_t)to->bits, a, b, 0);
    }
}

static void convert_float(struct sn_lower *l, LLVMOpcode op, const struct sn_leaf *from,
                          const struct sn_leaf *to, uint32_t a, uint32_t b)
{
    bool in = is_float(from), out = is_float(to);
    if (in && out) {
        uint16_t x = SN_FLOAT_WORD(SN_FLT_TO_FLOAT, float_type(from->kind), float_type(to->kind));
        sn_emit(l, SN_BC_FLOAT, x, a, b, b);
    } else if (in && to->kind == SN_LEAF_INT) {
        enum sn_float k = op == LLVMFPToSI ? SN_FLT_TO_SINT : SN_FLT_TO_UINT;
        sn_emit(l, SN_BC_FLOAT, SN_FLOAT_WORD(k, float_type(from->kind), to->bits), a, b, b);
    } else if (out && from->kind == SN_LEAF_INT) {
        enum sn_float k = op == LLVMSIToFP ? SN_FLT_FROM_SINT : SN_FLT_FROM_UINT;
        sn_emit(l, SN_BC_FLOAT, SN_FLOAT_WORD(k, float_type(to->kind), from->bits), a, b, b);
    } else {
        sn_emit_undef(l, a, to->kind == SN_LEAF_WIDE || to->kind == SN_LEAF_F80 ? 2 : 1);
    }
}

/* Same bits, other registers: through memory of the frame. */
static void bitcast_through_memory(struct sn_lower *l, const struct sn_flat *from, const struct sn_flat *to,
                                   uint64_t bytes, uint32_t a, uint32_t b)
{
    uint32_t at = sn_new_local(l, bytes ? bytes : 1, 16, NULL, 0);
    if (at == SN_NONE || from->opaque || to->opaque) {
        sn_emit_undef(l, a, to->nslot);
        return;
    }
    struct sn_place p = {sn_new_reg(l, 1), 0};
    sn_emit(l, SN_BC_FRAME, 0, p.base, 0, at);
    for (uint32_t k = 0; k < from->nleaf; k++)
        sn_emit_store(l, &from->leaf[k], b + from->leaf[k].slot, p, SN_NOT_ATOMIC, false);
    for (uint32_t k = 0; k < to->nleaf; k++)
        sn_emit_load(l, &to->leaf[k], a + to->leaf[k].slot, p, SN_NOT_ATOMIC, false);
}

static bool same_registers(const struct sn_flat *x, const struct sn_flat *y)
{
    if (x->nleaf != y->nleaf || x->nslot != y->nslot)
        return false;
    for (uint32_t k = 0; k < x->nleaf; k++)
        if (x->leaf[k].bits != y->leaf[k].bits || x->leaf[k].offset != y->leaf[k].offset)
            return false;
    return true;
}

static bool is_free(LLVMOpcode op, const struct sn_flat *from, const struct sn_flat *to)
{
    if (op == LLVMBitCast || op == LLVMAddrSpaceCast || op == LLVMPtrToInt || op == LLVMIntToPtr)
        if (same_registers(from, to))
            return true;
    return (op == LLVMZExt || op == LLVMIntToPtr) && to->nslot == 1 && from->nslot == 1 &&
           from->leaf[0].kind == SN_LEAF_INT && from->leaf[0].bits <= to->leaf[0].bits;
}

static bool is_float_op(LLVMOpcode op)
{
    return op == LLVMFPToUI || op == LLVMFPToSI || op == LLVMUIToFP || op == LLVMSIToFP ||
           op == LLVMFPTrunc || op == LLVMFPExt;
}

void sn_lower_cast(struct sn_lower *l, LLVMValueRef i)
{
    LLVMValueRef v = LLVMGetOperand(i, 0);
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    const struct sn_flat *from = sn_lower_flat(l, LLVMTypeOf(v)), *to = sn_lower_flat(l, LLVMTypeOf(i));
    bool named_before = sn_lower_map_find(&l->regs, SN_KEY(i)) != NULL;
    if (is_free(op, from, to) && !named_before) {
        sn_set_reg(l, i, sn_reg_of(l, v));
        return;
    }
    uint32_t a = sn_reg_of(l, i), b = sn_reg_of(l, v);
    if (op == LLVMBitCast && !same_registers(from, to)) {
        bitcast_through_memory(l, from, to, sn_type_bytes(l, LLVMTypeOf(i)), a, b);
        return;
    }
    for (uint32_t k = 0; k < to->nleaf; k++) {
        const struct sn_leaf *x = &from->leaf[k < from->nleaf ? k : 0], *y = &to->leaf[k];
        if (is_float_op(op))
            convert_float(l, op, x, y, a + y->slot, b + x->slot);
        else if (x->kind == SN_LEAF_OPAQUE || y->kind == SN_LEAF_OPAQUE)
            sn_emit_undef(l, a + y->slot, y->kind == SN_LEAF_WIDE ? 2 : 1);
        else
            narrow_or_widen(l, op, x, y, a + y->slot, b + x->slot);
    }
}
