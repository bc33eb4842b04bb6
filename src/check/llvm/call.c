/*
 * call.c: calls. Arguments go to the registers behind the caller's own, where the callee's frame
 * begins. Variable arguments are also written to memory of the caller, eight bytes each as the
 * psABI's overflow area has them, so that va_arg as clang lowers it finds them.
 */
#include <string.h>

#include "check/llvm/llvm.h"

static LLVMTypeRef byval_type(struct sn_lower *l, LLVMValueRef call, unsigned arg)
{
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, arg + 1, l->byval);
    return a != NULL && LLVMIsTypeAttribute(a) ? LLVMGetTypeAttributeValue(a) : NULL;
}

/* A struct passed by value in memory: the callee gets the address of a copy. */
static uint32_t copy_of(struct sn_lower *l, uint32_t pointer, uint64_t bytes)
{
    uint32_t at = sn_new_local(l, bytes ? bytes : 1, 16, NULL, 0), r = sn_new_reg(l, 1);
    if (at == SN_NONE) {
        sn_emit_undef(l, r, 1);
        return r;
    }
    sn_emit(l, SN_BC_FRAME, 0, r, 0, at);
    sn_emit(l, SN_BC_MEMCPY, 0, r, pointer, sn_imm_reg(l, bytes));
    return r;
}

static void place_arguments(struct sn_lower *l, LLVMValueRef call, unsigned nargs, uint32_t *from)
{
    for (unsigned k = 0; k < nargs; k++) {
        LLVMTypeRef copied = byval_type(l, call, k);
        from[k] = sn_reg_of(l, LLVMGetOperand(call, k));
        if (copied != NULL)
            from[k] = copy_of(l, from[k], sn_type_bytes(l, copied));
    }
}

static uint64_t variable_bytes(struct sn_lower *l, LLVMValueRef call, unsigned k)
{
    LLVMTypeRef copied = byval_type(l, call, k);
    uint64_t n = sn_type_bytes(l, copied ? copied : LLVMTypeOf(LLVMGetOperand(call, k)));
    return n ? n : 8;
}

static uint64_t variable_align(struct sn_lower *l, LLVMValueRef call, unsigned k)
{
    enum sn_leaf_kind kind = SN_LEAF_INT;
    const struct sn_flat *flat = sn_lower_flat(l, LLVMTypeOf(LLVMGetOperand(call, k)));
    if (flat->nleaf == 1)
        kind = flat->leaf[0].kind;
    return kind == SN_LEAF_F80 || kind == SN_LEAF_WIDE ? 16 : 8;
}

static void store_variable(struct sn_lower *l, LLVMValueRef call, unsigned k, uint32_t from,
                           uint32_t base, uint64_t at)
{
    const struct sn_flat *flat = sn_lower_flat(l, LLVMTypeOf(LLVMGetOperand(call, k)));
    struct sn_place p = {base, (int64_t)at};
    if (byval_type(l, call, k) != NULL) {
        uint32_t to = sn_new_reg(l, 1);
        sn_emit(l, SN_BC_ADD64I, 0, to, base, (uint32_t)at);
        sn_emit(l, SN_BC_MEMCPY, 0, to, from, sn_imm_reg(l, variable_bytes(l, call, k)));
        return;
    }
    for (uint32_t i = 0; i < flat->nleaf; i++)
        sn_emit_store(l, &flat->leaf[i], from + flat->leaf[i].slot, p, SN_NOT_ATOMIC, false);
}

static void store_variables(struct sn_lower *l, LLVMValueRef call, unsigned first, unsigned n,
                            const uint32_t *from)
{
    uint64_t bytes = 0;
    for (unsigned k = first; k < n; k++) {
        uint64_t align = variable_align(l, call, k);
        bytes = (bytes + align - 1) / align * align + (variable_bytes(l, call, k) + 7) / 8 * 8;
    }
    uint32_t at = sn_new_local(l, bytes + 8, 16, NULL, 0), base = sn_new_reg(l, 1);
    if (at == SN_NONE) {
        sn_emit_undef(l, base, 1);
    } else {
        sn_emit(l, SN_BC_FRAME, 0, base, 0, at);
        uint64_t offset = 0;
        for (unsigned k = first; k < n; k++) {
            uint64_t align = variable_align(l, call, k);
            offset = (offset + align - 1) / align * align;
            store_variable(l, call, k, from[k], base, offset);
            offset += (variable_bytes(l, call, k) + 7) / 8 * 8;
        }
    }
    sn_emit(l, SN_BC_VASET, 0, base, 0, 0);
}

static LLVMValueRef direct_callee(LLVMValueRef call)
{
    LLVMValueRef f = LLVMGetCalledValue(call);
    while (LLVMIsAConstantExpr(f) && LLVMGetConstOpcode(f) == LLVMBitCast)
        f = LLVMGetOperand(f, 0);
    if (LLVMIsAGlobalAlias(f))
        f = LLVMAliasGetAliasee(f);
    return LLVMIsAFunction(f) ? f : NULL;
}

/* Moves the arguments into place and returns how many registers they take, or SN_NONE. */
static uint32_t outgoing(struct sn_lower *l, LLVMValueRef call, unsigned nargs, const uint32_t *from)
{
    uint32_t slot = 0;
    for (unsigned k = 0; k < nargs; k++) {
        uint32_t n = sn_lower_flat(l, LLVMTypeOf(LLVMGetOperand(call, k)))->nslot;
        if (slot + n > SN_CALL_ARGS_MAX)
            return SN_NONE;
        sn_emit_move(l, SN_OUT_REG | slot, from[k], n);
        slot += n;
    }
    return slot;
}

static void emit_call(struct sn_lower *l, LLVMValueRef call, LLVMValueRef callee, uint32_t slots,
                      uint32_t results)
{
    uint32_t a = results ? sn_reg_of(l, call) : 0;
    uint16_t x = SN_CALL_WORD(slots, results);
    uint32_t *known = callee ? sn_lower_map_find(&l->functions, SN_KEY(callee)) : NULL;
    if (slots > l->out_max)
        l->out_max = slots;
    if (known != NULL)
        sn_emit(l, SN_BC_CALL, x, a, *known, SN_OUT_REG);
    else
        sn_emit(l, SN_BC_CALLI, x, a, sn_reg_of(l, LLVMGetCalledValue(call)), SN_OUT_REG);
}

#define MAX_ARGS 512u

static void lower_plain_call(struct sn_lower *l, LLVMValueRef i, LLVMValueRef callee)
{
    LLVMTypeRef type = LLVMGetCalledFunctionType(i);
    unsigned nargs = LLVMGetNumArgOperands(i), fixed = LLVMCountParamTypes(type);
    uint32_t results = sn_lower_flat(l, LLVMTypeOf(i))->nslot, from[MAX_ARGS];
    if (nargs > MAX_ARGS || results > SN_CALL_RESULTS_MAX) {
        sn_emit_undef(l, sn_reg_of(l, i), results);
        return;
    }
    /* f() without a prototype is called as variadic with no fixed argument; if f is not, it wants
     * its arguments in registers, which it gets in any case. */
    place_arguments(l, i, nargs, from);
    if (LLVMIsFunctionVarArg(type))
        store_variables(l, i, fixed, nargs, from);
    uint32_t slots = outgoing(l, i, nargs, from);
    if (slots == SN_NONE)
        sn_emit_undef(l, sn_reg_of(l, i), results);
    else
        emit_call(l, i, callee, slots, results);
}

void sn_lower_call(struct sn_lower *l, LLVMValueRef i)
{
    LLVMValueRef callee = direct_callee(i);
    size_t n = 0;
    const char *name = callee ? LLVMGetValueName2(callee, &n) : "";
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(i))) {
        sn_emit_undef(l, sn_reg_of(l, i), sn_lower_flat(l, LLVMTypeOf(i))->nslot);
        return;
    }
    if (strncmp(name, "llvm.", 5) == 0) {
        if (!sn_lower_intrinsic(l, i, name + 5))
            sn_emit_undef(l, sn_reg_of(l, i), sn_lower_flat(l, LLVMTypeOf(i))->nslot);
        return;
    }
    lower_plain_call(l, i, callee);
}
