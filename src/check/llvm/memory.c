/*
 * memory.c: loads, stores, addresses, stack variables, atomics.
 *
 * A GEP with constant indices that only loads and stores use costs nothing: they carry its offset.
 */
#include <string.h>

#include "check/llvm/llvm.h"

static bool fits(int64_t offset) { return offset == (int32_t)offset; }

/* Whether every user of an address can take an offset itself. */
static bool only_accessed(LLVMValueRef pointer)
{
    for (LLVMUseRef u = LLVMGetFirstUse(pointer); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        bool load = LLVMIsALoadInst(user) != NULL;
        bool store = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != pointer;
        if (!load && !store)
            return false;
    }
    return true;
}


/* The map holds two entries: the base under the value's key, the offset beside it. */
static void fold(struct sn_lower *l, LLVMValueRef v, struct sn_place p)
{
    *sn_lower_map_put(&l->folded, SN_KEY(v), 0) = p.base;
    *sn_lower_map_put(&l->folded, SN_KEY(v) + 1, 0) = (uint32_t)p.offset;
}

struct sn_place sn_lower_address(struct sn_lower *l, LLVMValueRef pointer)
{
    uint32_t *base = sn_lower_map_find(&l->folded, SN_KEY(pointer));
    if (base != NULL)
        return (struct sn_place){*base, (int32_t)*sn_lower_map_find(&l->folded, SN_KEY(pointer) + 1)};
    return (struct sn_place){sn_reg_of(l, pointer), 0};
}

static uint32_t index_reg(struct sn_lower *l, LLVMValueRef index)
{
    const struct sn_leaf *leaf = &sn_lower_flat(l, LLVMTypeOf(index))->leaf[0];
    uint32_t r = sn_reg_of(l, index);
    if (leaf->bits >= 64)
        return r;
    uint32_t wide = sn_new_reg(l, 1);
    sn_emit(l, leaf->bits == 32 ? SN_BC_SEXT32 : SN_BC_SEXT, (uint16_t)leaf->bits, wide, r, 64);
    return wide;
}

static uint32_t add_scaled(struct sn_lower *l, uint32_t base, LLVMValueRef index, uint64_t scale)
{
    uint32_t r = sn_new_reg(l, 1), by = index_reg(l, index);
    if (scale <= UINT16_MAX) {
        sn_emit(l, SN_BC_LEA, (uint16_t)scale, r, base, by);
        return r;
    }
    uint32_t product = sn_new_reg(l, 1);
    sn_emit(l, SN_BC_MUL64, 0, product, by, sn_imm_reg(l, scale));
    sn_emit(l, SN_BC_ADD64, 0, r, base, product);
    return r;
}

/* Variable indices are added into a register, constant ones summed up. */
static struct sn_place walk(struct sn_lower *l, LLVMValueRef gep)
{
    struct sn_place p = sn_lower_address(l, LLVMGetOperand(gep, 0));
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    int n = LLVMGetNumOperands(gep);
    for (int i = 1; i < n; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        if (i > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            unsigned k = (unsigned)LLVMConstIntGetZExtValue(index);
            p.offset += (int64_t)LLVMOffsetOfElement(l->layout, t, k);
            t = LLVMStructGetTypeAtIndex(t, k);
            continue;
        }
        if (i > 1)
            t = LLVMGetElementType(t);
        uint64_t scale = sn_type_bytes(l, t);
        if (LLVMIsAConstantInt(index))
            p.offset += (int64_t)((uint64_t)LLVMConstIntGetSExtValue(index) * scale);
        else
            p.base = add_scaled(l, p.base, index, scale);
    }
    return p;
}

void sn_lower_gep(struct sn_lower *l, LLVMValueRef i)
{
    if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMPointerTypeKind) {
        sn_emit_undef(l, sn_reg_of(l, i), sn_lower_flat(l, LLVMTypeOf(i))->nslot);
        return;
    }
    struct sn_place p = walk(l, i);
    bool named_before = sn_lower_map_find(&l->regs, SN_KEY(i)) != NULL;
    if (fits(p.offset) && !named_before && only_accessed(i)) {
        fold(l, i, p);
        return;
    }
    if (p.offset == 0 && !named_before)
        sn_set_reg(l, i, p.base);
    else if (fits(p.offset))
        sn_emit(l, SN_BC_ADD64I, 0, sn_reg_of(l, i), p.base, (uint32_t)p.offset);
    else
        sn_emit(l, SN_BC_ADD64, 0, sn_reg_of(l, i), p.base, sn_imm_reg(l, (uint64_t)p.offset));
}

static bool is_entry_block(struct sn_lower *l, LLVMValueRef i)
{
    return LLVMGetInstructionParent(i) == LLVMGetEntryBasicBlock(l->fn);
}

void sn_lower_alloca(struct sn_lower *l, LLVMValueRef i)
{
    LLVMValueRef count = LLVMGetOperand(i, 0);
    uint64_t bytes = sn_type_bytes(l, LLVMGetAllocatedType(i));
    uint32_t a = sn_reg_of(l, i);
    if (is_entry_block(l, i) && LLVMIsAConstantInt(count)) {
        size_t n;
        uint64_t times = LLVMConstIntGetZExtValue(count);
        const char *name = LLVMGetValueName2(i, &n);
        uint64_t all = times > UINT32_MAX || bytes > UINT32_MAX ? UINT64_MAX : bytes * times;
        uint32_t at = sn_new_local(l, all, LLVMGetAlignment(i), name, 0);
        if (at == SN_NONE)
            sn_emit_undef(l, a, 1);
        else
            sn_emit(l, SN_BC_FRAME, 0, a, 0, at);
        return;
    }
    sn_emit(l, SN_BC_ALLOCA, 0, a, sn_reg_of(l, count), bytes < INT32_MAX ? (uint32_t)bytes : INT32_MAX);
}

static unsigned order_of(LLVMAtomicOrdering o)
{
    switch (o) {
    case LLVMAtomicOrderingNotAtomic: return SN_NOT_ATOMIC;
    case LLVMAtomicOrderingUnordered:
    case LLVMAtomicOrderingMonotonic: return SN_RELAXED;
    case LLVMAtomicOrderingAcquire: return SN_ACQUIRE;
    case LLVMAtomicOrderingRelease: return SN_RELEASE;
    case LLVMAtomicOrderingAcquireRelease: return SN_ACQ_REL;
    default: return SN_SEQ_CST;
    }
}

/* The plain opcode of an access of that many bits, or 0. */
static int plain_width(unsigned bits)
{
    return bits == 8 ? 1 : bits == 16 ? 2 : bits == 32 ? 3 : bits == 64 ? 4 : 0;
}

static uint16_t access_word(const struct sn_leaf *leaf, unsigned order, bool vol)
{
    if (leaf->kind == SN_LEAF_F80)
        return SN_ACCESS(10, order, vol, SN_SHAPE_F80);
    if (leaf->kind == SN_LEAF_WIDE)
        return SN_ACCESS(16, order, vol, SN_SHAPE_WIDE);
    return SN_ACCESS((leaf->bits + 7) / 8, order, vol, SN_SHAPE_INT);
}

void sn_emit_load(struct sn_lower *l, const struct sn_leaf *leaf, uint32_t reg, struct sn_place at,
                  unsigned order, bool vol)
{
    int64_t offset = at.offset + leaf->offset;
    int w = plain_width(leaf->bits);
    if (leaf->kind == SN_LEAF_OPAQUE || !fits(offset))
        sn_emit_undef(l, reg, leaf->kind == SN_LEAF_WIDE || leaf->kind == SN_LEAF_F80 ? 2 : 1);
    else if (w != 0 && order == SN_NOT_ATOMIC && !vol)
        sn_emit(l, SN_BC_LOAD8 + w - 1, 0, reg, at.base, (uint32_t)offset);
    else
        sn_emit(l, SN_BC_LOADX, access_word(leaf, order, vol), reg, at.base, (uint32_t)offset);
    if (leaf->kind == SN_LEAF_INT && leaf->bits % 8 != 0)
        sn_emit(l, SN_BC_TRUNC, (uint16_t)leaf->bits, reg, reg, 0);
}

void sn_emit_store(struct sn_lower *l, const struct sn_leaf *leaf, uint32_t reg, struct sn_place at,
                   unsigned order, bool vol)
{
    int64_t offset = at.offset + leaf->offset;
    int w = plain_width(leaf->bits);
    if (!fits(offset))
        return;
    if (leaf->kind == SN_LEAF_OPAQUE) {
        struct sn_leaf bytes = {SN_LEAF_INT, 64, leaf->offset, leaf->slot};
        sn_emit(l, SN_BC_STOREX, access_word(&bytes, order, vol), reg, at.base, (uint32_t)offset);
    } else if (w != 0 && order == SN_NOT_ATOMIC && !vol) {
        sn_emit(l, SN_BC_STORE8 + w - 1, 0, reg, at.base, (uint32_t)offset);
    } else {
        sn_emit(l, SN_BC_STOREX, access_word(leaf, order, vol), reg, at.base, (uint32_t)offset);
    }
}

/* Lanes narrower than a byte are packed in memory: not followed. */
static bool packed_lanes(LLVMTypeRef t)
{
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return false;
    LLVMTypeRef e = LLVMGetElementType(t);
    return LLVMGetTypeKind(e) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(e) % 8 != 0;
}

void sn_lower_load(struct sn_lower *l, LLVMValueRef i)
{
    const struct sn_flat *flat = sn_lower_flat(l, LLVMTypeOf(i));
    uint32_t reg = sn_reg_of(l, i);
    if (flat->opaque || packed_lanes(LLVMTypeOf(i))) {
        sn_emit_undef(l, reg, flat->nslot);
        return;
    }
    struct sn_place at = sn_lower_address(l, LLVMGetOperand(i, 0));
    unsigned order = order_of(LLVMGetOrdering(i));
    bool vol = LLVMGetVolatile(i) != 0;
    for (uint32_t k = 0; k < flat->nleaf; k++)
        sn_emit_load(l, &flat->leaf[k], reg + flat->leaf[k].slot, at, order, vol);
}

void sn_lower_store(struct sn_lower *l, LLVMValueRef i)
{
    LLVMValueRef v = LLVMGetOperand(i, 0);
    const struct sn_flat *flat = sn_lower_flat(l, LLVMTypeOf(v));
    if (flat->opaque || packed_lanes(LLVMTypeOf(v)))
        return;
    uint32_t reg = sn_reg_of(l, v);
    struct sn_place at = sn_lower_address(l, LLVMGetOperand(i, 1));
    unsigned order = order_of(LLVMGetOrdering(i));
    bool vol = LLVMGetVolatile(i) != 0;
    for (uint32_t k = 0; k < flat->nleaf; k++)
        sn_emit_store(l, &flat->leaf[k], reg + flat->leaf[k].slot, at, order, vol);
}

static enum sn_rmw rmw_of(LLVMAtomicRMWBinOp op)
{
    switch (op) {
    case LLVMAtomicRMWBinOpXchg: return SN_RMW_XCHG;
    case LLVMAtomicRMWBinOpAdd: return SN_RMW_ADD;
    case LLVMAtomicRMWBinOpSub: return SN_RMW_SUB;
    case LLVMAtomicRMWBinOpAnd: return SN_RMW_AND;
    case LLVMAtomicRMWBinOpNand: return SN_RMW_NAND;
    case LLVMAtomicRMWBinOpOr: return SN_RMW_OR;
    case LLVMAtomicRMWBinOpXor: return SN_RMW_XOR;
    case LLVMAtomicRMWBinOpMax: return SN_RMW_MAX;
    case LLVMAtomicRMWBinOpMin: return SN_RMW_MIN;
    case LLVMAtomicRMWBinOpUMax: return SN_RMW_UMAX;
    case LLVMAtomicRMWBinOpUMin: return SN_RMW_UMIN;
    case LLVMAtomicRMWBinOpFAdd: return SN_RMW_FADD;
    case LLVMAtomicRMWBinOpFSub: return SN_RMW_FSUB;
    default: return SN_RMW_OTHER;
    }
}

/* Register that holds exactly the address, for instructions without an offset. */
static uint32_t address_reg(struct sn_lower *l, LLVMValueRef pointer) { return sn_reg_of(l, pointer); }

void sn_lower_rmw(struct sn_lower *l, LLVMValueRef i)
{
    LLVMValueRef v = LLVMGetOperand(i, 1);
    const struct sn_flat *flat = sn_lower_flat(l, LLVMTypeOf(v));
    uint32_t a = sn_reg_of(l, i);
    if (flat->nleaf != 1 || flat->nslot != 1 || flat->leaf[0].bits % 8 != 0) {
        sn_emit_undef(l, a, flat->nslot);
        return;
    }
    uint16_t x = SN_RMW_WORD(rmw_of(LLVMGetAtomicRMWBinOp(i)), flat->leaf[0].bits / 8,
                             order_of(LLVMGetOrdering(i)));
    sn_emit(l, SN_BC_RMW, x, a, address_reg(l, LLVMGetOperand(i, 0)), sn_reg_of(l, v));
}

void sn_lower_cmpxchg(struct sn_lower *l, LLVMValueRef i)
{
    LLVMValueRef expected = LLVMGetOperand(i, 1);
    const struct sn_flat *flat = sn_lower_flat(l, LLVMTypeOf(expected));
    uint32_t a = sn_reg_of(l, i);
    if (flat->nleaf != 1 || flat->nslot != 1 || flat->leaf[0].bits % 8 != 0) {
        sn_emit_undef(l, a, sn_lower_flat(l, LLVMTypeOf(i))->nslot);
        return;
    }
    unsigned order = order_of(LLVMGetCmpXchgSuccessOrdering(i));
    unsigned failure = order_of(LLVMGetCmpXchgFailureOrdering(i));
    sn_emit(l, SN_BC_CMPXCHG, SN_ACCESS(flat->leaf[0].bits / 8, order, 0, 0), a,
            address_reg(l, LLVMGetOperand(i, 0)), sn_reg_of(l, expected));
    sn_emit(l, SN_BC_EXT, 0, sn_reg_of(l, LLVMGetOperand(i, 2)), failure, 0);
}

/* The C API tells a fence's order only from LLVM 20 on; the printed form tells it always. */
void sn_lower_fence(struct sn_lower *l, LLVMValueRef i)
{
    char *text = LLVMPrintValueToString(i);
    unsigned order = strstr(text, "acq_rel") ? SN_ACQ_REL : strstr(text, "acquire") ? SN_ACQUIRE
                     : strstr(text, "release") ? SN_RELEASE : SN_SEQ_CST;
    bool one_thread = strstr(text, "singlethread") != NULL; /* a compiler barrier orders nothing */
    LLVMDisposeMessage(text);
    if (!one_thread)
        sn_emit(l, SN_BC_FENCE, (uint16_t)order, 0, 0, 0);
}
