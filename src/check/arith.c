/* arith.c: see arith.h. Taint passes from every operand to the result. */
#include "check/arith.h"

#include <math.h>
#include <string.h>

static uint64_t mask_of(unsigned bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

static int64_t sign_extend(uint64_t v, unsigned bits)
{
    return bits == 0 || bits >= 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

typedef unsigned __int128 wide;
typedef __int128 swide;

static wide get_wide(const struct sn_reg *r) { return (wide)r[1].v << 64 | r[0].v; }

static void put_wide(struct sn_reg *r, wide v, uint64_t taint)
{
    r[0] = (struct sn_reg){(uint64_t)v, taint};
    r[1] = (struct sn_reg){(uint64_t)(v >> 64), taint};
}

static bool wide_compare(unsigned kind, wide x, wide y)
{
    switch (kind) {
    case SN_WIDE_EQ: return x == y;
    case SN_WIDE_NE: return x != y;
    case SN_WIDE_ULT: return x < y;
    case SN_WIDE_ULE: return x <= y;
    case SN_WIDE_UGT: return x > y;
    case SN_WIDE_UGE: return x >= y;
    case SN_WIDE_SLT: return (swide)x < (swide)y;
    case SN_WIDE_SLE: return (swide)x <= (swide)y;
    case SN_WIDE_SGT: return (swide)x > (swide)y;
    default: return (swide)x >= (swide)y;
    }
}

static wide wide_binary(unsigned kind, wide x, wide y)
{
    unsigned by = y < 128 ? (unsigned)y : 0;
    bool minus_one = y == ~(wide)0;
    switch (kind) {
    case SN_WIDE_ADD: return x + y;
    case SN_WIDE_SUB: return x - y;
    case SN_WIDE_MUL: return x * y;
    case SN_WIDE_UDIV: return x / y;
    case SN_WIDE_SDIV: return minus_one ? -x : (wide)((swide)x / (swide)y);
    case SN_WIDE_UREM: return x % y;
    case SN_WIDE_SREM: return minus_one ? 0 : (wide)((swide)x % (swide)y);
    case SN_WIDE_SHL: return x << by;
    case SN_WIDE_LSHR: return x >> by;
    case SN_WIDE_ASHR: return (wide)((swide)x >> by);
    case SN_WIDE_AND: return x & y;
    case SN_WIDE_OR: return x | y;
    default: return x ^ y;
    }
}

bool sn_wide_insn(const struct sn_insn *i, struct sn_reg *r)
{
    unsigned kind = i->x;
    const struct sn_reg *b = &r[i->b], *c = &r[i->c];
    if (kind == SN_WIDE_ZEXT || kind == SN_WIDE_SEXT) {
        wide v = kind == SN_WIDE_ZEXT ? (wide)b->v : (wide)(swide)sign_extend(b->v, i[1].b);
        put_wide(&r[i->a], v, b->u);
        return true;
    }
    wide x = get_wide(b), y = get_wide(c);
    uint64_t taint = b[0].u | b[1].u | c[0].u | c[1].u;
    if (kind >= SN_WIDE_UDIV && kind <= SN_WIDE_SREM && y == 0)
        return false;
    if (kind >= SN_WIDE_EQ && kind <= SN_WIDE_SGE)
        r[i->a] = (struct sn_reg){wide_compare(kind, x, y), taint};
    else
        put_wide(&r[i->a], wide_binary(kind, x, y), taint);
    return true;
}

static bool is_signed_overflow(unsigned kind)
{
    return kind == SN_OV_SADD || kind == SN_OV_SSUB || kind == SN_OV_SMUL;
}

/* The exact result: 64-bit operands never leave 128 bits. */
static swide exact(unsigned kind, uint64_t x, uint64_t y, unsigned bits)
{
    swide a = is_signed_overflow(kind) ? (swide)sign_extend(x, bits) : (swide)x;
    swide b = is_signed_overflow(kind) ? (swide)sign_extend(y, bits) : (swide)y;
    switch (kind) {
    case SN_OV_SADD:
    case SN_OV_UADD: return a + b;
    case SN_OV_SSUB:
    case SN_OV_USUB: return a - b;
    default: return (swide)((wide)a * (wide)b);
    }
}

static bool overflows(unsigned kind, swide v, unsigned bits)
{
    if (kind == SN_OV_UMUL)
        return (wide)v > (wide)mask_of(bits);
    if (!is_signed_overflow(kind))
        return v < 0 || v > (swide)mask_of(bits);
    swide most = (swide)(mask_of(bits) >> 1);
    return v > most || v < -most - 1;
}

void sn_overflow_insn(const struct sn_insn *i, struct sn_reg *r)
{
    unsigned kind = i->x & 15, bits = i->x >> 4;
    uint64_t taint = r[i->b].u | r[i->c].u;
    swide v = exact(kind, r[i->b].v, r[i->c].v, bits);
    r[i->a] = (struct sn_reg){(uint64_t)v & mask_of(bits), taint};
    r[i->a + 1] = (struct sn_reg){overflows(kind, v, bits), taint};
}

static uint64_t saturate(unsigned kind, uint64_t x, uint64_t y, unsigned bits)
{
    swide v = exact(kind, x, y, bits);
    if (!overflows(kind, v, bits))
        return (uint64_t)v & mask_of(bits);
    if (!is_signed_overflow(kind))
        return v < 0 ? 0 : mask_of(bits);
    return v < 0 ? 1ull << (bits - 1) : mask_of(bits) >> 1;
}

static uint64_t reverse_bits(uint64_t v, unsigned bits)
{
    uint64_t out = 0;
    for (unsigned k = 0; k < bits; k++)
        out |= (v >> k & 1) << (bits - 1 - k);
    return out;
}

static uint64_t funnel(uint64_t hi, uint64_t lo, uint64_t by, unsigned bits, bool left)
{
    wide both = (wide)hi << bits | lo;
    unsigned n = (unsigned)(by % bits);
    return (uint64_t)(left ? both << n >> bits : both >> n) & mask_of(bits);
}

static uint64_t bits_value(unsigned kind, unsigned bits, uint64_t x, uint64_t y, uint64_t z, unsigned how)
{
    int64_t sx = sign_extend(x, bits), sy = sign_extend(y, bits);
    switch (kind) {
    case SN_BITS_POPCOUNT: return (uint64_t)__builtin_popcountll(x);
    case SN_BITS_BSWAP: return __builtin_bswap64(x) >> (64 - bits);
    case SN_BITS_CTLZ: return x ? (uint64_t)__builtin_clzll(x) - (64 - bits) : bits;
    case SN_BITS_CTTZ: return x ? (uint64_t)__builtin_ctzll(x) : bits;
    case SN_BITS_FSHL: return funnel(x, y, z, bits, true);
    case SN_BITS_FSHR: return funnel(x, y, z, bits, false);
    case SN_BITS_ABS: return (uint64_t)(sx < 0 ? 0 - (uint64_t)sx : (uint64_t)sx) & mask_of(bits);
    case SN_BITS_SMAX: return sx > sy ? x : y;
    case SN_BITS_SMIN: return sx < sy ? x : y;
    case SN_BITS_UMAX: return x > y ? x : y;
    case SN_BITS_UMIN: return x < y ? x : y;
    case SN_BITS_REVERSE: return reverse_bits(x, bits);
    default: return saturate(how, x, y, bits);
    }
}

void sn_bits_insn(const struct sn_insn *i, struct sn_reg *r)
{
    unsigned kind = i->x & 15, bits = i->x >> 4;
    struct sn_reg x = r[i->b], y = r[i->c], z = r[i[1].a];
    uint64_t v = bits_value(kind, bits, x.v, y.v, z.v, i[1].b);
    r[i->a] = (struct sn_reg){v, x.u | y.u | z.u};
}

/* --- floating point: everything is computed as long double, then rounded to its type --- */

static long double get_float(const struct sn_reg *r, unsigned type)
{
    float f;
    double d;
    long double x = 0;
    switch (type) {
    case SN_F32:
        memcpy(&f, &r->v, sizeof f);
        return f;
    case SN_F64:
        memcpy(&d, &r->v, sizeof d);
        return d;
    default:
        memcpy(&x, &r[0].v, 8);
        memcpy((char *)&x + 8, &r[1].v, 2);
        return x;
    }
}

static void put_float(struct sn_reg *r, unsigned type, long double x, uint64_t taint)
{
    float f = (float)x;
    double d = (double)x;
    r[0] = (struct sn_reg){0, taint};
    if (type == SN_F32) {
        memcpy(&r->v, &f, sizeof f);
    } else if (type == SN_F64) {
        memcpy(&r->v, &d, sizeof d);
    } else {
        r[1] = (struct sn_reg){0, taint};
        memcpy(&r[0].v, &x, 8);
        memcpy(&r[1].v, (char *)&x + 8, 2);
    }
}

static uint64_t taint_of(const struct sn_reg *r, unsigned type) { return type == SN_F80 ? r[0].u | r[1].u : r[0].u; }

/* LLVM's predicates are four bits: unordered, less, greater, equal. */
static bool float_compare(unsigned predicate, long double x, long double y)
{
    if (isnan(x) || isnan(y))
        return predicate & 8;
    return (predicate & 4 && x < y) || (predicate & 2 && x > y) || (predicate & 1 && x == y);
}

static long double float_binary(unsigned kind, unsigned type, long double x, long double y)
{
    switch (kind) {
    case SN_FLT_ADD: return x + y;
    case SN_FLT_SUB: return x - y;
    case SN_FLT_MUL: return x * y;
    case SN_FLT_DIV: return x / y;
    case SN_FLT_REM: return type == SN_F80 ? fmodl(x, y) : fmod((double)x, (double)y);
    case SN_FLT_COPYSIGN: return copysignl(x, y);
    case SN_FLT_MINNUM: return fminl(x, y);
    case SN_FLT_MAXNUM: return fmaxl(x, y);
    case SN_FLT_POW: return type == SN_F80 ? powl(x, y) : pow((double)x, (double)y);
    default: return 0;
    }
}

static long double float_unary(unsigned kind, long double x)
{
    double d = (double)x;
    switch (kind) {
    case SN_FLT_NEG: return -x;
    case SN_FLT_FABS: return fabsl(x);
    case SN_FLT_SQRT: return sqrtl(x);
    case SN_FLT_FLOOR: return floorl(x);
    case SN_FLT_CEIL: return ceill(x);
    case SN_FLT_TRUNC: return truncl(x);
    case SN_FLT_ROUND: return roundl(x);
    case SN_FLT_RINT: return rintl(x);
    case SN_FLT_SIN: return sin(d);
    case SN_FLT_COS: return cos(d);
    case SN_FLT_EXP: return exp(d);
    case SN_FLT_EXP2: return exp2(d);
    case SN_FLT_LOG: return log(d);
    case SN_FLT_LOG2: return log2(d);
    case SN_FLT_LOG10: return log10(d);
    default: return x;
    }
}

static uint64_t to_int(long double x, unsigned bits, bool is_signed)
{
    long double limit = ldexpl(1.0L, (int)bits - is_signed);
    if (isnan(x) || x >= limit || x < (is_signed ? -limit : 0))
        return 1ull << (bits - 1) & mask_of(bits); /* undefined in C: what x86 gives */
    return (is_signed ? (uint64_t)(int64_t)x : (uint64_t)x) & mask_of(bits);
}

/* llvm.is.fpclass: a mask of classes, lowest first. */
static bool float_class(long double x, uint64_t test)
{
    bool negative = signbit(x) != 0;
    switch (fpclassify(x)) {
    case FP_NAN: return test & 3;
    case FP_INFINITE: return test & (negative ? 1u << 2 : 1u << 9);
    case FP_NORMAL: return test & (negative ? 1u << 3 : 1u << 8);
    case FP_SUBNORMAL: return test & (negative ? 1u << 4 : 1u << 7);
    default: return test & (negative ? 1u << 5 : 1u << 6);
    }
}

static bool convert(const struct sn_insn *i, struct sn_reg *r, unsigned kind, unsigned type)
{
    unsigned more = SN_FLOAT_MORE(i->x);
    const struct sn_reg *b = &r[i->b];
    uint64_t taint = taint_of(b, type);
    switch (kind) {
    case SN_FLT_TO_FLOAT:
        put_float(&r[i->a], more, get_float(b, type), taint);
        return true;
    case SN_FLT_TO_SINT:
    case SN_FLT_TO_UINT:
        r[i->a] = (struct sn_reg){to_int(get_float(b, type), more, kind == SN_FLT_TO_SINT), taint};
        return true;
    case SN_FLT_FROM_SINT:
        put_float(&r[i->a], type, (long double)sign_extend(b->v, more), b->u);
        return true;
    case SN_FLT_FROM_UINT:
        put_float(&r[i->a], type, (long double)b->v, b->u);
        return true;
    default:
        return false;
    }
}

static bool is_two_operand(unsigned kind)
{
    return kind <= SN_FLT_REM || kind == SN_FLT_COPYSIGN || kind == SN_FLT_MINNUM ||
           kind == SN_FLT_MAXNUM || kind == SN_FLT_POW;
}

void sn_float_insn(const struct sn_insn *i, struct sn_reg *r)
{
    unsigned kind = SN_FLOAT_KIND(i->x), type = SN_FLOAT_TYPE(i->x);
    if (convert(i, r, kind, type))
        return;
    const struct sn_reg *b = &r[i->b], *c = &r[i->c];
    long double x = get_float(b, type);
    uint64_t taint = taint_of(b, type);
    if (kind == SN_FLT_CMP) {
        taint |= taint_of(c, type);
        r[i->a] = (struct sn_reg){float_compare(SN_FLOAT_MORE(i->x), x, get_float(c, type)), taint};
    } else if (kind == SN_FLT_IS_FPCLASS) {
        r[i->a] = (struct sn_reg){float_class(x, c->v), taint};
    } else if (kind == SN_FLT_FMA) {
        const struct sn_reg *d = &r[i[1].a];
        long double v = x * get_float(c, type) + get_float(d, type);
        put_float(&r[i->a], type, v, taint | taint_of(c, type) | taint_of(d, type));
    } else if (is_two_operand(kind)) {
        long double v = float_binary(kind, type, x, get_float(c, type));
        put_float(&r[i->a], type, v, taint | taint_of(c, type));
    } else {
        put_float(&r[i->a], type, float_unary(kind, x), taint);
    }
}
