/*
 * type.c: how an LLVM type lies in registers. Every scalar has a register of its own, so that fields
 * of aggregates and lanes of vectors are taken out and put in by naming registers.
 */
#include <stdlib.h>

#include "check/llvm/llvm.h"

#define MAX_LEAVES 2048u /* beyond, a value is not followed: nobody writes such registers by hand */

bool sn_type_sized(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMVoidTypeKind:
    case LLVMLabelTypeKind:
    case LLVMMetadataTypeKind:
    case LLVMFunctionTypeKind:
    case LLVMTokenTypeKind:
    case LLVMScalableVectorTypeKind:
        return false;
    default:
        return LLVMTypeIsSized(type) != 0;
    }
}

uint64_t sn_type_bytes(struct sn_lower *l, LLVMTypeRef type)
{
    return sn_type_sized(type) ? LLVMABISizeOfType(l->layout, type) : 0;
}

struct flattening {
    struct sn_lower *l;
    struct sn_flat *flat;
    size_t cap;
};

static void add_leaf(struct flattening *f, enum sn_leaf_kind kind, unsigned bits, uint64_t offset)
{
    struct sn_flat *flat = f->flat;
    if (flat->nleaf >= MAX_LEAVES || offset > UINT32_MAX)
        flat->opaque = true;
    if (flat->opaque)
        return;
    SN_GROW(flat->leaf, flat->nleaf, f->cap);
    flat->leaf[flat->nleaf++] = (struct sn_leaf){kind, bits, (uint32_t)offset, flat->nslot};
    flat->nslot += kind == SN_LEAF_WIDE || kind == SN_LEAF_F80 ? 2 : 1;
}

static void add_int(struct flattening *f, unsigned bits, uint64_t offset)
{
    if (bits <= 64)
        add_leaf(f, SN_LEAF_INT, bits, offset);
    else
        add_leaf(f, bits == 128 ? SN_LEAF_WIDE : SN_LEAF_OPAQUE, bits, offset);
}

static void add_type(struct flattening *f, LLVMTypeRef t, uint64_t offset);

static void add_struct(struct flattening *f, LLVMTypeRef t, uint64_t offset)
{
    unsigned n = LLVMCountStructElementTypes(t);
    for (unsigned i = 0; i < n && !f->flat->opaque; i++)
        add_type(f, LLVMStructGetTypeAtIndex(t, i), offset + LLVMOffsetOfElement(f->l->layout, t, i));
}

static void add_sequence(struct flattening *f, LLVMTypeRef t, uint64_t n, uint64_t offset)
{
    LLVMTypeRef e = LLVMGetElementType(t);
    uint64_t bytes = sn_type_bytes(f->l, e);
    if (n > MAX_LEAVES)
        f->flat->opaque = true;
    for (uint64_t i = 0; i < n && !f->flat->opaque; i++)
        add_type(f, e, offset + i * bytes);
}

static void add_type(struct flattening *f, LLVMTypeRef t, uint64_t offset)
{
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind:
        add_int(f, LLVMGetIntTypeWidth(t), offset);
        break;
    case LLVMPointerTypeKind:
        add_leaf(f, SN_LEAF_INT, 64, offset);
        break;
    case LLVMFloatTypeKind:
        add_leaf(f, SN_LEAF_F32, 32, offset);
        break;
    case LLVMDoubleTypeKind:
        add_leaf(f, SN_LEAF_F64, 64, offset);
        break;
    case LLVMX86_FP80TypeKind:
        add_leaf(f, SN_LEAF_F80, 80, offset);
        break;
    case LLVMStructTypeKind:
        if (LLVMIsOpaqueStruct(t))
            f->flat->opaque = true;
        else
            add_struct(f, t, offset);
        break;
    case LLVMArrayTypeKind:
        add_sequence(f, t, LLVMGetArrayLength(t), offset);
        break;
    case LLVMVectorTypeKind:
        add_sequence(f, t, LLVMGetVectorSize(t), offset);
        break;
    case LLVMVoidTypeKind:
        break;
    default:
        add_leaf(f, SN_LEAF_OPAQUE, 64, offset);
    }
}

static void make_opaque(struct flattening *f)
{
    f->flat->nleaf = f->flat->nslot = 0;
    f->flat->opaque = false;
    add_leaf(f, SN_LEAF_OPAQUE, 64, 0);
    f->flat->opaque = true;
}

const struct sn_flat *sn_lower_flat(struct sn_lower *l, LLVMTypeRef type)
{
    uint32_t *known = sn_lower_map_find(&l->types, SN_KEY(type));
    if (known != NULL)
        return l->flat[*known];
    struct flattening f = {l, calloc(1, sizeof *f.flat), 0};
    if (f.flat == NULL)
        abort();
    add_type(&f, type, 0);
    if (f.flat->opaque)
        make_opaque(&f);
    SN_GROW(l->flat, l->nflat, l->cap_flat);
    l->flat[l->nflat] = f.flat;
    sn_lower_map_put(&l->types, SN_KEY(type), (uint32_t)l->nflat++);
    return f.flat;
}
