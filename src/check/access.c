/*
 * access.c: memory access with every check: uninterpreted addresses (the paper's section 3.5: a load
 * gives an uninterpreted value, a store is ignored, nothing is recorded), addresses outside any
 * object, tags, and the history.
 */
#include <string.h>

#include "check/history.h"
#include "check/issue.h"
#include "check/model.h"
#include "check/strategy.h"
#include "check/sync.h"

static void set_unknown(struct sn_vm *vm, struct sn_reg *out, unsigned bytes)
{
    *out = (struct sn_reg){sn_invent(vm, bytes < 8 ? bytes * 8 : 64), SN_UNKNOWN};
}

/* An interpreted address outside the space. With an invented input in it, it proves nothing. */
static enum sn_result outside(struct sn_vm *vm, struct sn_task *t, struct sn_reg addr)
{
    if (addr.u != 0)
        return SN_DONE;
    return sn_crash(vm, t, addr.v < SN_ADDR_LOW ? "null pointer dereference" : "access outside any object");
}

static void bad_byte(struct sn_vm *vm, struct sn_task *t, uint64_t addr, uint8_t tags, uint8_t flags)
{
    const struct sn_heap_block *b = tags & SN_TAG_FREED ? sn_heap_at(&vm->mem, addr) : NULL;
    if (b != NULL && b->freed) {
        if (!sn_vclock_knows(&t->clock, b->gone_epoch))
            sn_vhistory_after_free(vm, t, addr, 1, flags, b);
        else
            sn_issue_misuse(vm, t, "use after free", NULL, addr, &b->gone, "freed here");
    } else if (tags & SN_TAG_DEAD) {
        sn_issue_misuse(vm, t, "use of a variable after its function returned", NULL, addr, NULL, NULL);
    } else {
        sn_issue_misuse(vm, t, "access out of bounds", NULL, addr, NULL, NULL);
    }
}

static uint64_t first_bad(const struct sn_vm *vm, uint64_t addr, uint64_t bytes)
{
    const uint8_t *tag = sn_tag(&vm->mem, addr);
    for (uint64_t i = 0; i < bytes; i++)
        if (tag[i] & SN_TAG_BAD)
            return addr + i;
    return addr;
}

/* Whether the range can be touched. *r is what to do if not; tags are of the whole range. */
static bool check_range(struct sn_vm *vm, struct sn_task *t, struct sn_reg addr, uint64_t bytes,
                        uint8_t flags, uint8_t *tags, enum sn_result *r)
{
    *r = SN_DONE;
    *tags = SN_UNKNOWN;
    if (addr.u & SN_VAGUE)
        return false;
    if (addr.u != 0)
        sn_decided_at(vm, addr.u, t->pc);
    if (!sn_range_ok(&vm->mem, addr.v, bytes)) {
        *r = outside(vm, t, addr);
        return false;
    }
    *tags = sn_range_tags(&vm->mem, addr.v, bytes);
    if (!(*tags & SN_TAG_BAD))
        return true;
    if (addr.u == 0) {
        uint64_t at = first_bad(vm, addr.v, bytes);
        bad_byte(vm, t, at, *sn_tag(&vm->mem, at), flags);
    }
    *tags = SN_UNKNOWN;
    return false;
}

/* Bytes never written between written ones are padding: a structure that is moved in registers. */
static bool partly_written(const struct sn_vm *vm, uint64_t addr, unsigned bytes)
{
    const uint8_t *tag = sn_tag(&vm->mem, addr);
    for (unsigned k = 0; k < bytes; k++)
        if (!(tag[k] & SN_UNINIT))
            return true;
    return false;
}

enum sn_result sn_load_slow(struct sn_vm *vm, struct sn_task *t, struct sn_reg addr, unsigned bytes,
                            uint8_t flags, struct sn_reg *out)
{
    enum sn_result r;
    uint8_t tags;
    uint64_t v = 0;
    if (!check_range(vm, t, addr, bytes, flags, &tags, &r)) {
        set_unknown(vm, out, bytes);
        return r;
    }
    if (vm->concurrent)
        sn_vhistory_access(vm, t, addr.v, bytes, flags);
    memcpy(&v, sn_mem(&vm->mem, addr.v), bytes < 8 ? bytes : 8);
    if (tags & SN_UNINIT && partly_written(vm, addr.v, bytes))
        tags &= (uint8_t)~SN_UNINIT;
    *out = (struct sn_reg){v, tags & SN_TAINTS};
    return SN_DONE;
}

enum sn_result sn_store_slow(struct sn_vm *vm, struct sn_task *t, struct sn_reg addr, unsigned bytes,
                             uint8_t flags, struct sn_reg value)
{
    enum sn_result r;
    uint8_t tags;
    if (!check_range(vm, t, addr, bytes, flags, &tags, &r))
        return r;
    if (vm->concurrent)
        sn_vhistory_access(vm, t, addr.v, bytes, flags);
    sn_range_mark(&vm->mem, addr.v, bytes, SN_DIRTY_BYTES);
    memcpy(sn_mem(&vm->mem, addr.v), &value.v, bytes < 8 ? bytes : 8);
    memset(sn_tag(&vm->mem, addr.v), (int)value.u, bytes);
    return SN_DONE;
}

bool sn_usable(struct sn_vm *vm, struct sn_task *t, struct sn_reg addr, uint64_t bytes, bool write)
{
    enum sn_result r;
    uint8_t tags;
    if (addr.v < SN_ADDR_LOW && bytes > 0)
        return false;
    return bytes == 0 ? !(addr.u & SN_VAGUE)
                      : check_range(vm, t, addr, bytes, write ? SN_ACC_WRITE : 0, &tags, &r);
}

bool sn_touch(struct sn_vm *vm, struct sn_task *t, struct sn_reg addr, uint64_t bytes, bool write)
{
    if (!sn_usable(vm, t, addr, bytes, write))
        return false;
    if (vm->concurrent && bytes > 0)
        sn_vhistory_access(vm, t, addr.v, bytes, write ? SN_ACC_WRITE : 0);
    if (write)
        sn_range_mark(&vm->mem, addr.v, bytes, SN_DIRTY_BYTES);
    return true;
}

/* --- volatile, atomic, odd-sized and two-register accesses --- */

static bool acquires(unsigned order) { return order == SN_ACQUIRE || order == SN_ACQ_REL || order == SN_SEQ_CST; }
static bool releases(unsigned order) { return order == SN_RELEASE || order == SN_ACQ_REL || order == SN_SEQ_CST; }

static struct sn_vsync *atomic_at(struct sn_vm *vm, struct sn_reg addr)
{
    bool known = !(addr.u & SN_VAGUE) && sn_range_ok(&vm->mem, addr.v, 1);
    return known && vm->concurrent ? sn_vsync_at(vm, addr.v, SN_VSYNC_ATOMIC) : NULL;
}

/* A read of an atomic: with acquire order it takes over what the writer knew; a relaxed one does so
 * at the next acquire fence. */
static void atomic_read(struct sn_vm *vm, struct sn_task *t, struct sn_reg addr, unsigned order)
{
    struct sn_vsync *s = atomic_at(vm, addr);
    if (s == NULL || s->clock.n == 0)
        return;
    if (acquires(order))
        sn_vsync_acquire(vm, t, &s->clock);
    else
        sn_vclock_join(&vm->arena, &t->acquire_pending, &s->clock);
}

/* A write begins a release sequence; without release order it hands on what the last release fence
 * knew, which may be nothing. A read-modify-write continues the sequence it found. */
static void atomic_write(struct sn_vm *vm, struct sn_task *t, struct sn_reg addr, unsigned order, bool rmw)
{
    struct sn_vsync *s = atomic_at(vm, addr);
    if (s == NULL)
        return;
    if (releases(order)) {
        if (rmw)
            sn_vsync_release(vm, t, &s->clock);
        else
            sn_vsync_publish(vm, t, &s->clock);
    } else if (rmw) {
        sn_vclock_join(&vm->arena, &s->clock, &t->release_fence);
    } else {
        sn_vclock_copy(&vm->arena, &s->clock, &t->release_fence);
    }
}

void sn_fence(struct sn_vm *vm, struct sn_task *t, unsigned order)
{
    if (!vm->concurrent)
        return;
    if (acquires(order))
        sn_vsync_acquire(vm, t, &t->acquire_pending);
    if (releases(order)) {
        sn_vclock_copy(&vm->arena, &t->release_fence, &t->clock);
        sn_task_tick(vm, t);
    }
}

static uint8_t access_flags(const struct sn_insn *i)
{
    uint8_t flags = i->op == SN_BC_STOREX ? SN_ACC_WRITE : 0;
    if (SN_ACCESS_ORDER(i->x) != SN_NOT_ATOMIC)
        flags |= SN_ACC_ATOMIC;
    return flags | (SN_ACCESS_VOLATILE(i->x) ? SN_ACC_VOLATILE : 0);
}

/* The parts of an access that is wider than a register. */
static enum sn_result access_parts(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i,
                                   struct sn_reg *r, struct sn_reg addr)
{
    unsigned bytes = SN_ACCESS_BYTES(i->x);
    enum sn_result result = SN_DONE;
    for (unsigned at = 0; at < bytes && result == SN_DONE; at += 8) {
        unsigned n = bytes - at < 8 ? bytes - at : 8;
        struct sn_reg part = {addr.v + at, addr.u};
        struct sn_reg *reg = &r[i->a + at / 8];
        result = i->op == SN_BC_LOADX ? sn_load_slow(vm, t, part, n, access_flags(i), reg)
                                      : sn_store_slow(vm, t, part, n, access_flags(i), *reg);
    }
    return result;
}

enum sn_result sn_access_insn(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i, struct sn_reg *r)
{
    unsigned order = SN_ACCESS_ORDER(i->x);
    struct sn_reg addr = {r[i->b].v + (uint64_t)(int64_t)(int32_t)i->c, r[i->b].u};
    if (order != SN_NOT_ATOMIC) {
        t->pending = (struct sn_visible){{addr.v, 0}, i->op == SN_BC_STOREX};
        if (sn_at_point(vm, t))
            return SN_POINT;
    }
    if (order != SN_NOT_ATOMIC && i->op == SN_BC_STOREX)
        atomic_write(vm, t, addr, order, false);
    enum sn_result result = access_parts(vm, t, i, r, addr);
    if (order != SN_NOT_ATOMIC && i->op == SN_BC_LOADX)
        atomic_read(vm, t, addr, order);
    return result;
}

static double as_double(uint64_t v, unsigned bytes)
{
    float f;
    double d;
    memcpy(&f, &v, sizeof f);
    memcpy(&d, &v, sizeof d);
    return bytes == 4 ? f : d;
}

static uint64_t from_double(double d, unsigned bytes)
{
    float f = (float)d;
    uint64_t v = 0;
    memcpy(&v, bytes == 4 ? (void *)&f : (void *)&d, bytes == 4 ? sizeof f : sizeof d);
    return v;
}

static uint64_t rmw_value(unsigned kind, unsigned bytes, uint64_t old, uint64_t by)
{
    unsigned shift = 64 - bytes * 8;
    int64_t so = (int64_t)(old << shift) >> shift, sb = (int64_t)(by << shift) >> shift;
    switch (kind) {
    case SN_RMW_XCHG: return by;
    case SN_RMW_ADD: return old + by;
    case SN_RMW_SUB: return old - by;
    case SN_RMW_AND: return old & by;
    case SN_RMW_NAND: return ~(old & by);
    case SN_RMW_OR: return old | by;
    case SN_RMW_XOR: return old ^ by;
    case SN_RMW_MAX: return so > sb ? old : by;
    case SN_RMW_MIN: return so < sb ? old : by;
    case SN_RMW_UMAX: return old > by ? old : by;
    case SN_RMW_UMIN: return old < by ? old : by;
    case SN_RMW_FADD: return from_double(as_double(old, bytes) + as_double(by, bytes), bytes);
    case SN_RMW_FSUB: return from_double(as_double(old, bytes) - as_double(by, bytes), bytes);
    default: return by;
    }
}

static enum sn_result rmw(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i, struct sn_reg *r)
{
    unsigned bytes = SN_RMW_BYTES(i->x), order = SN_RMW_ORDER(i->x);
    struct sn_reg addr = r[i->b], by = r[i->c], old;
    enum sn_result result = sn_load_slow(vm, t, addr, bytes, SN_ACC_ATOMIC, &old);
    if (result != SN_DONE)
        return result;
    uint64_t mask = bytes >= 8 ? ~0ull : (1ull << bytes * 8) - 1;
    struct sn_reg now = {rmw_value(SN_RMW_KIND(i->x), bytes, old.v, by.v) & mask, old.u | by.u};
    if (SN_RMW_KIND(i->x) == SN_RMW_XCHG)
        now.u = by.u;
    atomic_read(vm, t, addr, order);
    result = sn_store_slow(vm, t, addr, bytes, SN_ACC_ATOMIC | SN_ACC_WRITE, now);
    atomic_write(vm, t, addr, order, true);
    r[i->a] = old;
    return result;
}

static enum sn_result cmpxchg(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i, struct sn_reg *r)
{
    unsigned bytes = SN_ACCESS_BYTES(i->x);
    struct sn_reg addr = r[i->b], expected = r[i->c], desired = r[i[1].a], old;
    enum sn_result result = sn_load_slow(vm, t, addr, bytes, SN_ACC_ATOMIC, &old);
    if (result != SN_DONE)
        return result;
    bool equal = old.v == expected.v;
    uint64_t taint = old.u | expected.u;
    atomic_read(vm, t, addr, equal ? SN_ACCESS_ORDER(i->x) : i[1].b);
    if (equal) {
        result = sn_store_slow(vm, t, addr, bytes, SN_ACC_ATOMIC | SN_ACC_WRITE, desired);
        atomic_write(vm, t, addr, SN_ACCESS_ORDER(i->x), true);
    }
    r[i->a] = old;
    r[i->a + 1] = (struct sn_reg){equal, taint};
    return result;
}

enum sn_result sn_atomic_insn(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i, struct sn_reg *r)
{
    t->pending = (struct sn_visible){{i->op == SN_BC_FENCE ? 0 : r[i->b].v, 0}, true};
    if (sn_at_point(vm, t))
        return SN_POINT;
    sn_trail_add(&vm->trail, t->id, t->epoch, t->pc, t->pending.object[0]);
    if (i->op == SN_BC_FENCE) {
        sn_fence(vm, t, i->x);
        return SN_DONE;
    }
    return i->op == SN_BC_RMW ? rmw(vm, t, i, r) : cmpxchg(vm, t, i, r);
}

/* --- whole ranges --- */

#define BYTES_PER_STEP 16u

static void charge(struct sn_vm *vm, uint64_t bytes)
{
    sn_charge(vm, bytes / BYTES_PER_STEP);
    vm->fuel -= (int64_t)(bytes / BYTES_PER_STEP);
}

void sn_copy_range(struct sn_vm *vm, struct sn_task *t, struct sn_reg to, struct sn_reg from, uint64_t bytes)
{
    bool readable = sn_touch(vm, t, from, bytes, false);
    if (!sn_touch(vm, t, to, bytes, true))
        return;
    charge(vm, bytes);
    if (!readable) {
        memset(sn_tag(&vm->mem, to.v), SN_UNKNOWN, bytes);
        return;
    }
    memmove(sn_mem(&vm->mem, to.v), sn_mem(&vm->mem, from.v), bytes);
    memmove(sn_tag(&vm->mem, to.v), sn_tag(&vm->mem, from.v), bytes);
}

void sn_fill_range(struct sn_vm *vm, struct sn_task *t, struct sn_reg to, struct sn_reg byte, uint64_t bytes)
{
    if (!sn_touch(vm, t, to, bytes, true))
        return;
    charge(vm, bytes);
    memset(sn_mem(&vm->mem, to.v), (int)byte.v, bytes);
    memset(sn_tag(&vm->mem, to.v), (int)byte.u, bytes);
}

enum sn_result sn_memory_insn(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i, struct sn_reg *r)
{
    struct sn_reg to = r[i->a], from = r[i->b], n = r[i->c];
    if (n.u & SN_VAGUE || n.v == 0)
        return SN_DONE;
    if (to.u == 0 && to.v < SN_ADDR_LOW)
        return sn_crash(vm, t, "null pointer dereference");
    if (i->op == SN_BC_MEMSET)
        sn_fill_range(vm, t, to, from, n.v);
    else
        sn_copy_range(vm, t, to, from, n.v);
    return SN_DONE;
}
