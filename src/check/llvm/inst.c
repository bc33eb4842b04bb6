/*
 * inst.c: one LLVM instruction at a time: dispatch, and what moves values between registers.
 */
#include "check/llvm/llvm.h"

/* A comparison whose only user is the conditional branch that ends its block. */
bool sn_fused_compare(LLVMValueRef i)
{
    if (LLVMGetInstructionOpcode(i) != LLVMICmp)
        return false;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, 0)));
    if (kind != LLVMIntegerTypeKind && kind != LLVMPointerTypeKind)
        return false;
    if (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(i, 0))) > 64)
        return false;
    LLVMUseRef use = LLVMGetFirstUse(i);
    if (use == NULL || LLVMGetNextUse(use) != NULL)
        return false;
    LLVMValueRef user = LLVMGetUser(use);
    return LLVMIsABranchInst(user) && LLVMGetInstructionParent(user) == LLVMGetInstructionParent(i);
}

static LLVMTypeRef part_type(struct sn_lower *l, LLVMTypeRef t, unsigned index, uint32_t *slot)
{
    if (LLVMGetTypeKind(t) != LLVMStructTypeKind) {
        LLVMTypeRef e = LLVMGetElementType(t);
        *slot += index * sn_lower_flat(l, e)->nslot;
        return e;
    }
    for (unsigned k = 0; k < index; k++)
        *slot += sn_lower_flat(l, LLVMStructGetTypeAtIndex(t, k))->nslot;
    return LLVMStructGetTypeAtIndex(t, index);
}

/* Which registers of an aggregate an extractvalue or insertvalue names. */
static uint32_t part_slot(struct sn_lower *l, LLVMValueRef i, LLVMTypeRef t)
{
    const unsigned *index = LLVMGetIndices(i);
    uint32_t slot = 0;
    for (unsigned k = 0; k < LLVMGetNumIndices(i); k++)
        t = part_type(l, t, index[k], &slot);
    return slot;
}

static void extract_value(struct sn_lower *l, LLVMValueRef i)
{
    LLVMValueRef whole = LLVMGetOperand(i, 0);
    LLVMTypeRef t = LLVMTypeOf(whole);
    if (sn_lower_flat(l, t)->opaque) {
        sn_emit_undef(l, sn_reg_of(l, i), sn_lower_flat(l, LLVMTypeOf(i))->nslot);
        return;
    }
    uint32_t from = sn_reg_of(l, whole) + part_slot(l, i, t);
    if (sn_lower_map_find(&l->regs, SN_KEY(i)) == NULL)
        sn_set_reg(l, i, from);
    else
        sn_emit_move(l, sn_reg_of(l, i), from, sn_lower_flat(l, LLVMTypeOf(i))->nslot);
}

static void insert_value(struct sn_lower *l, LLVMValueRef i)
{
    LLVMValueRef part = LLVMGetOperand(i, 1);
    const struct sn_flat *flat = sn_lower_flat(l, LLVMTypeOf(i));
    uint32_t a = sn_reg_of(l, i);
    sn_emit_move(l, a, sn_reg_of(l, LLVMGetOperand(i, 0)), flat->nslot);
    if (!flat->opaque)
        sn_emit_move(l, a + part_slot(l, i, LLVMTypeOf(i)), sn_reg_of(l, part),
                     sn_lower_flat(l, LLVMTypeOf(part))->nslot);
}

/* Lanes with a variable index: every lane is tried. */
static void extract_lane(struct sn_lower *l, LLVMValueRef i)
{
    LLVMValueRef vector = LLVMGetOperand(i, 0), index = LLVMGetOperand(i, 1);
    const struct sn_flat *flat = sn_lower_flat(l, LLVMTypeOf(vector));
    uint32_t a = sn_reg_of(l, i), each = sn_lower_flat(l, LLVMTypeOf(i))->nslot;
    uint32_t from = sn_reg_of(l, vector), lanes = each ? flat->nslot / each : 0;
    if (flat->opaque) {
        sn_emit_undef(l, a, each);
        return;
    }
    if (LLVMIsAConstantInt(index)) {
        uint64_t k = LLVMConstIntGetZExtValue(index);
        if (k < lanes)
            sn_emit_move(l, a, from + (uint32_t)k * each, each);
        else
            sn_emit_undef(l, a, each);
        return;
    }
    uint32_t at = sn_reg_of(l, index), same = sn_new_reg(l, 1);
    sn_emit_undef(l, a, each);
    for (uint32_t k = 0; k < lanes; k++) {
        sn_emit(l, SN_BC_EQI, 0, same, at, k);
        for (uint32_t s = 0; s < each; s++) {
            sn_emit(l, SN_BC_SELECT, 0, a + s, same, from + k * each + s);
            sn_emit(l, SN_BC_EXT, 0, a + s, 0, 0);
        }
    }
}

static void insert_lane(struct sn_lower *l, LLVMValueRef i)
{
    LLVMValueRef part = LLVMGetOperand(i, 1), index = LLVMGetOperand(i, 2);
    const struct sn_flat *flat = sn_lower_flat(l, LLVMTypeOf(i));
    uint32_t a = sn_reg_of(l, i), each = sn_lower_flat(l, LLVMTypeOf(part))->nslot;
    uint32_t from = sn_reg_of(l, part), lanes = each ? flat->nslot / each : 0;
    sn_emit_move(l, a, sn_reg_of(l, LLVMGetOperand(i, 0)), flat->nslot);
    if (flat->opaque)
        return;
    if (LLVMIsAConstantInt(index)) {
        uint64_t k = LLVMConstIntGetZExtValue(index);
        if (k < lanes)
            sn_emit_move(l, a + (uint32_t)k * each, from, each);
        return;
    }
    uint32_t at = sn_reg_of(l, index), same = sn_new_reg(l, 1);
    for (uint32_t k = 0; k < lanes; k++) {
        sn_emit(l, SN_BC_EQI, 0, same, at, k);
        for (uint32_t s = 0; s < each; s++) {
            sn_emit(l, SN_BC_SELECT, 0, a + k * each + s, same, from + s);
            sn_emit(l, SN_BC_EXT, 0, a + k * each + s, 0, 0);
        }
    }
}

static void shuffle(struct sn_lower *l, LLVMValueRef i)
{
    const struct sn_flat *from = sn_lower_flat(l, LLVMTypeOf(LLVMGetOperand(i, 0)));
    const struct sn_flat *to = sn_lower_flat(l, LLVMTypeOf(i));
    uint32_t a = sn_reg_of(l, i), x = sn_reg_of(l, LLVMGetOperand(i, 0));
    uint32_t y = sn_reg_of(l, LLVMGetOperand(i, 1));
    unsigned lanes = LLVMGetNumMaskElements(i);
    uint32_t each = lanes ? to->nslot / lanes : 0, n = each ? from->nslot / each : 0;
    if (from->opaque || to->opaque) {
        sn_emit_undef(l, a, to->nslot);
        return;
    }
    for (unsigned k = 0; k < lanes; k++) {
        int m = LLVMGetMaskValue(i, k);
        if (m < 0 || (uint32_t)m >= 2 * n)
            sn_emit_undef(l, a + k * each, each);
        else
            sn_emit_move(l, a + k * each, ((uint32_t)m < n ? x : y) + ((uint32_t)m % n) * each, each);
    }
}

static void same_value(struct sn_lower *l, LLVMValueRef i)
{
    uint32_t n = sn_lower_flat(l, LLVMTypeOf(i))->nslot, from = sn_reg_of(l, LLVMGetOperand(i, 0));
    sn_emit_move(l, sn_reg_of(l, i), from, n);
}

void sn_lower_instruction(struct sn_lower *l, LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    switch (op) {
    case LLVMPHI:
        sn_reg_of(l, i);
        return;
    case LLVMAlloca: sn_lower_alloca(l, i); return;
    case LLVMLoad: sn_lower_load(l, i); return;
    case LLVMStore: sn_lower_store(l, i); return;
    case LLVMGetElementPtr: sn_lower_gep(l, i); return;
    case LLVMAtomicRMW: sn_lower_rmw(l, i); return;
    case LLVMAtomicCmpXchg: sn_lower_cmpxchg(l, i); return;
    case LLVMFence: sn_lower_fence(l, i); return;
    case LLVMICmp:
        if (!sn_fused_compare(i))
            sn_lower_icmp(l, i);
        return;
    case LLVMFCmp: sn_lower_fcmp(l, i); return;
    case LLVMSelect: sn_lower_select(l, i); return;
    case LLVMCall: sn_lower_call(l, i); return;
    case LLVMExtractValue: extract_value(l, i); return;
    case LLVMInsertValue: insert_value(l, i); return;
    case LLVMExtractElement: extract_lane(l, i); return;
    case LLVMInsertElement: insert_lane(l, i); return;
    case LLVMShuffleVector: shuffle(l, i); return;
    case LLVMFreeze: same_value(l, i); return;
    default:
        break;
    }
    if (LLVMIsACastInst(i))
        sn_lower_cast(l, i);
    else if (LLVMIsABinaryOperator(i) || op == LLVMFNeg)
        sn_lower_binary(l, i);
    else
        sn_emit_undef(l, sn_reg_of(l, i), sn_lower_flat(l, LLVMTypeOf(i))->nslot);
}
