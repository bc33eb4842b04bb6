/*
 * function.c: one function: its parameters, its blocks in order, its jumps, and the phi copies on
 * the edges. A conditional edge with copies jumps to a stub behind the block.
 */
#include <stdlib.h>
#include <string.h>

#include "check/llvm/llvm.h"

static uint32_t block_index(struct sn_lower *l, LLVMBasicBlockRef b)
{
    uint32_t *i = sn_lower_map_find(&l->blocks, SN_KEY(b));
    return i ? *i : 0;
}

static bool has_phi(LLVMBasicBlockRef b)
{
    LLVMValueRef first = LLVMGetFirstInstruction(b);
    return first != NULL && LLVMGetInstructionOpcode(first) == LLVMPHI;
}

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    unsigned n = LLVMCountIncoming(phi);
    for (unsigned i = 0; i < n; i++)
        if (LLVMGetIncomingBlock(phi, i) == from)
            return LLVMGetIncomingValue(phi, i);
    return NULL;
}

struct copy {
    uint32_t to, from, n;
};

static bool overlap(uint32_t a, uint32_t an, uint32_t b, uint32_t bn)
{
    return a < b + bn && b < a + an;
}

static bool read_later(const struct copy *c, size_t n, size_t i)
{
    for (size_t k = 0; k < n; k++)
        if (k != i && c[k].n > 0 && overlap(c[i].to, c[i].n, c[k].from, c[k].n))
            return true;
    return false;
}

/* All copies happen at once: one whose target nobody reads any more goes first; a cycle is broken
 * by moving aside what is read from a target. */
static void parallel_copy(struct sn_lower *l, struct copy *c, size_t n)
{
    size_t left = n;
    while (left > 0) {
        bool moved = false;
        for (size_t i = 0; i < n; i++) {
            if (c[i].n == 0 || read_later(c, n, i))
                continue;
            sn_emit_move(l, c[i].to, c[i].from, c[i].n);
            c[i].n = 0;
            left--;
            moved = true;
        }
        if (moved || left == 0)
            continue;
        size_t i = 0;
        while (c[i].n == 0)
            i++;
        for (size_t k = 0; k < n; k++) {
            if (k == i || c[k].n == 0 || !overlap(c[i].to, c[i].n, c[k].from, c[k].n))
                continue;
            uint32_t aside = sn_new_reg(l, c[k].n);
            sn_emit_move(l, aside, c[k].from, c[k].n);
            c[k].from = aside;
        }
    }
}

static void phi_copies(struct sn_lower *l, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    struct copy *c = NULL;
    size_t n = 0, cap = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(to); i && LLVMGetInstructionOpcode(i) == LLVMPHI;
         i = LLVMGetNextInstruction(i)) {
        uint32_t slots = sn_lower_flat(l, LLVMTypeOf(i))->nslot;
        LLVMValueRef v = incoming(i, from);
        uint32_t reg = sn_reg_of(l, i), source = v ? sn_reg_of(l, v) : reg;
        if (slots == 0 || source == reg)
            continue;
        SN_GROW(c, n, cap);
        c[n++] = (struct copy){reg, source, slots};
    }
    parallel_copy(l, c, n);
    free(c);
}

static void add_fixup(struct sn_lower *l, uint32_t insn, uint32_t block)
{
    SN_GROW(l->fixup, l->nfixup, l->cap_fixup);
    l->fixup[l->nfixup++] = (struct sn_fixup){insn, block};
}

void sn_lower_jump(struct sn_lower *l, uint32_t from, LLVMBasicBlockRef to)
{
    phi_copies(l, l->block[from], to);
    add_fixup(l, sn_emit_jump(l, SN_BC_JMP, 0, 0), block_index(l, to));
}

/* The target of a conditional jump: the block, or a stub that copies first. */
static void branch_to(struct sn_lower *l, uint32_t insn, uint32_t from, LLVMBasicBlockRef to)
{
    uint32_t index = block_index(l, to);
    if (!has_phi(to)) {
        add_fixup(l, insn, index);
        return;
    }
    SN_GROW(l->stub, l->nstub, l->cap_stub);
    l->stub[l->nstub++] = (struct sn_stub){insn, from, index};
}

static void flush_stubs(struct sn_lower *l)
{
    for (size_t i = 0; i < l->nstub; i++) {
        struct sn_stub s = l->stub[i];
        l->counted = (uint32_t)l->code->ninsn;
        uint32_t start = l->counted;
        if (s.insn & SN_CONST_REG) /* an entry of a switch table */
            l->code->cases[s.insn & ~SN_CONST_REG].target = start;
        else
            l->code->insn[s.insn].a = start;
        sn_lower_jump(l, s.from, l->block[s.to]);
    }
    l->nstub = 0;
}

static void lower_branch(struct sn_lower *l, LLVMValueRef i, uint32_t block)
{
    if (!LLVMIsConditional(i)) {
        sn_lower_jump(l, block, LLVMGetSuccessor(i, 0));
        return;
    }
    LLVMValueRef cond = LLVMGetCondition(i);
    LLVMBasicBlockRef yes = LLVMGetSuccessor(i, 0), no = LLVMGetSuccessor(i, 1);
    uint32_t at;
    if (LLVMIsAInstruction(cond) && sn_fused_compare(cond)) {
        struct sn_compare c = sn_lower_compare(l, cond);
        at = sn_emit_jump(l, c.op + (c.imm ? 3 : 2), c.b, c.c);
    } else {
        at = sn_emit_jump(l, SN_BC_JNZ, sn_reg_of(l, cond), 0);
    }
    branch_to(l, at, block, yes);
    sn_lower_jump(l, block, no);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = ((const struct sn_case *)a)->value, y = ((const struct sn_case *)b)->value;
    return (x > y) - (x < y);
}

/* Of a switch, for its successor k (0 is the default); from LLVM 22 on it is no operand. */
static LLVMValueRef case_value(LLVMValueRef i, unsigned k)
{
#if LLVM_VERSION_MAJOR >= 22
    return LLVMGetSwitchCaseValue(i, k);
#else
    return LLVMGetOperand(i, 2 * k);
#endif
}

/* A case holds its block's index until flush_stubs() has made the edge. */
static void lower_switch(struct sn_lower *l, LLVMValueRef i, uint32_t block)
{
    struct sn_bytecode *c = l->code;
    LLVMValueRef value = LLVMGetOperand(i, 0);
    uint32_t reg = sn_reg_of(l, value);
    unsigned n = LLVMGetNumSuccessors(i) - 1;
    bool narrow = sn_lower_flat(l, LLVMTypeOf(value))->nslot == 1;
    SN_GROW(c->switches, c->nswitches, l->cap_switches);
    struct sn_switch *s = &c->switches[c->nswitches++];
    *s = (struct sn_switch){(uint32_t)c->ncases, 0, 0};
    for (unsigned k = 0; narrow && k < n; k++) {
        SN_GROW(c->cases, c->ncases, l->cap_cases);
        uint64_t v = LLVMConstIntGetZExtValue(case_value(i, k + 1));
        c->cases[c->ncases++] = (struct sn_case){v, block_index(l, LLVMGetSuccessor(i, k + 1))};
        s->n++;
    }
    qsort(c->cases + s->first, s->n, sizeof *c->cases, by_value);
    sn_emit_jump(l, SN_BC_SWITCH, reg, (uint32_t)c->nswitches - 1);
    uint32_t first = s->first, count = s->n;
    s->other = (uint32_t)c->ninsn; /* the default edge follows */
    sn_lower_jump(l, block, LLVMGetSuccessor(i, 0));
    for (uint32_t k = first; k < first + count; k++) {
        SN_GROW(l->stub, l->nstub, l->cap_stub);
        l->stub[l->nstub++] = (struct sn_stub){SN_CONST_REG | k, block, c->cases[k].target};
    }
}

static void lower_return(struct sn_lower *l, LLVMValueRef i)
{
    uint32_t n = 0, reg = 0;
    if (LLVMGetNumOperands(i) > 0) {
        LLVMValueRef v = LLVMGetOperand(i, 0);
        n = sn_lower_flat(l, LLVMTypeOf(v))->nslot;
        reg = n ? sn_reg_of(l, v) : 0;
    }
    uint32_t at = sn_emit_jump(l, SN_BC_RET, 0, n);
    l->code->insn[at].a = reg;
}

static void lower_indirect(struct sn_lower *l, LLVMValueRef i, uint32_t block)
{
    unsigned n = LLVMGetNumSuccessors(i);
    uint32_t target = sn_reg_of(l, LLVMGetOperand(i, 0)), same = sn_new_reg(l, 1);
    for (unsigned k = 0; k < n; k++) { /* as many edges, as many copies: one test each */
        LLVMBasicBlockRef b = LLVMGetSuccessor(i, k);
        uint32_t label = sn_imm_reg(l, SN_ADDR_LABEL + 4ull * sn_label_of(l, b));
        sn_emit(l, SN_BC_EQ, 0, same, target, label);
        uint32_t at = sn_emit_jump(l, SN_BC_JNZ, same, 0);
        branch_to(l, at, block, b);
    }
    sn_emit(l, SN_BC_UNREACHABLE, 0, 0, 0, 0);
}

void sn_lower_terminator(struct sn_lower *l, LLVMValueRef i, uint32_t block)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMBr:
        lower_branch(l, i, block);
        break;
    case LLVMSwitch:
        lower_switch(l, i, block);
        break;
    case LLVMRet:
        lower_return(l, i);
        break;
    case LLVMIndirectBr:
        lower_indirect(l, i, block);
        break;
    case LLVMInvoke:
        sn_lower_call(l, i);
        sn_lower_jump(l, block, LLVMGetNormalDest(i));
        break;
    case LLVMCallBr: /* asm goto: unknown code, which here falls through */
        sn_lower_call(l, i);
        sn_lower_jump(l, block, LLVMGetSuccessor(i, 0));
        break;
    default:
        sn_emit(l, SN_BC_UNREACHABLE, 0, 0, 0, 0);
    }
    flush_stubs(l);
}

/* Which operands of an opcode are registers: bits a, b, c. */
enum { FA = 1, FB = 2, FC = 4 };
#define FORM_NONE 0
#define FORM_R FA
#define FORM_RR (FA | FB)
#define FORM_RRR (FA | FB | FC)
#define FORM_RI FA
#define FORM_RRI (FA | FB)
#define FORM_RL FA
#define FORM_RX FA
#define FORM_RRX (FA | FB)
#define FORM_RRRX (FA | FB | FC)
#define FORM_RRIX (FA | FB)
#define FORM_MEM (FA | FB)
#define FORM_J 0
#define FORM_JR FB
#define FORM_JRR (FB | FC)
#define FORM_JRI FB
#define FORM_SW FB
#define FORM_CALL (FA | FC)
#define FORM_CALLI (FA | FB | FC)

static const uint8_t forms[] = {
#define SN_OPCODE(name, form) FORM_##form,
#include "check/opcode.def"
#undef SN_OPCODE
};

static uint32_t final_reg(const struct sn_lower *l, uint32_t r)
{
    if (r & SN_CONST_REG)
        return l->nlocals + (r & ~SN_CONST_REG);
    return r & SN_OUT_REG ? l->f->nregs + (r & ~SN_OUT_REG) : r;
}

static void close_function(struct sn_lower *l)
{
    struct sn_bytecode *c = l->code;
    struct sn_func *f = l->f;
    f->const_base = l->nlocals;
    f->nconst = l->nconst;
    f->nregs = l->nlocals + l->nconst;
    f->out_max = l->out_max;
    f->end = (uint32_t)c->ninsn;
    for (size_t i = 0; i < l->nfixup; i++)
        c->insn[l->fixup[i].insn].a = l->block_start[l->fixup[i].block];
    for (uint32_t i = f->entry; i < f->end; i++) {
        struct sn_insn *p = &c->insn[i];
        p->a = forms[p->op] & FA ? final_reg(l, p->a) : p->a;
        p->b = forms[p->op] & FB ? final_reg(l, p->b) : p->b;
        p->c = forms[p->op] & FC ? final_reg(l, p->c) : p->c;
    }
    for (size_t i = 0; i < l->nblock; i++) {
        uint32_t *label = sn_lower_map_find(&l->labels, SN_KEY(l->block[i]));
        if (label != NULL)
            c->label[*label] = l->block_start[i];
    }
}

static void open_function(struct sn_lower *l, LLVMValueRef fn, uint32_t index)
{
    struct sn_bytecode *c = l->code;
    l->fn = fn;
    l->f = &c->func[index];
    l->f->entry = (uint32_t)c->ninsn;
    l->f->const_first = (uint32_t)c->nliteral;
    l->f->local_first = (uint32_t)c->nlocal;
    l->nlocals = l->nconst = l->out_max = 0;
    l->nblock = l->nfixup = l->nstub = 0;
    l->place = SN_NONE;
    sn_lower_map_clear(&l->regs);
    sn_lower_map_clear(&l->folded);
    sn_lower_map_clear(&l->consts);
    sn_lower_map_clear(&l->blocks);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
        size_t old = l->cap_block;
        SN_GROW(l->block, l->nblock, l->cap_block);
        if (old != l->cap_block) {
            l->block_start = realloc(l->block_start, l->cap_block * sizeof *l->block_start);
            if (l->block_start == NULL)
                abort();
        }
        sn_lower_map_put(&l->blocks, SN_KEY(b), (uint32_t)l->nblock);
        l->block[l->nblock++] = b;
    }
}

static void lower_block(struct sn_lower *l, uint32_t index)
{
    l->block_start[index] = l->counted = (uint32_t)l->code->ninsn;
    for (LLVMValueRef i = LLVMGetFirstInstruction(l->block[index]); i; i = LLVMGetNextInstruction(i)) {
        uint32_t place = sn_lower_place(l, i);
        if (place != SN_NONE)
            l->place = place;
        if (LLVMIsATerminatorInst(i))
            sn_lower_terminator(l, i, index);
        else
            sn_lower_instruction(l, i);
    }
}

void sn_lower_function(struct sn_lower *l, LLVMValueRef fn, uint32_t index)
{
    open_function(l, fn, index);
    for (LLVMValueRef p = LLVMGetFirstParam(fn); p; p = LLVMGetNextParam(p)) {
        uint32_t n = sn_lower_flat(l, LLVMTypeOf(p))->nslot;
        sn_set_reg(l, p, sn_new_reg(l, n));
    }
    l->f->nparams = l->nlocals;
    l->counted = l->f->entry;
    if (l->f->variadic) {
        l->va_reg = sn_new_reg(l, 1);
        sn_emit(l, SN_BC_VAGET, 0, l->va_reg, 0, 0);
    }
    for (uint32_t i = 0; i < l->nblock; i++)
        lower_block(l, i);
    close_function(l);
}
