/*
 * atomic.c: atomic operations and fences, with their memory orders.
 *
 * A store or read-modify-write is done under the object's guard, together with the change of the
 * clock that the object carries, and s->seq is odd meanwhile. A load looks without the guard first:
 * if seq did not change around the real load and the thread already knows what the object carried,
 * there was nothing to acquire. Otherwise it is done again under the guard.
 *
 * C11 as it is: a relaxed operation makes no edge; read-modify-writes go on with a release
 * sequence, another thread's relaxed store ends it; a release fence before a relaxed store, and an
 * acquire fence after a relaxed load, make the edge that they should.
 */
#include "access.h"

#include "cell.h"
#include "clock.h"
#include "core/count.h"
#include "core/stop.h"
#include "core/runfile.h"
#include "core/ctx_cache.h"
#include "core/sync_cache.h"
#include "race.h"

static int acquires(int order)
{
    return order != SN_RELAXED && order != SN_RELEASE;
}

static int releases(int order)
{
    return order == SN_RELEASE || order == SN_ACQ_REL || order == SN_SEQ_CST;
}

static void lock(struct sn_atomic_scope *a)
{
    sn_sync_lock(a->s);
    __atomic_store_n(&a->s->seq, a->s->seq + 1, __ATOMIC_RELAXED); /* odd; pairs with quiet() */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);                       /* x86 keeps stores in order */
    a->looked = 0;
}

static void unlock(struct sn_atomic_scope *a)
{
    __atomic_store_n(&a->s->seq, a->s->seq + 1, __ATOMIC_RELEASE);
    sn_sync_unlock(a->s);
}

/* A relaxed store or RMW that has no fence behind it and meets no release sequence. */
static int needs_no_object(const struct sn_thread *t, int order)
{
    return order == SN_RELAXED && !sn_race_of((struct sn_thread *)t)->fence_release_n;
}

SN_NOINLINE void sn_race_atomic_begin(struct sn_atomic_scope *a, uintptr_t addr, unsigned size,
                                      enum sn_event_op op, int order, uintptr_t tagged_pc)
{
    struct sn_thread *t = sn_self;
    a->t = 0;
    if (!t || !sn_race_hot.epoch)
        return;
    if (t->busy) {
        sn_count(LOST_NESTED);
        return;
    }
    sn_busy_enter(t);
    order &= 7;
    a->t = t;
    a->addr = addr;
    a->tagged_pc = tagged_pc;
    a->size = (uint8_t)size;
    a->order = (uint8_t)order;
    a->looked = 1;
    a->s = 0;
    if (sn_race_of(t)->ignore_sync)
        return;
    if (op == SN_EV_ATOMIC_LOAD) {
        a->s = sn_sync_known(t, addr);
        a->seq = a->s ? __atomic_load_n(&a->s->seq, __ATOMIC_ACQUIRE) : 0;
        return;
    }
    a->s = needs_no_object(t, order) ? sn_sync_known(t, addr) : sn_sync_of(t, addr, SN_SYNC_ATOMIC);
    if (a->s)
        lock(a);
}

/* Nothing to acquire: the thread knew it all, and no store came between. */
static int quiet(struct sn_atomic_scope *a)
{
    if (!a->s)
        return sn_sync_find(a->addr) == 0;
    struct sn_race_sync *s = sn_race_sync_of(a->s);
    struct sn_race_thread *r = sn_race_of(a->t);
    uint32_t n = s->n, slot = s->last_slot, epoch = s->last_epoch, gen = s->generation;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if ((a->seq & 1) || __atomic_load_n(&a->s->seq, __ATOMIC_RELAXED) != a->seq)
        return 0;
    return !n || gen != sn_clock_generation || (slot < SN_MAX_SLOTS && r->clock[slot] >= epoch);
}

static SN_NOINLINE void record_new(struct sn_thread *t, uintptr_t base, uintptr_t tagged_pc,
                                   unsigned mask, unsigned kind)
{
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_granule *g = sn_shadow_get(base);
    if (!g)
        return;
    uint64_t me = sn_word(r->epoch, sn_ctx_site(t, tagged_pc), mask);
    uint64_t w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
    r->in_epoch++;
    if (SN_LIKELY(sn_word_is_cell(w) && !__atomic_load_n(&g->r, __ATOMIC_RELAXED)) &&
        sn_cell_quick(r, w, base, me, kind))
        return;
    struct sn_conflicts found;
    found.n = 0;
    sn_cell_access(t, g, base, me, kind, &found);
    if (found.n)
        sn_race_report(t, base, me, kind, &found);
}

static inline void record(const struct sn_atomic_scope *a, unsigned kind)
{
    unsigned mask = sn_race_mask(a->addr, a->size);
    uintptr_t base = a->addr & ~(uintptr_t)7;
    if (!sn_cell_has(sn_race_of(a->t), base, mask, kind))
        record_new(a->t, base, a->tagged_pc, mask, kind);
    if (SN_UNLIKELY(a->size == 16))
        record_new(a->t, base + 8, a->tagged_pc, 0xff, kind);
}

static void read_side(struct sn_atomic_scope *a, int order)
{
    if (acquires(order))
        sn_clock_acquire(a->t, a->s);
    else
        sn_clock_see_relaxed(a->t, a->s);
}

static void write_side(struct sn_atomic_scope *a, int rmw)
{
    if (!releases(a->order))
        sn_clock_publish_fence(a->t, a->s, rmw);
    else if (rmw)
        sn_clock_release_merge(a->t, a->s);
    else
        sn_clock_release(a->t, a->s);
}

/* 0: the load is to be done again, under the guard. */
SN_NOINLINE int sn_atomic_loaded(struct sn_atomic_scope *a)
{
    struct sn_thread *t = a->t;
    if (a->looked && !quiet(a) && !sn_race_of(t)->ignore_sync) {
        if (!a->s)
            a->s = sn_sync_find(a->addr);
        if (a->s) {
            lock(a);
            return 0;
        }
    }
    record(a, SN_ATOMIC_READ);
    if (!a->looked) {
        read_side(a, a->order);
        unlock(a);
    }
    sn_busy_leave(t);
    return 1;
}

SN_NOINLINE void sn_atomic_stored(struct sn_atomic_scope *a)
{
    record(a, SN_ATOMIC_WRITE);
    if (!a->looked) {
        write_side(a, 0);
        unlock(a);
    }
    sn_busy_leave(a->t);
}

SN_NOINLINE void sn_atomic_changed(struct sn_atomic_scope *a, int stored, int fail_order)
{
    record(a, stored ? SN_ATOMIC_WRITE : SN_ATOMIC_READ);
    if (!a->looked) {
        read_side(a, stored ? a->order : fail_order);
        if (stored)
            write_side(a, 1);
        unlock(a);
    }
    sn_busy_leave(a->t);
}

void sn_atomic_fence(int order, uintptr_t pc)
{
    struct sn_thread *t = sn_self;
    (void)pc;
    if (!t || !sn_race_hot.epoch || t->busy || order == SN_RELAXED)
        return;
    sn_busy_enter(t);
    if (!sn_race_of(t)->ignore_sync)
        sn_clock_fence(t, acquires(order), releases(order));
    sn_busy_leave(t);
}
