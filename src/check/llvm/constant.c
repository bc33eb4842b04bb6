/*
 * constant.c: LLVM constants as register values and as bytes of memory. What cannot be computed is
 * uninterpreted.
 */
#include <stdlib.h>
#include <string.h>

#include "check/llvm/llvm.h"

#define UNKNOWN_REG ((struct sn_reg){0, SN_UNKNOWN})

static struct sn_reg known(uint64_t v) { return (struct sn_reg){v, 0}; }
static uint64_t mask_of(unsigned bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

static unsigned width_of(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) : 64;
}

uint32_t sn_label_of(struct sn_lower *l, LLVMBasicBlockRef b)
{
    struct sn_bytecode *c = l->code;
    size_t before = l->labels.n;
    uint32_t *label = sn_lower_map_put(&l->labels, SN_KEY(b), (uint32_t)c->nlabel);
    if (l->labels.n != before) {
        SN_GROW(c->label, c->nlabel, l->cap_label);
        c->label[c->nlabel++] = SN_NONE;
    }
    return *label;
}

/* Offset of a GEP, instruction or expression, if all its indices are constant. */
bool sn_gep_offset(struct sn_lower *l, LLVMValueRef gep, int64_t *offset)
{
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    int n = LLVMGetNumOperands(gep);
    int64_t sum = 0;
    if (LLVMGetTypeKind(LLVMTypeOf(gep)) == LLVMVectorTypeKind)
        return false;
    for (int i = 1; i < n; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        if (!LLVMIsAConstantInt(index))
            return false;
        int64_t k = LLVMConstIntGetSExtValue(index);
        if (i > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            sum += (int64_t)LLVMOffsetOfElement(l->layout, t, (unsigned)k);
            t = LLVMStructGetTypeAtIndex(t, (unsigned)k);
            continue;
        }
        if (i > 1)
            t = LLVMGetElementType(t);
        sum = (int64_t)((uint64_t)sum + (uint64_t)k * sn_type_bytes(l, t));
    }
    *offset = sum;
    return true;
}

bool sn_const_tls(struct sn_lower *l, LLVMValueRef v, uint32_t *offset)
{
    int64_t sum = 0, part;
    while (LLVMIsAConstantExpr(v)) {
        LLVMOpcode op = LLVMGetConstOpcode(v);
        if (op == LLVMGetElementPtr) {
            if (!sn_gep_offset(l, v, &part))
                return false;
            sum += part;
        } else if (op != LLVMBitCast && op != LLVMAddrSpaceCast && op != LLVMPtrToInt) {
            return false;
        }
        v = LLVMGetOperand(v, 0);
    }
    if (!LLVMIsAGlobalVariable(v) || !LLVMIsThreadLocal(v))
        return false;
    uint32_t *at = sn_lower_map_find(&l->variables, SN_KEY(v));
    if (at == NULL)
        return false;
    *offset = *at + (uint32_t)sum;
    return true;
}

static struct sn_reg global_address(struct sn_lower *l, LLVMValueRef v)
{
    if (LLVMIsAGlobalAlias(v))
        return sn_const_scalar(l, LLVMAliasGetAliasee(v));
    uint32_t *f = sn_lower_map_find(&l->functions, SN_KEY(v));
    if (f != NULL)
        return known(sn_func_addr(*f));
    uint32_t *at = sn_lower_map_find(&l->variables, SN_KEY(v));
    if (at != NULL && *at != SN_NONE && !LLVMIsThreadLocal(v))
        return known(*at);
    return UNKNOWN_REG;
}

static struct sn_reg binary_value(LLVMOpcode op, uint64_t a, uint64_t b, unsigned bits)
{
    switch (op) {
    case LLVMAdd: return known((a + b) & mask_of(bits));
    case LLVMSub: return known((a - b) & mask_of(bits));
    case LLVMMul: return known((a * b) & mask_of(bits));
    case LLVMAnd: return known(a & b);
    case LLVMOr: return known(a | b);
    case LLVMXor: return known(a ^ b);
    case LLVMShl: return b < bits ? known((a << b) & mask_of(bits)) : UNKNOWN_REG;
    case LLVMLShr: return b < bits ? known(a >> b) : UNKNOWN_REG;
    default: return UNKNOWN_REG;
    }
}

static uint64_t sign_extend(uint64_t v, unsigned bits)
{
    return bits == 0 || bits >= 64 ? v : (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
}

static struct sn_reg expression(struct sn_lower *l, LLVMValueRef v)
{
    LLVMOpcode op = LLVMGetConstOpcode(v);
    LLVMValueRef arg = LLVMGetOperand(v, 0);
    unsigned bits = width_of(LLVMTypeOf(v)), from = width_of(LLVMTypeOf(arg));
    struct sn_reg a = sn_const_scalar(l, arg);
    int64_t offset;
    if (a.u != 0)
        return UNKNOWN_REG;
    switch (op) {
    case LLVMGetElementPtr:
        return sn_gep_offset(l, v, &offset) ? known(a.v + (uint64_t)offset) : UNKNOWN_REG;
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
        return a;
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMTrunc:
    case LLVMZExt:
        return known(a.v & mask_of(bits));
    case LLVMSExt:
        return known(sign_extend(a.v, from) & mask_of(bits));
    default:
        break;
    }
    if (LLVMGetNumOperands(v) != 2 || bits > 64)
        return UNKNOWN_REG;
    struct sn_reg b = sn_const_scalar(l, LLVMGetOperand(v, 1));
    return b.u != 0 ? UNKNOWN_REG : binary_value(op, a.v, b.v, bits);
}

static struct sn_reg real_value(LLVMValueRef v, LLVMTypeKind kind)
{
    LLVMBool lossy;
    double d = LLVMConstRealGetDouble(v, &lossy);
    uint64_t bits = 0;
    if (kind == LLVMFloatTypeKind) {
        float f = (float)d;
        memcpy(&bits, &f, sizeof f);
    } else {
        memcpy(&bits, &d, sizeof d);
    }
    return known(bits);
}

/* From LLVM 21 on the block of a block address is no operand. */
static LLVMBasicBlockRef block_of(LLVMValueRef address)
{
#if LLVM_VERSION_MAJOR >= 21
    return LLVMGetBlockAddressBasicBlock(address);
#else
    return LLVMValueAsBasicBlock(LLVMGetOperand(address, 1));
#endif
}

struct sn_reg sn_const_scalar(struct sn_lower *l, LLVMValueRef v)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
    if (LLVMIsUndef(v) || LLVMIsPoison(v))
        return (struct sn_reg){0, SN_UNINIT}; /* a local that was promoted before it was written */
    if (LLVMIsAConstantInt(v))
        return width_of(LLVMTypeOf(v)) <= 64 ? known(LLVMConstIntGetZExtValue(v)) : UNKNOWN_REG;
    if (LLVMIsAConstantFP(v))
        return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind ? real_value(v, kind) : UNKNOWN_REG;
    if (LLVMIsAConstantPointerNull(v) || LLVMIsAConstantAggregateZero(v))
        return known(0);
    if (LLVMIsABlockAddress(v)) {
        return known(SN_ADDR_LABEL + 4ull * sn_label_of(l, block_of(v)));
    }
    if (LLVMIsAGlobalValue(v))
        return global_address(l, v);
    if (LLVMIsAConstantExpr(v))
        return expression(l, v);
    return UNKNOWN_REG;
}

/* 128-bit integers and 80-bit floats: the C API only gives 64 bits, the printed form gives all. */
static bool wide_value(LLVMValueRef v, enum sn_leaf_kind kind, struct sn_reg out[2])
{
    unsigned __int128 sum = 0;
    unsigned exponent = 0;
    unsigned long long mantissa = 0;
    char *text = LLVMPrintValueToString(v);
    const char *p = strrchr(text, ' ');
    bool ok = p != NULL;
    out[0] = out[1] = known(0);
    if (ok && kind == SN_LEAF_F80) {
        ok = sscanf(p + 1, "0xK%4x%16llx", &exponent, &mantissa) == 2;
        out[0].v = mantissa;
        out[1].v = exponent;
    } else if (ok) {
        bool negative = p[1] == '-';
        for (p += 1 + negative; *p >= '0' && *p <= '9'; p++)
            sum = sum * 10 + (unsigned)(*p - '0');
        sum = negative ? -sum : sum;
        out[0].v = (uint64_t)sum;
        out[1].v = (uint64_t)(sum >> 64);
    }
    LLVMDisposeMessage(text);
    return ok;
}

static void leaf_slots(struct sn_lower *l, LLVMValueRef v, const struct sn_leaf *leaf, struct sn_reg *out)
{
    bool wide = leaf->kind == SN_LEAF_WIDE || leaf->kind == SN_LEAF_F80;
    if (!wide) {
        out[0] = leaf->kind == SN_LEAF_OPAQUE ? UNKNOWN_REG : sn_const_scalar(l, v);
        return;
    }
    out[0] = out[1] = UNKNOWN_REG;
    if (LLVMIsAConstantInt(v) || LLVMIsAConstantFP(v))
        if (!wide_value(v, leaf->kind, out))
            out[0] = out[1] = UNKNOWN_REG;
}

static LLVMValueRef element(LLVMValueRef v, unsigned i)
{
#if LLVM_VERSION_MAJOR >= 15
    return LLVMGetAggregateElement(v, i);
#else
    return LLVMIsAConstantDataSequential(v) ? LLVMGetElementAsConstant(v, i) : LLVMGetOperand(v, i);
#endif
}

static bool is_aggregate(LLVMTypeRef t)
{
    LLVMTypeKind k = LLVMGetTypeKind(t);
    return k == LLVMStructTypeKind || k == LLVMArrayTypeKind || k == LLVMVectorTypeKind;
}

static uint64_t element_count(LLVMTypeRef t)
{
    switch (LLVMGetTypeKind(t)) {
    case LLVMStructTypeKind: return LLVMCountStructElementTypes(t);
    case LLVMArrayTypeKind: return LLVMGetArrayLength(t);
    case LLVMVectorTypeKind: return LLVMGetVectorSize(t);
    default: return 0;
    }
}

static LLVMTypeRef element_type(LLVMTypeRef t, unsigned i)
{
    return LLVMGetTypeKind(t) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(t, i)
                                                    : LLVMGetElementType(t);
}

static bool has_elements(LLVMValueRef v)
{
    return LLVMIsAConstantStruct(v) || LLVMIsAConstantArray(v) || LLVMIsAConstantVector(v) ||
           LLVMIsAConstantDataSequential(v);
}

void sn_const_slots(struct sn_lower *l, LLVMValueRef v, const struct sn_flat *flat, struct sn_reg *out)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    bool zero = LLVMIsAConstantAggregateZero(v) != NULL;
    for (uint32_t i = 0; i < flat->nslot; i++)
        out[i] = zero && !flat->opaque ? known(0) : UNKNOWN_REG;
    if (flat->opaque || zero)
        return;
    if (!is_aggregate(t)) {
        leaf_slots(l, v, &flat->leaf[0], out);
        return;
    }
    if (!has_elements(v))
        return;
    uint64_t n = element_count(t);
    for (unsigned i = 0, slot = 0; i < n; i++) {
        const struct sn_flat *part = sn_lower_flat(l, element_type(t, i));
        sn_const_slots(l, element(v, i), part, out + slot);
        slot += part->nslot;
    }
}

static void put_scalar(struct sn_lower *l, LLVMValueRef v, LLVMTypeRef t, uint8_t *out, uint8_t *tag)
{
    const struct sn_flat *flat = sn_lower_flat(l, t);
    uint64_t bytes = LLVMStoreSizeOfType(l->layout, t);
    struct sn_reg r[2] = {{0, 0}, {0, 0}};
    if (LLVMIsUndef(v))
        return; /* padding and unnamed parts: zero in a static object */
    if (flat->nleaf == 1)
        leaf_slots(l, v, &flat->leaf[0], r);
    memcpy(out, &r[0].v, bytes < 8 ? bytes : 8);
    if (bytes > 8)
        memcpy(out + 8, &r[1].v, bytes < 16 ? bytes - 8 : 8);
    memset(tag, (int)(r[0].u | r[1].u), bytes);
}

void sn_const_bytes(struct sn_lower *l, LLVMValueRef v, LLVMTypeRef t, uint8_t *out, uint8_t *tag)
{
    if (LLVMIsAConstantAggregateZero(v) || LLVMIsAConstantPointerNull(v))
        return;
    if (!is_aggregate(t)) {
        put_scalar(l, v, t, out, tag);
        return;
    }
    if (!has_elements(v))
        return;
    if (LLVMIsAConstantDataSequential(v) && LLVMIsConstantString(v)) {
        size_t n = 0;
        const char *s = LLVMGetAsString(v, &n);
        memcpy(out, s, n);
        return;
    }
    uint64_t n = element_count(t);
    for (unsigned i = 0; i < n; i++) {
        LLVMTypeRef part = element_type(t, i);
        uint64_t at = LLVMGetTypeKind(t) == LLVMStructTypeKind ? LLVMOffsetOfElement(l->layout, t, i)
                                                               : i * sn_type_bytes(l, part);
        sn_const_bytes(l, element(v, i), part, out + at, tag + at);
    }
}
