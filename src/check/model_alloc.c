/* model_alloc.c: malloc and its relatives, exactly; allocation does not fail within the bounds. */
#include <errno.h>

#include "check/history.h"
#include "check/issue.h"
#include "check/lib.h"
#include "check/sync.h"

#define NEVER_BYTES (1ull << 46) /* no machine has that: malloc really fails */

enum sn_result sn_allocate(struct sn_call *c, struct sn_reg bytes, uint64_t align, bool zero)
{
    struct sn_vm *vm = c->vm;
    if (bytes.u & SN_VAGUE) { /* a block of some size: enough for what follows, we hope */
        bytes.v = bytes.v > 4096 ? 4096 : bytes.v < 64 ? 64 : bytes.v;
        sn_vague(vm, c->t);
    }
    if ((bytes.u & SN_INPUT && bytes.v > vm->bounds.heap_bytes / 4) || bytes.v > NEVER_BYTES)
        return sn_return(c, 0);
    struct sn_heap_block *b = bytes.v > vm->bounds.heap_bytes || vm->mem.live_bytes + bytes.v > vm->bounds.heap_bytes
                             ? NULL
                             : sn_heap_new(&vm->mem, bytes.v, align < 16 ? 16 : align, zero ? 0 : SN_UNINIT);
    if (b == NULL)
        return sn_bound_reached(vm, "heap bound reached");
    b->made = sn_task_place(c->t);
    sn_charge(vm, bytes.v / 64); /* tags have to be set */
    return sn_return(c, b->addr);
}

static enum sn_result m_malloc(struct sn_call *c) { return sn_allocate(c, sn_arg(c, 0), 16, false); }

static enum sn_result m_calloc(struct sn_call *c)
{
    struct sn_reg a = sn_arg(c, 0), b = sn_arg(c, 1);
    uint64_t n;
    if (__builtin_mul_overflow(a.v, b.v, &n))
        n = UINT64_MAX;
    return sn_allocate(c, (struct sn_reg){n, a.u | b.u}, 16, true);
}

static enum sn_result m_aligned(struct sn_call *c)
{
    struct sn_reg align = sn_arg(c, 0);
    bool sane = align.u == 0 && align.v != 0 && align.v <= 65536 && (align.v & (align.v - 1)) == 0;
    return sn_allocate(c, sn_arg(c, 1), sane ? align.v : 16, false);
}

static enum sn_result m_posix_memalign(struct sn_call *c)
{
    struct sn_reg out = sn_arg(c, 0), align = sn_arg(c, 1);
    bool sane = align.u == 0 && align.v != 0 && align.v <= 65536 && (align.v & (align.v - 1)) == 0;
    enum sn_result r = sn_allocate(c, sn_arg(c, 2), sane ? align.v : 16, false);
    if (r != SN_DONE)
        return r;
    r = sn_store_slow(c->vm, c->t, out, 8, SN_ACC_WRITE, c->ret);
    sn_return(c, 0);
    return r;
}

static enum sn_result m_valloc(struct sn_call *c) { return sn_allocate(c, sn_arg(c, 0), 4096, false); }

/* Giving a block back writes all of it: whoever still uses it races. */
void sn_release(struct sn_vm *vm, struct sn_task *t, struct sn_reg addr, const char *by)
{
    if (addr.u & SN_VAGUE || addr.v == 0)
        return;
    struct sn_heap_block *b = sn_heap_at(&vm->mem, addr.v);
    if (b == NULL || b->addr != addr.v) {
        if (addr.u == 0 && !vm->vague_entry)
            sn_issue_misuse(vm, t, "free of something that is not the start of a heap block", by, addr.v, NULL, NULL);
        return;
    }
    if (b->freed) {
        if (vm->concurrent && !sn_vclock_knows(&t->clock, b->gone_epoch))
            sn_vhistory_after_free(vm, t, b->addr, 1, SN_ACC_WRITE | SN_ACC_FREE, b);
        else
            sn_issue_misuse(vm, t, "block is freed twice", by, addr.v, &b->gone, "freed here");
        return;
    }
    if (vm->concurrent && b->bytes > 0)
        sn_vhistory_freed(vm, t, b->addr, b->bytes);
    sn_vsync_gone(vm, t, b->addr, b->bytes);
    b->gone = sn_task_place(t);
    b->gone_epoch = t->epoch;
    sn_heap_free(&vm->mem, b);
}

static enum sn_result m_free(struct sn_call *c)
{
    sn_release(c->vm, c->t, sn_arg(c, 0), sn_model_of(c)->name);
    return SN_DONE;
}

static enum sn_result m_realloc(struct sn_call *c)
{
    struct sn_reg old = sn_arg(c, 0), bytes = sn_arg(c, 1);
    if (sn_model_of(c)->extra) { /* reallocarray(p, n, size) */
        bytes.u |= sn_arg(c, 2).u;
        if (__builtin_mul_overflow(bytes.v, sn_arg(c, 2).v, &bytes.v))
            bytes.v = UINT64_MAX;
    }
    enum sn_result r = sn_allocate(c, bytes, 16, false);
    if (r != SN_DONE || old.v == 0 || old.u & SN_VAGUE)
        return r;
    struct sn_heap_block *b = sn_heap_at(&c->vm->mem, old.v);
    if (b != NULL && b->addr == old.v && !b->freed) {
        uint64_t n = b->bytes < bytes.v ? b->bytes : bytes.v;
        sn_copy_range(c->vm, c->t, c->ret, old, n);
    }
    sn_release(c->vm, c->t, old, sn_model_of(c)->name);
    return r;
}

static enum sn_result m_usable_size(struct sn_call *c)
{
    struct sn_heap_block *b = sn_heap_at(&c->vm->mem, sn_arg(c, 0).v);
    return sn_return(c, b ? b->bytes : 0);
}

/* mmap(addr, length, …): anonymous memory is zero, a file's contents are an input. */
static enum sn_result m_mmap(struct sn_call *c)
{
    struct sn_reg length = sn_arg(c, 1), flags = sn_arg(c, 3);
    bool anonymous = flags.v & 0x20;
    enum sn_result r = sn_allocate(c, length, 4096, true);
    if (r == SN_DONE && !anonymous && c->ret.v != 0)
        sn_range_tag(&c->vm->mem, c->ret.v, length.v, SN_INPUT);
    return r;
}

static enum sn_result m_munmap(struct sn_call *c)
{
    struct sn_heap_block *b = sn_arg(c, 0).u == 0 ? sn_heap_at(&c->vm->mem, sn_arg(c, 0).v) : NULL;
    if (b != NULL && b->addr == sn_arg(c, 0).v && b->bytes <= sn_arg(c, 1).v)
        sn_release(c->vm, c->t, sn_arg(c, 0), "munmap");
    return sn_return(c, 0);
}

/* operator new and delete, so that C++ code gets somewhere. */
static const struct sn_model models[] = {
    {"malloc", m_malloc, 0, 0},
    {"calloc", m_calloc, 0, 0},
    {"realloc", m_realloc, 0, 0},
    {"reallocarray", m_realloc, 0, 1},
    {"free", m_free, 0, 0},
    {"cfree", m_free, 0, 0},
    {"aligned_alloc", m_aligned, 0, 0},
    {"memalign", m_aligned, 0, 0},
    {"posix_memalign", m_posix_memalign, 0, 0},
    {"valloc", m_valloc, 0, 0},
    {"pvalloc", m_valloc, 0, 0},
    {"malloc_usable_size", m_usable_size, 0, 0},
    {"mmap", m_mmap, 0, 0},
    {"munmap", m_munmap, 0, 0},
    {"_Znwm", m_malloc, 0, 0},
    {"_Znam", m_malloc, 0, 0},
    {"_ZdlPv", m_free, 0, 0},
    {"_ZdaPv", m_free, 0, 0},
    {"_ZdlPvm", m_free, 0, 0},
    {"_ZdaPvm", m_free, 0, 0},
};
const struct sn_model_table sn_models_alloc = {models, sizeof models / sizeof *models};
