/*
 * atomic.c: atomic operations and fences, with their memory orders.
 *
 * A store, and a read-modify-write that releases or acquires, is done under the object's guard,
 * together with the change of the clock that the object carries. A load takes what the object
 * carried without the guard: if nobody has held the guard around the real load, the two belong
 * together. Otherwise it is done again, at last under the guard. A relaxed read-modify-write leaves
 * the clock as it is (it goes on with a release sequence) and looks at it afterwards, like a load.
 *
 * C11 as it is: a relaxed operation makes no edge; read-modify-writes go on with a release
 * sequence, another thread's relaxed store ends it; a release fence before a relaxed store, and an
 * acquire fence after a relaxed load, make the edge that they should.
 */
#include "access.h"

#include "cell.h"
#include "clock_path.h"
#include "core/count.h"
#include "core/stop.h"
#include "core/runfile.h"
#include "core/ctx_cache.h"
#include "core/sync_cache.h"
#include "epoch.h"
#include "private.h"
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
    a->looked = 0;
}

/* A relaxed store or RMW that has no fence behind it carries nothing to the object. */
static int brings_nothing(const struct sn_thread *t, int order)
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
    if (SN_UNLIKELY(__atomic_load_n(&sn_epoch_is_low, __ATOMIC_RELAXED)))
        sn_epoch_renew(t);
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
        a->seq = a->s ? sn_sync_look(a->s) : 0;
        return;
    }
    int nothing = brings_nothing(t, order);
    a->s = nothing ? sn_sync_known(t, addr) : sn_sync_of(t, addr, SN_SYNC_ATOMIC);
    if (a->s && !(nothing && op == SN_EV_ATOMIC_RMW))
        lock(a);
}

static SN_NOINLINE void record_new(struct sn_thread *t, uintptr_t base, uintptr_t tagged_pc,
                                   unsigned mask, unsigned kind)
{
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t me = sn_word(r->epoch, sn_ctx_site(t, tagged_pc), mask);
    r->in_epoch++;
    struct sn_granule *g = sn_shadow_get(base);
    if (!g)
        return;
    uint64_t w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
    if (!w && !sn_shadow_may_use(g, base))
        return;
    if (SN_LIKELY(sn_word_is_list(w) && !__atomic_load_n(&g->r, __ATOMIC_RELAXED)) &&
        (sn_private_try(r, w, base, me, kind) || sn_cell_quick(r, w, base, me, kind)))
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

/* Somebody stores there at this moment: look again, but not for ever. */
static void look_again(struct sn_atomic_scope *a)
{
    uint32_t look = sn_sync_look(a->s);
    if (a->looked++ < 4 && !(look & 1))
        a->seq = look;
    else
        lock(a);
}

/* 0: the load is to be done again. */
SN_NOINLINE int sn_atomic_loaded(struct sn_atomic_scope *a)
{
    struct sn_thread *t = a->t;
    if (a->looked && !sn_race_of(t)->ignore_sync) {
        int knew = a->s != 0;
        if (!knew)
            a->s = sn_sync_known(t, a->addr);
        if (a->s && (!knew || !sn_clock_peek(t, a->s, a->seq, acquires(a->order)))) {
            look_again(a);
            return 0;
        }
    }
    record(a, SN_ATOMIC_READ);
    if (!a->looked) {
        read_side(a, a->order);
        sn_sync_unlock(a->s);
    }
    sn_busy_leave(t);
    return 1;
}

SN_NOINLINE void sn_atomic_stored(struct sn_atomic_scope *a)
{
    record(a, SN_ATOMIC_WRITE);
    if (!a->looked) {
        write_side(a, 0);
        sn_sync_unlock(a->s);
    }
    sn_busy_leave(a->t);
}

/* A read-modify-write without the guard has been done. A release that came between the two is taken
 * for one that it saw: for these few nanoseconds, an order too many. */
static void look_back(struct sn_atomic_scope *a, int order)
{
    if (a->s && !sn_clock_peek(a->t, a->s, sn_sync_look(a->s), acquires(order))) {
        sn_sync_lock(a->s);
        read_side(a, order);
        sn_sync_unlock(a->s);
    }
}

SN_NOINLINE void sn_atomic_changed(struct sn_atomic_scope *a, int stored, int fail_order)
{
    record(a, stored ? SN_ATOMIC_WRITE : SN_ATOMIC_READ);
    if (!a->looked) {
        read_side(a, stored ? a->order : fail_order);
        if (stored)
            write_side(a, 1);
        sn_sync_unlock(a->s);
    } else {
        look_back(a, stored ? a->order : fail_order);
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
