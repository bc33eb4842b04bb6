/*
 * bytecode.h: a program as `snag check` runs it: compact register bytecode, its functions, its globals'
 * first contents, and where in the source everything stands. Made once by check/llvm/, then only
 * read; the interpreter and the disassembler know nothing of LLVM.
 *
 * Ownership: struct sn_bytecode owns all it points to; sn_bytecode_free() gives it back.
 */
#ifndef SN_CHECK_BYTECODE_H
#define SN_CHECK_BYTECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The simulated address space. All addresses fit 32-bit immediates. */
#define SN_ADDR_LOW 0x10000u          /* below: null and its page */
#define SN_ADDR_LIMIT 0x20000000u     /* 512 MB: globals, stacks, heap */
#define SN_ADDR_LABEL 0x60000000u     /* addresses of labels: base + index * 4 */
#define SN_ADDR_FUNC 0x70000000u      /* addresses of functions: base + index * 16 */
#define SN_ADDR_FUNC_END 0x7fff0000u
#define SN_ADDR_WILD 0x80000000ull    /* invented pointers: never memory */

#define SN_NONE UINT32_MAX

enum sn_opcode {
#define SN_OPCODE(name, form) SN_BC_##name,
#include "check/opcode.def"
#undef SN_OPCODE
    SN_OPCODES
};

struct sn_insn {
    uint16_t op, x;
    uint32_t a, b, c;
};

/* What is not known of a value (register) or of a byte (tag). */
enum sn_taint {
    SN_UNKNOWN = 1, /* uninterpreted: from code or memory that nobody knows */
    SN_INPUT = 2,   /* invented for an input */
    SN_UNINIT = 4,  /* memory that nobody has written yet */
    SN_CHOICE = 64, /* the program itself says that any value may come: __VERIFIER_nondet_int() */
};
#define SN_VAGUE (SN_UNKNOWN | SN_UNINIT)
#define SN_TAINTS (SN_VAGUE | SN_INPUT | SN_CHOICE)

/* A register. v is always a definite value; u says whether it may be relied on. */
struct sn_reg {
    uint64_t v;
    uint64_t u; /* enum sn_taint bits */
};

enum sn_order { SN_NOT_ATOMIC, SN_RELAXED, SN_ACQUIRE, SN_RELEASE, SN_ACQ_REL, SN_SEQ_CST };

/* x of LOADX, STOREX, CMPXCHG: how memory is touched. */
enum sn_shape { SN_SHAPE_INT, SN_SHAPE_F80, SN_SHAPE_WIDE };
#define SN_ACCESS(bytes, order, is_volatile, shape)                                                \
    ((uint16_t)((bytes) | ((order) << 5) | ((is_volatile) << 8) | ((shape) << 9)))
#define SN_ACCESS_BYTES(x) ((x)&31u)
#define SN_ACCESS_ORDER(x) (((x) >> 5) & 7u)
#define SN_ACCESS_VOLATILE(x) (((x) >> 8) & 1u)
#define SN_ACCESS_SHAPE(x) (((x) >> 9) & 3u)

enum sn_rmw { SN_RMW_XCHG, SN_RMW_ADD, SN_RMW_SUB, SN_RMW_AND, SN_RMW_NAND, SN_RMW_OR, SN_RMW_XOR,
              SN_RMW_MAX, SN_RMW_MIN, SN_RMW_UMAX, SN_RMW_UMIN, SN_RMW_FADD, SN_RMW_FSUB,
              SN_RMW_OTHER };
#define SN_RMW_WORD(kind, bytes, order) ((uint16_t)((kind) | ((bytes) << 4) | ((order) << 9)))
#define SN_RMW_KIND(x) ((x)&15u)
#define SN_RMW_BYTES(x) (((x) >> 4) & 31u)
#define SN_RMW_ORDER(x) (((x) >> 9) & 7u)

/* x of WIDE. The narrow operand of a conversion is b, its width in EXT a where it matters. */
enum sn_wide { SN_WIDE_ADD, SN_WIDE_SUB, SN_WIDE_MUL, SN_WIDE_UDIV, SN_WIDE_SDIV, SN_WIDE_UREM,
               SN_WIDE_SREM, SN_WIDE_SHL, SN_WIDE_LSHR, SN_WIDE_ASHR, SN_WIDE_AND, SN_WIDE_OR,
               SN_WIDE_XOR, SN_WIDE_EQ, SN_WIDE_NE, SN_WIDE_ULT, SN_WIDE_ULE, SN_WIDE_UGT,
               SN_WIDE_UGE, SN_WIDE_SLT, SN_WIDE_SLE, SN_WIDE_SGT, SN_WIDE_SGE, SN_WIDE_ZEXT,
               SN_WIDE_SEXT };

/* x of OVERFLOW and BITS: kind | width << 4. */
enum sn_overflow { SN_OV_SADD, SN_OV_UADD, SN_OV_SSUB, SN_OV_USUB, SN_OV_SMUL, SN_OV_UMUL };
enum sn_bits { SN_BITS_POPCOUNT, SN_BITS_BSWAP, SN_BITS_CTLZ, SN_BITS_CTTZ, SN_BITS_FSHL,
               SN_BITS_FSHR, SN_BITS_ABS, SN_BITS_SMAX, SN_BITS_SMIN, SN_BITS_UMAX, SN_BITS_UMIN,
               SN_BITS_REVERSE, SN_BITS_SATURATE };
/* SN_BITS_SATURATE: EXT b is the enum sn_overflow whose result is clamped. */

/* x of FLOAT: kind | type << 6 (| second type << 9 for conversions, or the predicate of FCMP). */
enum sn_ftype { SN_F32, SN_F64, SN_F80, SN_FTYPES };
enum sn_float { SN_FLT_ADD, SN_FLT_SUB, SN_FLT_MUL, SN_FLT_DIV, SN_FLT_REM, SN_FLT_NEG, SN_FLT_CMP,
                SN_FLT_TO_FLOAT, SN_FLT_TO_SINT, SN_FLT_TO_UINT, SN_FLT_FROM_SINT,
                SN_FLT_FROM_UINT, SN_FLT_FABS, SN_FLT_SQRT, SN_FLT_FMA, SN_FLT_FLOOR, SN_FLT_CEIL,
                SN_FLT_TRUNC, SN_FLT_ROUND, SN_FLT_RINT, SN_FLT_COPYSIGN, SN_FLT_MINNUM,
                SN_FLT_MAXNUM, SN_FLT_SIN, SN_FLT_COS, SN_FLT_EXP, SN_FLT_EXP2, SN_FLT_LOG,
                SN_FLT_LOG2, SN_FLT_LOG10, SN_FLT_POW, SN_FLT_IS_FPCLASS };
#define SN_FLOAT_WORD(kind, type, more) ((uint16_t)((kind) | ((type) << 6) | ((more) << 9)))
#define SN_FLOAT_KIND(x) ((x)&63u)
#define SN_FLOAT_TYPE(x) (((x) >> 6) & 7u)
#define SN_FLOAT_MORE(x) ((x) >> 9)

/* x of CALL, CALLI, CALLM, CALLU: argument registers, and result registers that are awaited. */
#define SN_CALL_WORD(args, results) ((uint16_t)((args) | ((results) << 10)))
#define SN_CALL_ARGS(x) ((x)&1023u)
#define SN_CALL_RESULTS(x) ((x) >> 10)
#define SN_CALL_ARGS_MAX 1023u
#define SN_CALL_RESULTS_MAX 63u

/* A place in the source. */
struct sn_pos {
    uint32_t file, function; /* strings */
    uint32_t line, column;
    uint32_t inlined_at;     /* position, or SN_NONE */
};

/* A variable in a frame's memory. */
struct sn_local {
    uint32_t name; /* string, or SN_NONE */
    uint32_t offset, bytes;
    uint32_t line;
};

struct sn_func {
    uint32_t name;                /* string */
    uint32_t entry, end;          /* instructions; SN_NONE: declared only */
    uint32_t nparams;             /* registers that hold the arguments, from 0 */
    uint32_t const_base;          /* first register that holds a literal */
    uint32_t const_first, nconst; /* literals copied there at every call */
    uint32_t nregs;               /* in all; calls put their arguments behind them */
    uint32_t out_max;             /* argument registers that a call in it needs */
    uint32_t frame_bytes;         /* memory of its variables, gaps included */
    uint32_t frame_align;         /* at least 16 */
    uint32_t local_first, nlocal;
    uint32_t file, line;          /* where it is defined; SN_NONE, 0 unknown */
    int32_t model;                /* of a declared function: index of its model, -1 none */
    uint16_t pointer_params;      /* bit n: parameter n is a pointer (the first 16) */
    uint8_t nresult;              /* registers of the result (255: many) */
    bool variadic, exported, is_pointer_result;
    bool atomic;                  /* its whole body is one atomic block (set when models are bound) */
};

struct sn_global {
    uint32_t name;         /* string */
    uint32_t addr, bytes;  /* thread-local: the offset in the block */
    uint32_t file, line;
    bool thread_local_var, constant;
};

struct sn_case {
    uint64_t value;
    uint32_t target;
};

/* cases[first … first + n - 1], sorted by value. */
struct sn_switch {
    uint32_t first, n, other;
};

struct sn_bytecode {
    struct sn_insn *insn;
    uint32_t *pos; /* of every instruction: position, or SN_NONE */
    size_t ninsn;
    struct sn_pos *positions;
    size_t npositions;
    struct sn_func *func;
    size_t nfunc;
    struct sn_global *global; /* ascending by address; thread-local ones last */
    size_t nglobal;
    struct sn_local *local;
    size_t nlocal;
    struct sn_switch *switches;
    size_t nswitches;
    struct sn_case *cases;
    size_t ncases;
    struct sn_reg *literal;
    size_t nliteral;
    uint32_t *label; /* instruction of every label whose address is taken */
    size_t nlabel;
    char **string;
    size_t nstring;
    uint8_t *image, *image_tag; /* globals from SN_ADDR_LOW on; tag as in memory.h */
    size_t image_bytes;         /* stored part; what follows up to space_bytes is zero */
    size_t space_bytes;
    uint8_t *tls;               /* first contents of a thread-local block */
    uint8_t *tls_tag;
    size_t tls_bytes;
    uint32_t *ctor, *dtor;      /* functions to run before and after main, in order */
    size_t nctor, ndtor;
    bool aarch64;               /* shape of va_list */
};

static inline uint64_t sn_func_addr(uint32_t index) { return SN_ADDR_FUNC + index * 16ull; }
/* Index of the function at addr, or SN_NONE. */
static inline uint32_t sn_func_at(const struct sn_bytecode *c, uint64_t addr)
{
    uint64_t i = (addr - SN_ADDR_FUNC) / 16;
    return addr >= SN_ADDR_FUNC && addr % 16 == 0 && i < c->nfunc ? (uint32_t)i : SN_NONE;
}

const char *sn_opcode_name(enum sn_opcode op);
uint32_t sn_bytecode_find(const struct sn_bytecode *c, const char *function); /* SN_NONE: not there */
/* The function that instruction pc belongs to. */
uint32_t sn_bytecode_func_of(const struct sn_bytecode *c, uint32_t pc);
const char *sn_bytecode_string(const struct sn_bytecode *c, uint32_t s); /* "" for SN_NONE */
void sn_bytecode_free(struct sn_bytecode *c);
void sn_bytecode_dump(const struct sn_bytecode *c, FILE *out);

#endif
