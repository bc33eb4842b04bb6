/*
 * intrinsic.c: LLVM's intrinsic functions. One that is not listed gives an uninterpreted result.
 */
#include <string.h>

#include "check/llvm/llvm.h"

static bool starts(const char *s, const char *prefix) { return strncmp(s, prefix, strlen(prefix)) == 0; }

static uint32_t arg(struct sn_lower *l, LLVMValueRef i, unsigned k)
{
    return sn_reg_of(l, LLVMGetOperand(i, k));
}

static const struct sn_leaf *scalar(struct sn_lower *l, LLVMValueRef v)
{
    const struct sn_flat *flat = sn_lower_flat(l, LLVMTypeOf(v));
    return flat->nleaf == 1 ? &flat->leaf[0] : NULL;
}

struct named {
    const char *prefix;
    int kind;
};

static int kind_of(const struct named *table, size_t n, const char *name)
{
    for (size_t k = 0; k < n; k++)
        if (starts(name, table[k].prefix))
            return table[k].kind;
    return -1;
}
#define KIND_OF(table, name) kind_of(table, sizeof(table) / sizeof *(table), name)

static const struct named overflows[] = {
    {"sadd.with.overflow", SN_OV_SADD}, {"uadd.with.overflow", SN_OV_UADD},
    {"ssub.with.overflow", SN_OV_SSUB}, {"usub.with.overflow", SN_OV_USUB},
    {"smul.with.overflow", SN_OV_SMUL}, {"umul.with.overflow", SN_OV_UMUL},
};
static const struct named saturating[] = {
    {"sadd.sat", SN_OV_SADD}, {"uadd.sat", SN_OV_UADD}, {"ssub.sat", SN_OV_SSUB}, {"usub.sat", SN_OV_USUB},
};
static const struct named bit_tricks[] = {
    {"ctpop", SN_BITS_POPCOUNT}, {"bswap", SN_BITS_BSWAP}, {"ctlz", SN_BITS_CTLZ},
    {"cttz", SN_BITS_CTTZ},      {"fshl", SN_BITS_FSHL},   {"fshr", SN_BITS_FSHR},
    {"abs.", SN_BITS_ABS},       {"smax", SN_BITS_SMAX},   {"smin", SN_BITS_SMIN},
    {"umax", SN_BITS_UMAX},      {"umin", SN_BITS_UMIN},   {"bitreverse", SN_BITS_REVERSE},
};
static const struct named float_tricks[] = {
    {"fabs", SN_FLT_FABS},     {"sqrt", SN_FLT_SQRT},   {"fmuladd", SN_FLT_FMA}, {"fma.", SN_FLT_FMA},
    {"floor", SN_FLT_FLOOR},   {"ceil", SN_FLT_CEIL},   {"trunc", SN_FLT_TRUNC}, {"roundeven", SN_FLT_RINT},
    {"round", SN_FLT_ROUND},   {"rint", SN_FLT_RINT},   {"nearbyint", SN_FLT_RINT},
    {"copysign", SN_FLT_COPYSIGN}, {"minnum", SN_FLT_MINNUM}, {"maxnum", SN_FLT_MAXNUM},
    {"sin.", SN_FLT_SIN}, {"cos.", SN_FLT_COS}, {"exp2", SN_FLT_EXP2}, {"exp.", SN_FLT_EXP},
    {"log2", SN_FLT_LOG2}, {"log10", SN_FLT_LOG10}, {"log.", SN_FLT_LOG}, {"pow.", SN_FLT_POW},
    {"is.fpclass", SN_FLT_IS_FPCLASS},
};
/* Those whose result is their first argument, and those without any effect here. */
static const struct named passing[] = {
    {"expect", 1}, {"launder.invariant", 1}, {"strip.invariant", 1}, {"ptr.annotation", 1},
    {"annotation.", 1}, {"ssa.copy", 1}, {"preserve.", 1}, {"arithmetic.fence", 1},
    {"threadlocal.address", 1},
};
static const struct named silent[] = {
    {"dbg.", 1}, {"lifetime.", 1}, {"assume", 1}, {"prefetch", 1}, {"invariant.", 1}, {"donothing", 1},
    {"sideeffect", 1}, {"va_end", 1}, {"var.annotation", 1}, {"experimental.noalias", 1}, {"fake.use", 1},
    {"pseudoprobe", 1}, {"instrprof", 1}, {"stackprotector", 1}, {"clear_cache", 1},
};

static bool lower_overflow(struct sn_lower *l, LLVMValueRef i, int kind)
{
    const struct sn_leaf *leaf = scalar(l, LLVMGetOperand(i, 0));
    if (leaf == NULL || leaf->kind != SN_LEAF_INT)
        return false;
    sn_emit(l, SN_BC_OVERFLOW, (uint16_t)(kind | leaf->bits << 4), sn_reg_of(l, i), arg(l, i, 0), arg(l, i, 1));
    return true;
}

static bool lower_bits(struct sn_lower *l, LLVMValueRef i, int kind, int saturated)
{
    const struct sn_flat *flat = sn_lower_flat(l, LLVMTypeOf(i));
    unsigned n = LLVMGetNumArgOperands(i);
    uint32_t a = sn_reg_of(l, i), b = arg(l, i, 0), c = n > 1 ? arg(l, i, 1) : b;
    uint32_t d = n > 2 ? arg(l, i, 2) : b;
    bool lanes = kind != SN_BITS_ABS && kind != SN_BITS_CTLZ && kind != SN_BITS_CTTZ;
    for (uint32_t k = 0; k < flat->nleaf; k++) {
        if (flat->leaf[k].kind != SN_LEAF_INT)
            return false;
        sn_emit(l, SN_BC_BITS, (uint16_t)(kind | flat->leaf[k].bits << 4), a + k, b + k, lanes ? c + k : c);
        sn_emit(l, SN_BC_EXT, 0, d + (n > 2 ? k : 0), (uint32_t)saturated, 0);
    }
    return true;
}

static bool lower_float(struct sn_lower *l, LLVMValueRef i, int kind)
{
    const struct sn_flat *flat = sn_lower_flat(l, LLVMTypeOf(LLVMGetOperand(i, 0)));
    unsigned n = LLVMGetNumArgOperands(i);
    uint32_t a = sn_reg_of(l, i), b = arg(l, i, 0), c = n > 1 ? arg(l, i, 1) : b;
    uint32_t d = n > 2 ? arg(l, i, 2) : b;
    for (uint32_t k = 0; k < flat->nleaf; k++) {
        const struct sn_leaf *leaf = &flat->leaf[k];
        enum sn_leaf_kind t = leaf->kind;
        if (t != SN_LEAF_F32 && t != SN_LEAF_F64 && t != SN_LEAF_F80)
            return false;
        uint16_t x = SN_FLOAT_WORD(kind, t == SN_LEAF_F32 ? SN_F32 : t == SN_LEAF_F64 ? SN_F64 : SN_F80, 0);
        uint32_t to = kind == SN_FLT_IS_FPCLASS ? k : leaf->slot;
        uint32_t second = kind == SN_FLT_IS_FPCLASS ? c : c + leaf->slot;
        sn_emit(l, SN_BC_FLOAT, x, a + to, b + leaf->slot, second);
        sn_emit(l, SN_BC_EXT, 0, d + leaf->slot, 0, 0);
    }
    return true;
}

static void lower_memory(struct sn_lower *l, LLVMValueRef i, enum sn_opcode op)
{
    sn_emit(l, op, 0, arg(l, i, 0), arg(l, i, 1), arg(l, i, 2));
}

#define VA_LIST_BYTES(l) ((l)->code->aarch64 ? 32u : 24u)

static bool lower_varargs(struct sn_lower *l, LLVMValueRef i, const char *name)
{
    if (starts(name, "va_start")) {
        sn_emit(l, SN_BC_VASTART, 0, arg(l, i, 0), l->f->variadic ? l->va_reg : arg(l, i, 0), 0);
        return true;
    }
    if (starts(name, "va_copy")) {
        sn_emit(l, SN_BC_MEMCPY, 0, arg(l, i, 0), arg(l, i, 1), sn_imm_reg(l, VA_LIST_BYTES(l)));
        return true;
    }
    return false;
}

/* The object's size as __builtin_object_size gives it when nothing is known. */
static void lower_objectsize(struct sn_lower *l, LLVMValueRef i)
{
    LLVMValueRef min = LLVMGetOperand(i, 1);
    bool want_min = LLVMIsAConstantInt(min) && LLVMConstIntGetZExtValue(min) != 0;
    unsigned bits = scalar(l, i)->bits;
    uint64_t most = bits >= 64 ? ~0ull : (1ull << bits) - 1;
    sn_emit_move(l, sn_reg_of(l, i), sn_imm_reg(l, want_min ? 0 : most), 1);
}

static bool lower_stack(struct sn_lower *l, LLVMValueRef i, const char *name)
{
    if (starts(name, "stacksave"))
        sn_emit(l, SN_BC_STACKSAVE, 0, sn_reg_of(l, i), 0, 0);
    else if (starts(name, "stackrestore"))
        sn_emit(l, SN_BC_STACKRESTORE, 0, arg(l, i, 0), 0, 0);
    else
        return false;
    return true;
}

static bool lower_simple(struct sn_lower *l, LLVMValueRef i, const char *name)
{
    uint32_t n = sn_lower_flat(l, LLVMTypeOf(i))->nslot;
    if (KIND_OF(silent, name) >= 0)
        return n == 0;
    if (KIND_OF(passing, name) >= 0) {
        sn_emit_move(l, sn_reg_of(l, i), arg(l, i, 0), n);
    } else if (starts(name, "is.constant")) {
        sn_emit_move(l, sn_reg_of(l, i), sn_imm_reg(l, 0), 1);
    } else if (starts(name, "objectsize")) {
        lower_objectsize(l, i);
    } else if (starts(name, "ptrmask")) {
        sn_emit(l, SN_BC_AND64, 64, sn_reg_of(l, i), arg(l, i, 0), arg(l, i, 1));
    } else if (starts(name, "trap") || starts(name, "ubsantrap") || starts(name, "debugtrap")) {
        sn_emit(l, SN_BC_UNREACHABLE, 0, 0, 0, 0);
    } else {
        return false;
    }
    return true;
}

bool sn_lower_intrinsic(struct sn_lower *l, LLVMValueRef i, const char *name)
{
    int kind;
    if (starts(name, "memcpy")) {
        lower_memory(l, i, SN_BC_MEMCPY);
        return true;
    }
    if (starts(name, "memmove")) {
        lower_memory(l, i, SN_BC_MEMMOVE);
        return true;
    }
    if (starts(name, "memset")) {
        lower_memory(l, i, SN_BC_MEMSET);
        return true;
    }
    if (lower_varargs(l, i, name) || lower_stack(l, i, name) || lower_simple(l, i, name))
        return true;
    if ((kind = KIND_OF(overflows, name)) >= 0)
        return lower_overflow(l, i, kind);
    if ((kind = KIND_OF(saturating, name)) >= 0)
        return lower_bits(l, i, SN_BITS_SATURATE, kind);
    if ((kind = KIND_OF(bit_tricks, name)) >= 0)
        return lower_bits(l, i, kind, 0);
    if ((kind = KIND_OF(float_tricks, name)) >= 0)
        return lower_float(l, i, kind);
    return false;
}
