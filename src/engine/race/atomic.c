/*
 * atomic.c: atomic operations and fences, with their memory orders.
 *
 * A store or read-modify-write is done under the object's guard, together with the change of the
 * clock that the object carries, and s->seq is odd meanwhile. A load looks without the guard first:
 * if seq did not change around the real load and the thread already knows what the object carried,
 * there was nothing to acquire. Otherwise it is done again under the guard.
 *
 * C11 as it is: a relaxed operation makes no edge; read-modify-writes go on with a release sequence,
 * another thread's relaxed store ends it; a release fence before a relaxed store, and an acquire
 * fence after a relaxed load, make the edge that they should.
 */
#include "access.h"

#include "cell.h"
#include "clock.h"
#include "core/count.h"
#include "core/stop.h"
#include "core/runfile.h"
#include "core/ctx_cache.h"
#include "core/sync.h"
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
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* x86 keeps stores in order */
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

SN_NOINLINE void sn_atomic_enter(struct sn_atomic_scope *a, uintptr_t addr, unsigned size,
                                 enum sn_event_op op, int order, uintptr_t pc)
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
    *a = (struct sn_atomic_scope){.t = t, .addr = addr, .pc = pc, .size = (uint16_t)size,
                                  .op = (uint8_t)op, .order = (uint8_t)(order & 7), .looked = 1};
    if (sn_race_of(t)->ignore_sync)
        return;
    if (op == SN_EV_ATOMIC_LOAD || needs_no_object(t, a->order)) {
        a->s = sn_sync_find(addr);
        if (op == SN_EV_ATOMIC_LOAD) {
            a->seq = a->s ? __atomic_load_n(&a->s->seq, __ATOMIC_ACQUIRE) : 0;
            return;
        }
        if (!a->s)
            return;
    } else {
        a->s = sn_sync_get(addr, SN_SYNC_ATOMIC);
    }
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

static void record(struct sn_atomic_scope *a, unsigned kind)
{
    struct sn_thread *t = a->t;
    for (unsigned done = 0; done < a->size; done += 8) {
        uintptr_t addr = a->addr + done;
        unsigned n = a->size > 8 ? 8 : a->size;
        struct sn_granule *g = sn_shadow_get(addr);
        unsigned mask = sn_mask(addr & 7, n);
        if (!g)
            continue;
        uint64_t w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
        if (sn_word_is_cell(w) && sn_cell_seen(w, sn_race_of(t), mask, kind))
            continue;
        uint32_t where = sn_ctx_site(t, a->pc | SN_CTX_TAG(SN_OP_ATOMIC, a->size));
        uint64_t me = sn_word(sn_race_hot.epoch, where, mask);
        struct sn_conflicts found;
        found.n = 0;
        sn_cell_access(t, g, addr & ~(uintptr_t)7, me, kind, &found);
        if (found.n)
            sn_race_report(t, addr & ~(uintptr_t)7, me, kind, &found);
    }
    sn_race_of(t)->in_epoch++;
}

static void read_side(struct sn_atomic_scope *a, int order)
{
    if (acquires(order))
        sn_clock_acquire(a->t, a->s);
    else
        sn_clock_see_relaxed(a->t, a->s);
}

static void write_side(struct sn_atomic_scope *a)
{
    int rmw = a->op == SN_EV_ATOMIC_RMW;
    if (!releases(a->order))
        sn_clock_publish_fence(a->t, a->s, rmw);
    else if (rmw)
        sn_clock_release_merge(a->t, a->s);
    else
        sn_clock_release(a->t, a->s);
}

SN_NOINLINE int sn_atomic_leave(struct sn_atomic_scope *a, int stored, int fail_order)
{
    struct sn_thread *t = a->t;
    if (!t)
        return 1;
    int reads = a->op != SN_EV_ATOMIC_STORE;
    int writes = a->op != SN_EV_ATOMIC_LOAD && stored;
    if (a->op == SN_EV_ATOMIC_LOAD && a->looked && !sn_race_of(t)->ignore_sync && !quiet(a)) {
        if (!a->s)
            a->s = sn_sync_find(a->addr);
        if (a->s) {
            lock(a);
            return 0;
        }
    }
    record(a, writes ? SN_ATOMIC_WRITE : SN_ATOMIC_READ);
    if (a->s && !a->looked) {
        if (reads)
            read_side(a, stored ? a->order : fail_order);
        if (writes)
            write_side(a);
        unlock(a);
    }
    sn_busy_leave(t);
    return 1;
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
