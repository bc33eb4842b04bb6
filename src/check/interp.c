/*
 * interp.c: the interpreter: direct threaded code over the register bytecode.
 *
 * The quick forms of load and store handle what is plain: an interpreted address inside the space,
 * bytes whose tags are all zero (addressable, interpreted), and an access that the history already
 * has in this epoch. Everything else goes to access.c. Nothing here is told to anybody: issues are
 * found in the slow paths and in the models.
 *
 * Invariants: a register is written before it is read (SSA); t->pc is right whenever a function
 * outside this file is called; fuel and steps live in locals and are given back at every exit.
 */
#include <string.h>

#include "check/arith.h"
#include "check/forms.h"
#include "check/issue.h"
#include "check/model.h"
#include "check/strategy.h"
#include "check/vm.h"

static uint32_t switch_target(const struct sn_bytecode *c, const struct sn_switch *s, uint64_t v)
{
    uint32_t lo = s->first, hi = s->first + s->n;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (c->cases[mid].value < v)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < s->first + s->n && c->cases[lo].value == v ? c->cases[lo].target : s->other;
}

/* The function is left: its result goes to the caller's registers. */
static enum sn_result leave(struct sn_vm *vm, struct sn_task *t, const struct sn_reg *from, uint32_t n)
{
    struct sn_activation *a = &t->act[t->nact - 1];
    struct sn_reg first = n > 0 ? from[0] : (struct sn_reg){0, 0};
    if (!a->callback) {
        struct sn_reg *to = t->reg + t->act[t->nact - 2].base + a->dst;
        uint32_t copied = n < a->nres ? n : a->nres;
        memmove(to, from, copied * sizeof *to);
        for (uint32_t i = copied; i < a->nres; i++)
            to[i] = (struct sn_reg){sn_invent(vm, 64), SN_UNKNOWN};
        sn_task_pop(vm, t);
        return SN_DONE;
    }
    sn_task_pop(vm, t);
    return sn_callback_return(vm, t, first);
}

/* Registers of a call: dst and how many results are awaited go to the new activation. */
static bool enter(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i, uint32_t func)
{
    const struct sn_func *f = &vm->code->func[func];
    uint32_t base = t->act[t->nact - 1].base + i->c, given = SN_CALL_ARGS(i->x);
    if (!sn_task_push(vm, t, func, base, t->pc))
        return false;
    struct sn_activation *a = &t->act[t->nact - 1];
    a->dst = i->a;
    a->nres = (uint16_t)SN_CALL_RESULTS(i->x);
    for (uint32_t k = given; k < f->nparams; k++)
        t->reg[base + k] = (struct sn_reg){0, SN_UNKNOWN};
    return true;
}

/* A call through a pointer: a function with a body is entered (true); others are carried out. */
static bool indirect(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i, struct sn_reg *r,
                     enum sn_result *result)
{
    struct sn_reg target = r[i->b];
    uint32_t func = target.u & SN_VAGUE ? SN_NONE : sn_func_at(vm->code, target.v);
    *result = SN_DONE;
    sn_decided_at(vm, target.u, t->pc);
    if (func == SN_NONE && target.u == 0 && target.v < SN_ADDR_LOW) {
        *result = sn_crash(vm, t, "call through a null pointer");
        return false;
    }
    if (func != SN_NONE && vm->code->func[func].entry != SN_NONE) {
        if (enter(vm, t, i, func))
            return true;
        *result = SN_END;
        return false;
    }
    *result = func != SN_NONE ? sn_model_call(vm, t, i, func) : sn_unknown_call(vm, t, i, SN_NONE);
    return false;
}

/* A task without a frame: its continuation goes on. Without one, it has ended. */
static enum sn_result native(struct sn_vm *vm, struct sn_task *t)
{
    enum sn_result r = SN_DONE;
    while (r == SN_DONE && t->nact == 0 && t->nkont > 0)
        r = sn_callback_return(vm, t, (struct sn_reg){0, 0});
    if (r == SN_DONE && t->nact == 0) {
        sn_task_exit(vm, t);
        return SN_EXIT;
    }
    return r;
}

enum sn_result sn_interpret(struct sn_vm *vm, struct sn_task *t)
{
    static const void *const label[] = {
#define SN_OPCODE(name, form) &&L_##name,
#include "check/opcode.def"
#undef SN_OPCODE
    };
    const struct sn_insn *const code = vm->code->insn;
    const struct sn_insn *I = code + t->pc;
    uint8_t *const M = vm->mem.base;
    struct sn_reg *R;
    uint64_t span, steps;
    uint32_t epoch;
    int64_t fuel;
    bool conc;
    enum sn_result result;

    if (t->nact == 0) {
        result = native(vm, t);
        if (result != SN_CALLED)
            return result;
        I = code + t->pc;
    } else if (unlikely(t->pending_signal != 0 && t->phase == 0)) {
        result = sn_signal_deliver(vm, t);
        if (result != SN_CALLED)
            return result;
        I = code + t->pc;
    }
    RELOAD();
    GO();

L_NOP:
L_EXT:
    NEXT();
L_MOV:
    R[I->a] = R[I->b];
    NEXT();
L_MOVI:
    R[I->a] = (struct sn_reg){(uint64_t)IMM, 0};
    NEXT();
L_MOVQ:
    R[I->a] = vm->code->literal[I->b];
    NEXT();
L_MOVN:
    memmove(&R[I->a], &R[I->b], I->x * sizeof *R);
    NEXT();
L_UNDEF:
    for (unsigned k = 0; k < I->x; k++)
        R[I->a + k] = (struct sn_reg){sn_invent(vm, 64), SN_UNKNOWN};
    NEXT();
L_TLS: {
    SAVE();
    uint32_t block = sn_task_tls(vm, t);
    RELOAD();
    if (unlikely(block == 0))
        goto out_of_memory;
    R[I->a] = (struct sn_reg){block + (uint64_t)IMM, 0};
    NEXT();
}
L_FRAME:
    R[I->a] = (struct sn_reg){t->act[t->nact - 1].mem + (uint64_t)IMM, 0};
    NEXT();
L_ALLOCA: {
    SAVE();
    struct sn_reg n = R[I->b];
    uint64_t bytes = n.v > UINT32_MAX ? UINT32_MAX : n.v * I->c;
    uint32_t at = bytes > UINT32_MAX / 2 ? 0 : sn_stack_take(vm, t, bytes, 16);
    RELOAD();
    if (unlikely(at == 0)) {
        if (n.u == 0)
            goto out_of_memory;
        R[I->a] = (struct sn_reg){SN_ADDR_WILD, SN_UNKNOWN};
        NEXT();
    }
    sn_range_tag(&vm->mem, at, bytes, SN_UNINIT);
    R[I->a] = (struct sn_reg){at, 0};
    NEXT();
}
L_VASET:
    t->va_next = RU(a) == 0 ? (uint32_t)RV(a) : 0;
    NEXT();
L_VAGET:
    R[I->a] = (struct sn_reg){t->act[t->nact - 1].va, t->act[t->nact - 1].va ? 0 : SN_UNKNOWN};
    NEXT();
L_VASTART:
    SAVE();
    result = sn_va_start(vm, t, R[I->a], R[I->b]);
    goto done;
L_STACKSAVE:
    R[I->a] = (struct sn_reg){(uint64_t)t->seg_now << 32 | t->sp, 0};
    NEXT();
L_STACKRESTORE:
    sn_stack_drop(vm, t, (uint32_t)(RV(a) >> 32), (uint32_t)RV(a));
    NEXT();

    ARITH(ADD, 0, uint32_t, uint64_t, x + y)
    ARITH(SUB, 0, uint32_t, uint64_t, x - y)
    ARITH(MUL, 0, uint32_t, uint64_t, x *y)
    ARITH(AND, 0, uint32_t, uint64_t, x &y)
    ARITH(OR, 0, uint32_t, uint64_t, x | y)
    ARITH(XOR, 0, uint32_t, uint64_t, x ^ y)
    ARITH(SHL, 0, uint32_t, uint64_t, x << shift((uint64_t)y, w))
    ARITH(LSHR, 0, uint32_t, uint64_t, x >> shift((uint64_t)y, w))
    ARITH(ASHR, 1, int32_t, int64_t, x >> shift((uint64_t)y, w))
    DIVIDE(UDIV, 0, uint32_t, uint64_t, /, 0)
    DIVIDE(SDIV, 1, int32_t, int64_t, /, 0 - (uint64_t)x)
    DIVIDE(UREM, 0, uint32_t, uint64_t, %, 0)
    DIVIDE(SREM, 1, int32_t, int64_t, %, 0)

L_LEA: {
    uint64_t u = RU(b) | RU(c);
    RV(a) = RV(b) + RV(c) * I->x;
    RU(a) = u;
    NEXT();
}
L_TRUNC: {
    uint64_t u = RU(b);
    RV(a) = RV(b) & mask_of(I->x);
    RU(a) = u;
    NEXT();
}
L_SEXT: {
    uint64_t u = RU(b);
    RV(a) = (uint64_t)sign_extend(RV(b), I->x) & mask_of(I->c);
    RU(a) = u;
    NEXT();
}
L_SEXT32: {
    uint64_t u = RU(b);
    RV(a) = (uint64_t)(int64_t)(int32_t)RV(b);
    RU(a) = u;
    NEXT();
}
L_WIDE:
    if (!sn_wide_insn(I, R))
        goto zero;
    NEXT();
L_OVERFLOW:
    sn_overflow_insn(I, R);
    NEXT();
L_BITS:
    sn_bits_insn(I, R);
    I++;
    NEXT();

    COMPARE(EQ, uint64_t, ==)
    COMPARE(NE, uint64_t, !=)
    COMPARE(ULT, uint64_t, <)
    COMPARE(ULE, uint64_t, <=)
    COMPARE(UGT, uint64_t, >)
    COMPARE(UGE, uint64_t, >=)
    COMPARE(SLT32, int32_t, <)
    COMPARE(SLE32, int32_t, <=)
    COMPARE(SGT32, int32_t, >)
    COMPARE(SGE32, int32_t, >=)
    COMPARE(SLT64, int64_t, <)
    COMPARE(SLE64, int64_t, <=)
    COMPARE(SGT64, int64_t, >)
    COMPARE(SGE64, int64_t, >=)

L_SELECT: {
    uint64_t u = RU(b);
    const struct sn_reg from = RV(b) & 1 ? R[I->c] : R[I[1].a];
    RV(a) = from.v;
    RU(a) = from.u | u;
    I++;
    NEXT();
}

    FLOAT(FADD32, float, uint32_t, +)
    FLOAT(FSUB32, float, uint32_t, -)
    FLOAT(FMUL32, float, uint32_t, *)
    FLOAT(FDIV32, float, uint32_t, /)
    FLOAT(FADD64, double, uint64_t, +)
    FLOAT(FSUB64, double, uint64_t, -)
    FLOAT(FMUL64, double, uint64_t, *)
    FLOAT(FDIV64, double, uint64_t, /)

L_FLOAT:
    sn_float_insn(I, R);
    NEXT();

    LOAD(LOAD8, uint8_t)
    LOAD(LOAD16, uint16_t)
    LOAD(LOAD32, uint32_t)
    LOAD(LOAD64, uint64_t)
    STORE(STORE8, uint8_t)
    STORE(STORE16, uint16_t)
    STORE(STORE32, uint32_t)
    STORE(STORE64, uint64_t)

L_LOADX:
L_STOREX:
    if (unlikely(--fuel < 0))
        goto preempt;
    SAVE();
    result = sn_access_insn(vm, t, I, R);
    goto done;
L_RMW:
L_CMPXCHG:
L_FENCE:
    SAVE();
    result = sn_atomic_insn(vm, t, I, R);
    goto done;
L_MEMCPY:
L_MEMMOVE:
L_MEMSET:
    if (unlikely(--fuel < 0))
        goto preempt;
    SAVE();
    result = sn_memory_insn(vm, t, I, R);
    goto done;

L_JMP:
    COUNT();
    JUMP(I->a);
L_JNZ:
    COUNT();
    if (unlikely(RU(b)))
        sn_decided_at(vm, RU(b), (uint32_t)(I - code));
    if (RV(b) & 1)
        JUMP(I->a);
    NEXT();
L_JZ:
    COUNT();
    if (unlikely(RU(b)))
        sn_decided_at(vm, RU(b), (uint32_t)(I - code));
    if (!(RV(b) & 1))
        JUMP(I->a);
    NEXT();
L_SWITCH:
    COUNT();
    sn_decided_at(vm, RU(b), (uint32_t)(I - code));
    JUMP(switch_target(vm->code, &vm->code->switches[I->c], RV(b)));
L_IJMP:
L_UNREACHABLE:
    SAVE();
    result = SN_END;
    vm->stop_reason = "unreachable code";
    return result;
L_RET:
    COUNT();
    SAVE();
    result = leave(vm, t, R + I->a, I->c);
    if (likely(result == SN_DONE && t->nact > 0))
        goto returned;
    if (result == SN_CALLED)
        goto entered;
    return result == SN_DONE ? SN_YIELD : result;
L_CALL:
    SAVE();
    if (unlikely(!enter(vm, t, I, I->b)))
        return SN_END;
    goto entered;
L_CALLI:
    SAVE();
    if (indirect(vm, t, I, R, &result))
        goto entered;
    goto done;
L_CALLM:
    SAVE();
    result = sn_model_call(vm, t, I, I->b);
    goto done;
L_CALLU:
    SAVE();
    result = sn_unknown_call(vm, t, I, I->b);
    goto done;
L_CALLBACK:
L_EXITED:
    SAVE();
    return SN_END;

slow_load: {
    SAVE();
    struct sn_reg addr = {RV(b) + (uint64_t)IMM, RU(b)};
    result = sn_load_slow(vm, t, addr, 1u << (I->op - SN_BC_LOAD8), 0, &R[I->a]);
    goto done;
}
slow_store: {
    SAVE();
    struct sn_reg addr = {RV(b) + (uint64_t)IMM, RU(b)};
    result = sn_store_slow(vm, t, addr, 1u << (I->op - SN_BC_STORE8), SN_ACC_WRITE, R[I->a]);
    goto done;
}

/* Behind an instruction that was carried out elsewhere. */
done:
    if (likely(result == SN_DONE)) {
        RELOAD();
        I += 1 + (I[1].op == SN_BC_EXT);
        if (unlikely(fuel < 0))
            goto preempt;
        GO();
    }
    if (result == SN_CALLED)
        goto entered;
    if (result == SN_YIELD)
        t->pc = (uint32_t)(I - code) + 1 + (I[1].op == SN_BC_EXT);
    return result;
entered:
    I = code + t->pc;
    RELOAD();
    GO();
returned:
    I = code + t->pc + 1;
    RELOAD();
    GO();
zero: {
    SAVE();
    uint64_t taint = R[I->b].u | R[I->c].u;
    if (taint == 0)
        return sn_crash(vm, t, "division by zero");
    R[I->a] = (struct sn_reg){0, SN_UNKNOWN};
    NEXT();
}
preempt:
    SAVE();
    return SN_PREEMPT;
out_of_memory:
    SAVE();
    return sn_bound_reached(vm, "out of simulated memory");
}
