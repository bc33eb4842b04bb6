/*
 * forms.h: the quick forms of instructions, as macros that expand inside sn_interpret(): arithmetic
 * and comparison with taint, division, floats, and loads and stores of plain memory. Included by
 * interp.c alone. They use its locals: I the instruction, R the registers, M the memory, epoch,
 * fuel, label.
 */
#ifndef SN_CHECK_FORMS_H
#define SN_CHECK_FORMS_H

#include <stdint.h>
#include <string.h>

#include "check/vm.h"

#define unlikely(x) __builtin_expect(!!(x), 0)
#define likely(x) __builtin_expect(!!(x), 1)

static inline uint64_t mask_of(unsigned bits)
{
    return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}

static inline int64_t sign_extend(uint64_t v, unsigned bits)
{
    return bits == 0 || bits >= 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

/* A shift by too much is undefined in C: any result will do. */
static inline uint64_t shift(uint64_t by, unsigned width)
{
    return by < width ? by : 0;
}

#define IMM ((int64_t)(int32_t)I->c)
#define RV(f) R[I->f].v
#define RU(f) R[I->f].u
#define GO() goto *label[I->op]
#define NEXT()                                                                                     \
    do {                                                                                           \
        I++;                                                                                       \
        GO();                                                                                      \
    } while (0)
#define SAVE()                                                                                     \
    do {                                                                                           \
        t->pc = (uint32_t)(I - code);                                                              \
        vm->fuel = fuel;                                                                           \
        vm->steps = steps;                                                                         \
    } while (0)
#define RELOAD()                                                                                   \
    do {                                                                                           \
        R = t->reg + t->act[t->nact - 1].base;                                                     \
        span = vm->mem.top - SN_ADDR_LOW - 16;                                                     \
        conc = vm->concurrent;                                                                     \
        epoch = t->epoch;                                                                          \
        fuel = vm->fuel;                                                                           \
        steps = vm->steps;                                                                         \
    } while (0)
#define COUNT()                                                                                    \
    do {                                                                                           \
        steps += I->x;                                                                             \
        fuel -= I->x;                                                                              \
    } while (0)
#define JUMP(target)                                                                               \
    do {                                                                                           \
        I = code + (target);                                                                       \
        if (unlikely(fuel < 0))                                                                    \
            goto preempt;                                                                          \
        GO();                                                                                      \
    } while (0)

/* Taint of a result. A bit field is set by AND and OR: with a known operand, bits that were never
 * written stop mattering. */
static inline uint64_t taint_bits(uint64_t a, uint64_t b)
{
    return likely((a | b) == 0) ? 0 : (a == 0 || b == 0) ? (a | b) & ~(uint64_t)SN_UNINIT : a | b;
}
#define TAINT_ADD(a, b) ((a) | (b))
#define TAINT_SUB(a, b) ((a) | (b))
#define TAINT_MUL(a, b) ((a) | (b))
#define TAINT_AND(a, b) taint_bits(a, b)
#define TAINT_OR(a, b) taint_bits(a, b)
#define TAINT_XOR(a, b) ((a) | (b))
#define TAINT_SHL(a, b) ((a) | (b))
#define TAINT_LSHR(a, b) ((a) | (b))
#define TAINT_ASHR(a, b) ((a) | (b))

/* Arithmetic in its five forms. x and y are the operands, w the width. */
#define ARITH_AS(NAME, FORM, W, T, OUT, Y, TAINT_Y, EXPR)                                          \
    L_##NAME##FORM:                                                                                \
    {                                                                                              \
        const unsigned w = W;                                                                      \
        T x = (T)RV(b), y = (T)(Y);                                                                \
        (void)w;                                                                                   \
        uint64_t u = TAINT_##NAME(RU(b), TAINT_Y);                                                 \
        RV(a) = (OUT)(EXPR);                                                                       \
        RU(a) = u;                                                                                 \
        NEXT();                                                                                    \
    }
#define ARITH(NAME, SIGNED, T32, T64, EXPR)                                                        \
    ARITH_AS(NAME, 32, 32, T32, uint32_t, RV(c), RU(c), EXPR)                                      \
    ARITH_AS(NAME, 32I, 32, T32, uint32_t, IMM, 0, EXPR)                                           \
    ARITH_AS(NAME, 64, 64, T64, uint64_t, RV(c), RU(c), EXPR)                                      \
    ARITH_AS(NAME, 64I, 64, T64, uint64_t, IMM, 0, EXPR)                                           \
    L_##NAME##N:                                                                                   \
    {                                                                                              \
        const unsigned w = I->x;                                                                   \
        T64 x = (T64)(SIGNED ? (uint64_t)sign_extend(RV(b), w) : RV(b));                           \
        T64 y = (T64)(SIGNED ? (uint64_t)sign_extend(RV(c), w) : RV(c));                           \
        uint64_t u = TAINT_##NAME(RU(b), RU(c));                                                   \
        RV(a) = (uint64_t)(EXPR)&mask_of(w);                                                       \
        RU(a) = u;                                                                                 \
        NEXT();                                                                                    \
    }

/* Division: by zero it is a crash, the most negative number by -1 wraps. */
#define DIVIDE_AS(NAME, FORM, SIGNED, T, OUT, OP, BY_MINUS_ONE)                                    \
    L_##NAME##FORM:                                                                                \
    {                                                                                              \
        T x = (T)RV(b), y = (T)RV(c);                                                              \
        if (unlikely(y == 0))                                                                      \
            goto zero;                                                                             \
        uint64_t u = RU(b) | RU(c);                                                                \
        RV(a) = (OUT)(SIGNED && y == (T)-1 ? (T)(BY_MINUS_ONE) : (T)(x OP y));                     \
        RU(a) = u;                                                                                 \
        NEXT();                                                                                    \
    }                                                                                              \
    L_##NAME##FORM##I:                                                                             \
    {                                                                                              \
        T x = (T)RV(b), y = (T)IMM;                                                                \
        uint64_t u = RU(b);                                                                        \
        RV(a) = (OUT)(x OP y);                                                                     \
        RU(a) = u;                                                                                 \
        NEXT();                                                                                    \
    }
#define DIVIDE(NAME, SIGNED, T32, T64, OP, BY_MINUS_ONE)                                           \
    DIVIDE_AS(NAME, 32, SIGNED, T32, uint32_t, OP, BY_MINUS_ONE)                                   \
    DIVIDE_AS(NAME, 64, SIGNED, T64, uint64_t, OP, BY_MINUS_ONE)                                   \
    L_##NAME##N:                                                                                   \
    {                                                                                              \
        const unsigned w = I->x;                                                                   \
        T64 x = (T64)(SIGNED ? (uint64_t)sign_extend(RV(b), w) : RV(b));                           \
        T64 y = (T64)(SIGNED ? (uint64_t)sign_extend(RV(c), w) : RV(c));                           \
        if (unlikely(y == 0))                                                                      \
            goto zero;                                                                             \
        uint64_t u = RU(b) | RU(c);                                                                \
        RV(a) =                                                                                    \
            (uint64_t)(SIGNED && y == (T64)-1 ? (T64)(BY_MINUS_ONE) : (T64)(x OP y)) & mask_of(w); \
        RU(a) = u;                                                                                 \
        NEXT();                                                                                    \
    }

/* Comparisons: as values, and fused with the jump that they decide. */
#define COMPARE(NAME, T, OP)                                                                       \
    L_##NAME:                                                                                      \
    {                                                                                              \
        uint64_t u = RU(b) | RU(c);                                                                \
        RV(a) = (T)RV(b) OP(T) RV(c);                                                              \
        RU(a) = u;                                                                                 \
        NEXT();                                                                                    \
    }                                                                                              \
    L_##NAME##I:                                                                                   \
    {                                                                                              \
        uint64_t u = RU(b);                                                                        \
        RV(a) = (T)RV(b) OP(T) IMM;                                                                \
        RU(a) = u;                                                                                 \
        NEXT();                                                                                    \
    }                                                                                              \
    L_J##NAME:                                                                                     \
    {                                                                                              \
        COUNT();                                                                                   \
        if (unlikely(RU(b) | RU(c)))                                                               \
            sn_decided_at(vm, RU(b) | RU(c), (uint32_t)(I - code));                                \
        if ((T)RV(b) OP(T) RV(c))                                                                  \
            JUMP(I->a);                                                                            \
        NEXT();                                                                                    \
    }                                                                                              \
    L_J##NAME##I:                                                                                  \
    {                                                                                              \
        COUNT();                                                                                   \
        if (unlikely(RU(b)))                                                                       \
            sn_decided_at(vm, RU(b), (uint32_t)(I - code));                                        \
        if ((T)RV(b) OP(T) IMM)                                                                    \
            JUMP(I->a);                                                                            \
        NEXT();                                                                                    \
    }

#define FLOAT(NAME, T, BITS, OP)                                                                   \
    L_##NAME:                                                                                      \
    {                                                                                              \
        T x, y;                                                                                    \
        uint64_t u = RU(b) | RU(c);                                                                \
        memcpy(&x, &RV(b), sizeof x);                                                              \
        memcpy(&y, &RV(c), sizeof y);                                                              \
        x = x OP y;                                                                                \
        BITS out;                                                                                  \
        memcpy(&out, &x, sizeof out);                                                              \
        RV(a) = out;                                                                               \
        RU(a) = u;                                                                                 \
        NEXT();                                                                                    \
    }

/* Whether the history has this access already: same epoch, all its bytes. An access over the end
 * of its granule has bits that no mask has. */
#define SEEN(rec, bits) ((rec).epoch == epoch && ((bits) & ~(uint32_t)(rec).mask) == 0)

#define LOAD(NAME, T)                                                                              \
    L_##NAME:                                                                                      \
    {                                                                                              \
        uint64_t addr = RV(b) + (uint64_t)IMM;                                                     \
        if (unlikely(--fuel < 0))                                                                  \
            goto preempt;                                                                          \
        if (unlikely(RU(b) != 0 || addr - SN_ADDR_LOW >= span))                                    \
            goto slow_load;                                                                        \
        T tags, value;                                                                             \
        memcpy(&tags, M + SN_TAGS + addr, sizeof tags);                                            \
        if (unlikely(tags != 0))                                                                   \
            goto slow_load;                                                                        \
        if (conc) {                                                                                \
            const struct sn_vcell *cell =                                                          \
                (const struct sn_vcell *)(M + SN_CELLS + (addr >> 3 << 5));                        \
            uint32_t bits = ((1u << sizeof(T)) - 1) << (addr & 7);                                 \
            if (!SEEN(cell->r, bits) && !SEEN(cell->w, bits))                                      \
                goto slow_load;                                                                    \
        }                                                                                          \
        memcpy(&value, M + addr, sizeof value);                                                    \
        RV(a) = value;                                                                             \
        RU(a) = 0;                                                                                 \
        NEXT();                                                                                    \
    }

#define STORE(NAME, T)                                                                             \
    L_##NAME:                                                                                      \
    {                                                                                              \
        uint64_t addr = RV(b) + (uint64_t)IMM;                                                     \
        if (unlikely(--fuel < 0))                                                                  \
            goto preempt;                                                                          \
        if (unlikely((RU(b) | RU(a)) != 0 || addr - SN_ADDR_LOW >= span))                          \
            goto slow_store;                                                                       \
        T tags, value = (T)RV(a);                                                                  \
        memcpy(&tags, M + SN_TAGS + addr, sizeof tags);                                            \
        if (unlikely(tags != 0))                                                                   \
            goto slow_store;                                                                       \
        if (conc) {                                                                                \
            const struct sn_vcell *cell =                                                          \
                (const struct sn_vcell *)(M + SN_CELLS + (addr >> 3 << 5));                        \
            uint32_t bits = ((1u << sizeof(T)) - 1) << (addr & 7);                                 \
            if (!SEEN(cell->w, bits))                                                              \
                goto slow_store;                                                                   \
        }                                                                                          \
        M[SN_DIRTY + (addr >> 12)] |= SN_DIRTY_BYTES;                                              \
        memcpy(M + addr, &value, sizeof value);                                                    \
        NEXT();                                                                                    \
    }

#endif
