/*
 * llvm.h: what the files of this folder share while they turn LLVM IR into bytecode. The only file
 * of snag that includes llvm-c; this folder becomes one loadable module, so that the other commands
 * do not pay for loading LLVM.
 *
 * Works with LLVM 14 to 19: nothing here looks behind a pointer type; sizes come from the types that
 * loads, stores, allocas and GEPs name themselves.
 */
#ifndef SN_CHECK_LLVM_H
#define SN_CHECK_LLVM_H

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>

#include "check/bytecode.h"

/* Open hash map from pointers or 64-bit keys to numbers. Zeroed is empty. */
struct sn_lower_map {
    uint64_t *key;
    uint32_t *value;
    size_t n, cap; /* cap is a power of two */
};

uint32_t *sn_lower_map_find(const struct sn_lower_map *m, uint64_t key);            /* null: not there */
uint32_t *sn_lower_map_put(struct sn_lower_map *m, uint64_t key, uint32_t value);   /* keeps an older value */
void sn_lower_map_clear(struct sn_lower_map *m);
void sn_lower_map_free(struct sn_lower_map *m);
#define SN_KEY(pointer) ((uint64_t)(uintptr_t)(pointer))

/* Growing array: `(p)[n]` has room for one more afterwards. */
void *sn_grow(void *p, size_t n, size_t bytes, size_t *cap);
#define SN_GROW(p, n, cap) ((p) = sn_grow((p), (n), sizeof *(p), &(cap)))

enum sn_leaf_kind { SN_LEAF_INT, SN_LEAF_WIDE, SN_LEAF_F32, SN_LEAF_F64, SN_LEAF_F80, SN_LEAF_OPAQUE };

/* One scalar of a type: where it lies in memory, which registers hold it. */
struct sn_leaf {
    enum sn_leaf_kind kind;
    uint32_t bits, offset, slot;
};

/* A type as registers: its scalars in order, a register each (two for wide ones). */
struct sn_flat {
    uint32_t nleaf, nslot;
    bool opaque; /* too large or strange: one uninterpreted register */
    struct sn_leaf *leaf;
};

struct sn_fixup {
    uint32_t insn, block; /* a of insn becomes the start of the block */
};

/* An edge with phi copies that a conditional jump takes: the copies stand in a stub. */
struct sn_stub {
    uint32_t insn, from, to;
};

struct sn_lower {
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    struct sn_bytecode *code;
    size_t cap_insn, cap_pos, cap_positions, cap_func, cap_global, cap_local, cap_switches,
        cap_cases, cap_literal, cap_string, cap_label;
    struct sn_lower_map types;     /* LLVMTypeRef -> flat */
    struct sn_flat **flat;
    size_t nflat, cap_flat;
    struct sn_lower_map strings;   /* hash of the text -> string (chained by probing the hash) */
    struct sn_lower_map places;    /* hash of a position -> position */
    struct sn_lower_map functions; /* LLVMValueRef -> func */
    struct sn_lower_map variables; /* LLVMValueRef -> address, or TLS offset */
    struct sn_lower_map labels;    /* LLVMBasicBlockRef -> label */
    unsigned byval;          /* attribute kinds */
    /* The function that is being lowered. */
    LLVMValueRef fn;
    struct sn_func *f;
    struct sn_lower_map regs;      /* LLVMValueRef -> register */
    struct sn_lower_map folded;    /* GEPs that their loads and stores carry out: -> address */
    struct sn_lower_map consts;    /* literal -> constant register */
    struct sn_lower_map blocks;    /* LLVMBasicBlockRef -> index */
    LLVMBasicBlockRef *block;
    uint32_t *block_start;
    size_t nblock, cap_block;
    struct sn_fixup *fixup;
    size_t nfixup, cap_fixup;
    struct sn_stub *stub;
    size_t nstub, cap_stub;
    uint32_t nlocals;        /* registers handed out so far */
    uint32_t nconst;
    uint32_t out_max;
    uint32_t va_reg;         /* of a variadic function: where its variable arguments lie */
    uint32_t counted;        /* first instruction that no jump has counted yet */
    uint32_t place;          /* position of what is emitted now */
};

/* Operands while a function is lowered: sn_finish_function() turns them into final registers. */
#define SN_CONST_REG 0x80000000u
#define SN_OUT_REG 0x40000000u

/* table.c */
uint32_t sn_lower_string(struct sn_lower *l, const char *s, size_t n);
uint32_t sn_lower_place(struct sn_lower *l, LLVMValueRef instruction);
void sn_lower_where(struct sn_lower *l, LLVMValueRef global, uint32_t *file, uint32_t *line);
/* type.c */
const struct sn_flat *sn_lower_flat(struct sn_lower *l, LLVMTypeRef type);
uint64_t sn_type_bytes(struct sn_lower *l, LLVMTypeRef type); /* 0: has no size */
bool sn_type_sized(LLVMTypeRef type);
/* constant.c */
bool sn_const_tls(struct sn_lower *l, LLVMValueRef v, uint32_t *offset); /* address in the TLS block */
struct sn_reg sn_const_scalar(struct sn_lower *l, LLVMValueRef v);
void sn_const_slots(struct sn_lower *l, LLVMValueRef v, const struct sn_flat *flat, struct sn_reg *out);
void sn_const_bytes(struct sn_lower *l, LLVMValueRef v, LLVMTypeRef type, uint8_t *out, uint8_t *tag);
uint32_t sn_label_of(struct sn_lower *l, LLVMBasicBlockRef b);
/* global.c */
void sn_lower_globals(struct sn_lower *l);
void sn_lower_images(struct sn_lower *l);
/* emit.c */
uint32_t sn_emit(struct sn_lower *l, enum sn_opcode op, uint16_t x, uint32_t a, uint32_t b, uint32_t c);
uint32_t sn_emit_jump(struct sn_lower *l, enum sn_opcode op, uint32_t b, uint32_t c);
uint32_t sn_new_reg(struct sn_lower *l, uint32_t n);
uint32_t sn_const_reg(struct sn_lower *l, const struct sn_reg *r, uint32_t n);
uint32_t sn_imm_reg(struct sn_lower *l, uint64_t v);
uint32_t sn_reg_of(struct sn_lower *l, LLVMValueRef v); /* first register of the value */
void sn_set_reg(struct sn_lower *l, LLVMValueRef v, uint32_t reg);
/* Whether v is a definite constant that fits a signed 32-bit immediate of that width. */
bool sn_imm_of(struct sn_lower *l, LLVMValueRef v, unsigned bits, uint32_t *imm);
uint32_t sn_new_local(struct sn_lower *l, uint64_t bytes, unsigned align, const char *name, uint32_t line);
void sn_emit_move(struct sn_lower *l, uint32_t to, uint32_t from, uint32_t n);
void sn_emit_undef(struct sn_lower *l, uint32_t to, uint32_t n);
/* function.c */
void sn_lower_function(struct sn_lower *l, LLVMValueRef fn, uint32_t index);
void sn_lower_terminator(struct sn_lower *l, LLVMValueRef i, uint32_t block);
void sn_lower_jump(struct sn_lower *l, uint32_t from, LLVMBasicBlockRef to);
/* inst.c */
void sn_lower_instruction(struct sn_lower *l, LLVMValueRef i);
bool sn_fused_compare(LLVMValueRef i); /* carried out by the branch that follows */
struct sn_compare {
    enum sn_opcode op; /* the jump; one less pair for the value */
    bool imm;
    uint32_t b, c;
};
struct sn_compare sn_lower_compare(struct sn_lower *l, LLVMValueRef i);
/* arith.c */
void sn_lower_binary(struct sn_lower *l, LLVMValueRef i);
void sn_lower_cast(struct sn_lower *l, LLVMValueRef i);
void sn_lower_icmp(struct sn_lower *l, LLVMValueRef i);
void sn_lower_fcmp(struct sn_lower *l, LLVMValueRef i);
void sn_lower_select(struct sn_lower *l, LLVMValueRef i);
/* memory.c */
struct sn_place {
    uint32_t base;
    int64_t offset;
};
struct sn_place sn_lower_address(struct sn_lower *l, LLVMValueRef pointer);
void sn_lower_load(struct sn_lower *l, LLVMValueRef i);
void sn_lower_store(struct sn_lower *l, LLVMValueRef i);
void sn_lower_gep(struct sn_lower *l, LLVMValueRef i);
void sn_lower_alloca(struct sn_lower *l, LLVMValueRef i);
void sn_lower_rmw(struct sn_lower *l, LLVMValueRef i);
void sn_lower_cmpxchg(struct sn_lower *l, LLVMValueRef i);
void sn_lower_fence(struct sn_lower *l, LLVMValueRef i);
void sn_emit_load(struct sn_lower *l, const struct sn_leaf *leaf, uint32_t reg, struct sn_place at, unsigned order, bool vol);
void sn_emit_store(struct sn_lower *l, const struct sn_leaf *leaf, uint32_t reg, struct sn_place at, unsigned order, bool vol);
bool sn_gep_offset(struct sn_lower *l, LLVMValueRef gep, int64_t *offset); /* all indices constant */
/* call.c, intrinsic.c */
void sn_lower_call(struct sn_lower *l, LLVMValueRef i);
bool sn_lower_intrinsic(struct sn_lower *l, LLVMValueRef i, const char *name);

#endif
