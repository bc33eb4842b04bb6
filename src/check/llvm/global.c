/*
 * global.c: where global variables lie in the simulated memory, and what they hold at the start.
 *
 * Every variable is followed by a gap that is not addressable, so that running over its end is seen.
 * Large variables that start as zeros come last and are not stored: the memory is zero there anyway.
 */
#include <stdlib.h>
#include <string.h>

#include "check/llvm/llvm.h"
#include "check/memory.h"

#define GAP_BYTES 32u
#define LARGE_BYTES 65536u
#define EXTERN_BYTES 4096u /* for declared arrays of unknown length */

static uint64_t variable_bytes(struct sn_lower *l, LLVMValueRef g)
{
    uint64_t n = sn_type_bytes(l, LLVMGlobalGetValueType(g));
    if (n == 0)
        n = LLVMGetInitializer(g) ? 1 : EXTERN_BYTES;
    return n;
}

static bool is_zero(LLVMValueRef g)
{
    LLVMValueRef init = LLVMGetInitializer(g);
    return init != NULL && LLVMIsNull(init);
}

static bool is_large(struct sn_lower *l, LLVMValueRef g)
{
    return is_zero(g) && variable_bytes(l, g) >= LARGE_BYTES;
}

/* LLVM's own tables (llvm.used, llvm.global_ctors, …) are not program memory. */
static bool is_program_memory(LLVMValueRef g)
{
    size_t n;
    const char *name = LLVMGetValueName2(g, &n);
    return strncmp(name, "llvm.", 5) != 0;
}

static void add_variable(struct sn_lower *l, LLVMValueRef g, uint64_t addr, uint64_t bytes)
{
    struct sn_bytecode *c = l->code;
    size_t n;
    const char *name = LLVMGetValueName2(g, &n);
    SN_GROW(c->global, c->nglobal, l->cap_global);
    struct sn_global *out = &c->global[c->nglobal++];
    *out = (struct sn_global){.name = sn_lower_string(l, name, n), .addr = (uint32_t)addr,
                              .bytes = (uint32_t)bytes};
    out->thread_local_var = LLVMIsThreadLocal(g) != 0;
    out->constant = LLVMIsGlobalConstant(g) != 0;
    sn_lower_where(l, g, &out->file, &out->line);
    sn_lower_map_put(&l->variables, SN_KEY(g), (uint32_t)addr);
}

static uint64_t align_of(LLVMValueRef g, uint64_t least)
{
    uint64_t a = LLVMGetAlignment(g);
    return a > least && a <= 4096 ? a : least;
}

static uint64_t place_variable(struct sn_lower *l, LLVMValueRef g, uint64_t at, uint64_t limit)
{
    uint64_t align = align_of(g, 16), bytes = variable_bytes(l, g);
    uint64_t addr = (at + align - 1) / align * align;
    if (bytes > limit || addr + bytes + GAP_BYTES > limit) {
        sn_lower_map_put(&l->variables, SN_KEY(g), SN_NONE); /* no room: its address is uninterpreted */
        return at;
    }
    add_variable(l, g, addr, bytes);
    return addr + bytes + GAP_BYTES;
}

static uint64_t place_all(struct sn_lower *l, bool tls, bool large, uint64_t at, uint64_t limit)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g)) {
        bool is_tls = LLVMIsThreadLocal(g) != 0;
        if (is_program_memory(g) && is_tls == tls && (tls || is_large(l, g) == large))
            at = place_variable(l, g, at, limit);
    }
    return at;
}

#define GLOBAL_LIMIT (SN_ADDR_LIMIT / 2) /* the rest is for stacks and heap */
#define TLS_LIMIT (1u << 20)

void sn_lower_globals(struct sn_lower *l)
{
    struct sn_bytecode *c = l->code;
    uint64_t at = place_all(l, false, false, SN_ADDR_LOW + GAP_BYTES, GLOBAL_LIMIT);
    c->image_bytes = at - SN_ADDR_LOW;
    at = place_all(l, false, true, at, GLOBAL_LIMIT);
    c->space_bytes = at - SN_ADDR_LOW;
    c->tls_bytes = place_all(l, true, false, 0, TLS_LIMIT);
}

static void fill(struct sn_lower *l, LLVMValueRef g, uint8_t *mem, uint8_t *tag)
{
    LLVMValueRef init = LLVMGetInitializer(g);
    uint64_t bytes = variable_bytes(l, g);
    memset(tag, init == NULL ? SN_UNKNOWN : 0, bytes); /* a library's variable: nothing is known */
    if (init != NULL)
        sn_const_bytes(l, init, LLVMGlobalGetValueType(g), mem, tag);
}

static uint8_t *bytes_of(size_t n, int value)
{
    uint8_t *p = malloc(n + 1);
    if (p == NULL)
        abort();
    memset(p, value, n + 1);
    return p;
}

/* Functions named by llvm.global_ctors or llvm.global_dtors, lowest priority first. */
static void special_functions(struct sn_lower *l, const char *name, uint32_t **out, size_t *n)
{
    LLVMValueRef g = LLVMGetNamedGlobal(l->module, name);
    LLVMValueRef init = g ? LLVMGetInitializer(g) : NULL;
    unsigned count = init && LLVMIsAConstantArray(init) ? (unsigned)LLVMGetNumOperands(init) : 0;
    uint64_t *priority = calloc(count + 1, sizeof *priority);
    *out = calloc(count + 1, sizeof **out);
    if (priority == NULL || *out == NULL)
        abort();
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef entry = LLVMGetOperand(init, i);
        if (!LLVMIsAConstantStruct(entry) || !LLVMIsAConstantInt(LLVMGetOperand(entry, 0)))
            continue;
        uint64_t p = LLVMConstIntGetZExtValue(LLVMGetOperand(entry, 0));
        struct sn_reg f = sn_const_scalar(l, LLVMGetOperand(entry, 1));
        uint32_t index = f.u ? SN_NONE : sn_func_at(l->code, f.v);
        if (index == SN_NONE)
            continue;
        size_t at = (*n)++;
        for (; at > 0 && priority[at - 1] > p; at--) {
            priority[at] = priority[at - 1];
            (*out)[at] = (*out)[at - 1];
        }
        priority[at] = p;
        (*out)[at] = index;
    }
    free(priority);
}

void sn_lower_images(struct sn_lower *l)
{
    struct sn_bytecode *c = l->code;
    c->image = bytes_of(c->image_bytes, 0);
    c->image_tag = bytes_of(c->image_bytes, SN_TAG_GAP);
    c->tls = bytes_of(c->tls_bytes, 0);
    c->tls_tag = bytes_of(c->tls_bytes, SN_TAG_GAP);
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g)) {
        uint32_t *at = sn_lower_map_find(&l->variables, SN_KEY(g));
        if (at == NULL || *at == SN_NONE)
            continue;
        if (LLVMIsThreadLocal(g))
            fill(l, g, c->tls + *at, c->tls_tag + *at);
        else if (*at - SN_ADDR_LOW < c->image_bytes)
            fill(l, g, c->image + (*at - SN_ADDR_LOW), c->image_tag + (*at - SN_ADDR_LOW));
    }
    special_functions(l, "llvm.global_ctors", &c->ctor, &c->nctor);
    special_functions(l, "llvm.global_dtors", &c->dtor, &c->ndtor);
}
