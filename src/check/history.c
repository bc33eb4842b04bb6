/* history.c: see history.h. FastTrack's rules, per byte; the paper's section 3.3. */
#include "check/history.h"

#include <stdlib.h>
#include <string.h>

#include "check/issue.h"

#define BUCKETS 1024u

/* What does not fit the two slots of a cell. Reads that many threads make side by side are found by
 * task, so that one more costs nothing; everything else is a list. */
struct overflow {
    struct overflow *next;
    uint64_t granule;
    uint32_t n, cap;
    struct sn_vaccess *rec;
    uint32_t nreader, live_readers;
    struct sn_vaccess *reader; /* by task; epoch 0: none */
    bool racy;                 /* a race was told: from now on a few records are enough */
};

#define RACY_MOST 16u

struct sn_overflow_table {
    struct overflow *bucket[BUCKETS];
    bool used;
};

void sn_vhistory_init(struct sn_vm *vm)
{
    vm->overflow = calloc(1, sizeof *vm->overflow);
    if (vm->overflow == NULL)
        abort();
}

void sn_vhistory_reset(struct sn_vm *vm)
{
    if (vm->overflow->used)
        memset(vm->overflow, 0, sizeof *vm->overflow);
}

void sn_vhistory_free(struct sn_vm *vm) { free(vm->overflow); }

static struct overflow *overflow_of(struct sn_vm *vm, uint64_t granule, bool make)
{
    struct overflow **link = &vm->overflow->bucket[granule % BUCKETS];
    for (; *link != NULL; link = &(*link)->next)
        if ((*link)->granule == granule)
            return *link;
    if (!make)
        return NULL;
    vm->overflow->used = true;
    *link = sn_run_arena_take(&vm->arena, sizeof **link);
    (*link)->granule = granule;
    return *link;
}

/* At least one writes, and not both are atomic. A volatile object may be shared with a signal
 * handler (C17 5.1.2.3). */
static bool conflict(uint8_t a, uint8_t b)
{
    if (!((a | b) & SN_ACC_WRITE) || (a & b & SN_ACC_ATOMIC))
        return false;
    bool handler = (a | b) & SN_ACC_SIGNAL;
    if (a & b & SN_ACC_SIGNAL)
        return false; /* two handlers: most likely in one thread, one after the other */
    return !(handler && (a & (SN_ACC_VOLATILE | SN_ACC_ATOMIC)) && (b & (SN_ACC_VOLATILE | SN_ACC_ATOMIC)));
}

/* Whether whatever races with `old` later also races with `now`. */
static bool stands_for(uint8_t now, uint8_t old)
{
    if ((now & SN_ACC_ATOMIC) && !(old & SN_ACC_ATOMIC))
        return false;
    if ((now & SN_ACC_VOLATILE) && !(old & SN_ACC_VOLATILE))
        return false;
    return (now & SN_ACC_WRITE) || !(old & SN_ACC_WRITE);
}

struct look {
    struct sn_vm *vm;
    struct sn_task *t;
    uint64_t granule;
    struct sn_vaccess now;
};

/* True: it is a race. */
static bool compare(const struct look *k, const struct sn_vaccess *old)
{
    uint8_t both = old->mask & k->now.mask;
    if (old->epoch == 0 || both == 0 || !conflict(old->flags, k->now.flags))
        return false;
    if (sn_vclock_knows(&k->t->clock, old->epoch))
        return false;
    uint64_t first = (uint64_t)__builtin_ctz(both);
    sn_issue_race(k->vm, k->t, k->granule * 8 + first, &k->now, old);
    return true;
}

static bool replaced(const struct look *k, const struct sn_vaccess *old)
{
    return (old->mask & ~k->now.mask) == 0 && stands_for(k->now.flags, old->flags) &&
           sn_vclock_knows(&k->t->clock, old->epoch);
}

/* Two reads never race: only a write looks at them. */
static void compare_readers(const struct look *k, struct overflow *o)
{
    if (!(k->now.flags & SN_ACC_WRITE))
        return;
    for (uint32_t i = 0; i < o->nreader && o->live_readers > 0; i++) {
        struct sn_vaccess *r = &o->reader[i];
        if (r->epoch == 0)
            continue;
        o->racy |= compare(k, r);
        if (replaced(k, r) || o->racy) {
            r->epoch = 0;
            o->live_readers--;
        }
    }
}

static void compare_overflow(const struct look *k, struct sn_vcell *cell)
{
    struct overflow *o = overflow_of(k->vm, k->granule, false);
    uint32_t kept = 0;
    if (o == NULL)
        return;
    for (uint32_t i = 0; i < o->n; i++) {
        o->racy |= compare(k, &o->rec[i]);
        if (!replaced(k, &o->rec[i]))
            o->rec[kept++] = o->rec[i];
    }
    o->n = kept;
    compare_readers(k, o);
    if (kept == 0 && o->live_readers == 0)
        cell->w.flags &= (uint8_t)~SN_ACC_MORE;
}

/* The task's own place among the readers, if the old read there is no loss. */
static bool keep_reader(const struct look *k, struct overflow *o)
{
    uint32_t id = k->t->id;
    if (k->now.flags & (SN_ACC_WRITE | SN_ACC_ATOMIC | SN_ACC_VOLATILE | SN_ACC_SIGNAL))
        return false;
    if (id >= o->nreader) {
        uint32_t n = id + 8 + id / 2;
        struct sn_vaccess *r = sn_run_arena_take(&k->vm->arena, n * sizeof *r);
        if (o->nreader > 0)
            memcpy(r, o->reader, o->nreader * sizeof *r);
        o->reader = r;
        o->nreader = n;
    }
    if (o->reader[id].epoch != 0 && !replaced(k, &o->reader[id]))
        return false;
    o->live_readers += o->reader[id].epoch == 0;
    o->reader[id] = k->now;
    return true;
}

static void keep_listed(const struct look *k, struct overflow *o)
{
    if (o->racy && o->n >= RACY_MOST) {
        memmove(o->rec, o->rec + 1, (o->n - 1) * sizeof *o->rec);
        o->n--;
    }
    if (o->n == o->cap) {
        uint32_t cap = o->cap ? o->cap * 2 : 4;
        struct sn_vaccess *rec = sn_run_arena_take(&k->vm->arena, cap * sizeof *rec);
        if (o->n > 0)
            memcpy(rec, o->rec, o->n * sizeof *rec);
        o->rec = rec;
        o->cap = cap;
    }
    o->rec[o->n++] = k->now;
}

static void keep_aside(const struct look *k, struct sn_vcell *cell)
{
    struct overflow *o = overflow_of(k->vm, k->granule, true);
    if (!keep_reader(k, o))
        keep_listed(k, o);
    cell->w.flags |= SN_ACC_MORE;
}

static void put(struct sn_vaccess *slot, const struct sn_vaccess *now)
{
    uint8_t more = slot->flags & SN_ACC_MORE;
    *slot = *now;
    slot->flags |= more;
}

/* The record goes to the slot of its kind if that is free or replaced, else aside. */
static void keep(const struct look *k, struct sn_vcell *cell)
{
    bool write = k->now.flags & SN_ACC_WRITE;
    struct sn_vaccess *slot = write ? &cell->w : &cell->r;
    struct sn_vaccess *other = write ? &cell->r : &cell->w;
    if (other->epoch != 0 && replaced(k, other)) {
        uint8_t more = other->flags & SN_ACC_MORE;
        *other = (struct sn_vaccess){.flags = more};
    }
    if (slot->epoch == 0 || replaced(k, slot))
        put(slot, &k->now);
    else
        keep_aside(k, cell);
}

static void access_granule(struct look *k)
{
    struct sn_vcell *cell = sn_vcell(&k->vm->mem, k->granule * 8);
    *sn_dirty(&k->vm->mem, k->granule * 8) |= SN_DIRTY_CELLS;
    compare(k, &cell->w);
    compare(k, &cell->r);
    if (cell->w.flags & SN_ACC_MORE)
        compare_overflow(k, cell);
    keep(k, cell);
}

static struct look look_of(struct sn_vm *vm, struct sn_task *t, uint8_t flags)
{
    struct look k = {.vm = vm, .t = t};
    if (t->signal_handler || t->async_handler > 0)
        flags |= SN_ACC_SIGNAL;
    k.now = (struct sn_vaccess){t->epoch, t->pc, t->ctx, 0, flags, t->locks};
    return k;
}

/* The part of [addr, end) that lies in addr's granule. */
static uint8_t granule_mask(uint64_t addr, uint64_t end)
{
    uint64_t stop = (addr | 7) + 1;
    stop = stop < end ? stop : end;
    return (uint8_t)(((1u << (stop - addr)) - 1) << (addr & 7));
}

static void compare_granule(const struct look *k)
{
    struct sn_vcell *cell = sn_vcell(&k->vm->mem, k->granule * 8);
    compare(k, &cell->w);
    compare(k, &cell->r);
    if (cell->w.flags & SN_ACC_MORE)
        compare_overflow(k, cell);
}

/* Nothing is recorded: later accesses are caught by the tags. Pages without history are skipped. */
void sn_vhistory_freed(struct sn_vm *vm, struct sn_task *t, uint64_t addr, uint64_t bytes)
{
    struct look k = look_of(vm, t, SN_ACC_WRITE | SN_ACC_FREE);
    for (uint64_t end = addr + bytes; addr < end;) {
        if (!(*sn_dirty(&vm->mem, addr) & SN_DIRTY_CELLS)) {
            addr = (addr / SN_PAGE + 1) * SN_PAGE;
            continue;
        }
        k.granule = addr / 8;
        k.now.mask = granule_mask(addr, end);
        compare_granule(&k);
        addr = (addr | 7) + 1;
        sn_charge(vm, 1);
    }
}

static bool used_by_other(const struct sn_task *t, const struct sn_vaccess *a)
{
    return a->epoch != 0 && a->epoch >> SN_EPOCH_BITS != t->id && !sn_vclock_knows(&t->clock, a->epoch);
}

static void tell_dead(struct sn_vm *vm, struct sn_task *t, uint64_t addr, const struct sn_vaccess *a)
{
    const struct sn_place_of other = {a->pc, a->ctx, (int32_t)(a->epoch >> SN_EPOCH_BITS)};
    sn_issue_misuse(vm, t, "function returns while another thread uses its variable", NULL, addr, &other, "used here");
}

void sn_vhistory_dead(struct sn_vm *vm, struct sn_task *t, uint64_t addr, uint64_t bytes)
{
    for (uint64_t end = addr + bytes; addr < end; addr += 8) {
        if (!(*sn_dirty(&vm->mem, addr) & SN_DIRTY_CELLS)) {
            addr = (addr / SN_PAGE + 1) * SN_PAGE - 8;
            continue;
        }
        const struct sn_vcell *cell = sn_vcell(&vm->mem, addr);
        if (used_by_other(t, &cell->w))
            tell_dead(vm, t, addr, &cell->w);
        else if (used_by_other(t, &cell->r))
            tell_dead(vm, t, addr, &cell->r);
    }
}

void sn_vhistory_after_free(struct sn_vm *vm, struct sn_task *t, uint64_t addr, unsigned bytes, uint8_t flags,
                            const struct sn_heap_block *b)
{
    struct look k = look_of(vm, t, flags);
    struct sn_vaccess old = {b->gone_epoch, b->gone.pc, b->gone.ctx, 255, SN_ACC_WRITE | SN_ACC_FREE, UINT16_MAX};
    k.now.mask = granule_mask(addr, addr + bytes);
    sn_issue_race(vm, t, addr, &k.now, &old);
}

void sn_vhistory_access(struct sn_vm *vm, struct sn_task *t, uint64_t addr, uint64_t bytes, uint8_t flags)
{
    struct look k = look_of(vm, t, flags);
    sn_charge(vm, bytes / 32);
    for (uint64_t end = addr + bytes; addr < end; addr = (addr | 7) + 1) {
        k.granule = addr / 8;
        k.now.mask = granule_mask(addr, end);
        access_granule(&k);
    }
}
