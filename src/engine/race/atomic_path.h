/*
 * atomic_path.h: atomic operations, with their memory orders, as far as they go most of the time;
 * inline, since what depends on the operation is then known. atomic.c has the rest.
 *
 * A store, and a read-modify-write that releases, is done under the object's guard, together with
 * the change of the clock that the object carries. A load takes what the object carried without the
 * guard: if nobody has held the guard around the real load, the two belong together. Otherwise it
 * is done again, at last under the guard. A read-modify-write that brings nothing leaves the clock
 * as it is (it goes on with a release sequence) and looks at it afterwards: whoever wrote the value
 * that it saw held the guard until the clock was there. A release that came between the operation
 * and that look is taken for one that it saw: for these few nanoseconds, an order too many.
 *
 * What an operation acquires is known before its own access is looked at: whoever wrote the value
 * that it sees may have written there plainly before.
 *
 * C11 as it is: a relaxed operation makes no edge; read-modify-writes go on with a release
 * sequence, another thread's relaxed store ends it; a release fence before a relaxed store, and an
 * acquire fence after a relaxed load, make the edge that they should.
 */
#ifndef SN_RACE_ATOMIC_PATH_H
#define SN_RACE_ATOMIC_PATH_H

#include "cell.h"
#include "clock_path.h"
#include "core/stop.h"
#include "core/sync_cache.h"
#include "epoch.h"

struct sn_atomic_scope {
    struct sn_thread *t; /* null: not followed */
    struct sn_sync *s;   /* locked, unless `looked`; then it may be null */
    uintptr_t addr, tagged_pc;
    uint32_t seq;
    uint8_t size, order, looked, op;
};

/* The thread is inside the engine already. */
void sn_atomic_nested(void);
/* What a load without the guard has seen. 0: the load is to be done again. */
int sn_atomic_look(struct sn_atomic_scope *a);
/* The same after a read-modify-write. */
void sn_atomic_look_back(struct sn_thread *t, uintptr_t addr, int acquire);
/* The access itself, to bytes of the granule at base. */
void sn_atomic_record_new(struct sn_thread *t, uintptr_t base, uintptr_t tagged_pc, unsigned mask,
                          unsigned kind);
void sn_atomic_fence(int order, uintptr_t pc);

#define SN_ATOMIC static inline __attribute__((always_inline))

SN_ATOMIC int sn_order_acquires(int order)
{
    return order != SN_RELAXED && order != SN_RELEASE;
}

SN_ATOMIC int sn_order_releases(int order)
{
    return order >= SN_RELEASE;
}

/* A store or RMW without a release, nor a fence before it, carries nothing to the object. */
SN_ATOMIC int sn_atomic_brings_nothing(const struct sn_race_thread *r, int order)
{
    return !sn_order_releases(order) && !r->fence_release_n;
}

SN_ATOMIC void sn_atomic_lock(struct sn_atomic_scope *a)
{
    struct sn_race_thread *r = sn_race_of(a->t);
    if (SN_UNLIKELY(r->ignore_sync))
        return;
    a->s = sn_atomic_brings_nothing(r, a->order) ? sn_sync_known(a->t, a->addr)
                                                 : sn_sync_of(a->t, a->addr, SN_SYNC_ATOMIC);
    if (!a->s)
        return;
    sn_sync_lock(a->s);
    a->looked = 0;
}

SN_ATOMIC void sn_atomic_enter(struct sn_atomic_scope *a, uintptr_t addr, unsigned size,
                               enum sn_event_op op, int order, uintptr_t pc)
{
    struct sn_thread *t = sn_race_hot.self;
    a->t = 0;
    if (SN_UNLIKELY(!t))
        return;
    if (SN_UNLIKELY(t->busy)) {
        sn_atomic_nested();
        return;
    }
    if (SN_UNLIKELY(__atomic_load_n(&sn_renewal_due, __ATOMIC_RELAXED)))
        sn_epoch_renew(t);
    sn_busy_enter(t);
    *a = (struct sn_atomic_scope){.t = t,
                                  .addr = addr,
                                  .tagged_pc = pc | SN_CTX_TAG(SN_OP_ATOMIC, size),
                                  .size = (uint8_t)size,
                                  .order = order & 7,
                                  .looked = 1,
                                  .op = (uint8_t)op};
    if (op == SN_EV_ATOMIC_LOAD) {
        struct sn_sync *s = sn_sync_guess(t, addr);
        if (sn_sync_is(s, addr)) {
            a->s = s;
            a->seq = sn_sync_look(s);
        }
    } else if (op == SN_EV_ATOMIC_STORE || !sn_atomic_brings_nothing(sn_race_of(t), a->order)) {
        sn_atomic_lock(a);
    }
}

SN_ATOMIC void sn_atomic_record(const struct sn_atomic_scope *a, unsigned kind)
{
    unsigned mask = sn_race_mask(a->addr, a->size);
    uintptr_t base = a->addr & ~(uintptr_t)7;
    /* An epoch that is about to end was young as a rule: no use to look for it. */
    if (!a->looked || !sn_cell_has(sn_race_of(a->t), base, mask, kind))
        sn_atomic_record_new(a->t, base, a->tagged_pc, mask, kind);
    if (a->size == 16)
        sn_atomic_record_new(a->t, base + 8, a->tagged_pc, 0xff, kind);
}

/* What the object carries is nothing, or the thread knows it. */
SN_ATOMIC int sn_atomic_no_news(const struct sn_thread *t, struct sn_sync *s)
{
    const struct sn_race_sync *c = sn_race_sync_of(s);
    return !sn_clock_is_any(c) || sn_clock_is_known(sn_race_of((struct sn_thread *)t), c);
}

SN_ATOMIC void sn_atomic_read_side(const struct sn_atomic_scope *a, int order)
{
    if (sn_order_acquires(order))
        sn_clock_acquire(a->t, a->s);
    else if (!sn_atomic_no_news(a->t, a->s))
        sn_clock_see_relaxed(a->t, a->s);
}

/* knows: the thread has acquired what is there. */
SN_ATOMIC void sn_atomic_write_side(const struct sn_atomic_scope *a, int rmw, int knows)
{
    const struct sn_race_sync *c = sn_race_sync_of(a->s);
    if (!sn_order_releases(a->order))
        sn_clock_publish_fence(a->t, a->s, rmw);
    else if (rmw && !knows)
        sn_clock_release_merge(a->t, a->s);
    else if (sn_clock_release_begin(a->t, a->s, rmw && sn_clock_is_any(c) ? c->heads : 0))
        sn_clock_release_end(a->t);
}

/* Without the guard: there was nothing to learn from s, all the time since `look`. */
SN_ATOMIC int sn_atomic_looks_fine(const struct sn_atomic_scope *a, struct sn_sync *s,
                                   uint32_t look)
{
    if (!s)
        return sn_sync_is_none(a->t, a->addr);
    return sn_atomic_no_news(a->t, s) && SN_LIKELY(sn_sync_unchanged(s, look));
}

SN_ATOMIC int sn_atomic_loaded(struct sn_atomic_scope *a)
{
    if (SN_UNLIKELY(!a->looked)) {
        sn_atomic_read_side(a, a->order);
        sn_sync_unlock(a->s);
    } else if (!sn_atomic_looks_fine(a, a->s, a->seq)) {
        struct sn_atomic_scope again = *a; /* its address would keep all of `a` in memory */
        if (!sn_atomic_look(&again)) {
            a->s = again.s;
            a->seq = again.seq;
            a->looked = again.looked;
            return 0;
        }
    }
    sn_atomic_record(a, SN_ATOMIC_READ);
    return 1;
}

SN_ATOMIC void sn_atomic_stored(const struct sn_atomic_scope *a)
{
    sn_atomic_record(a, SN_ATOMIC_WRITE);
    if (!a->looked) {
        sn_atomic_write_side(a, 0, 0);
        sn_sync_unlock(a->s);
    }
}

SN_ATOMIC void sn_atomic_changed(const struct sn_atomic_scope *a, int stored, int order)
{
    unsigned kind = stored ? SN_ATOMIC_WRITE : SN_ATOMIC_READ;
    if (!a->looked) {
        sn_atomic_read_side(a, order);
        sn_atomic_record(a, kind);
        if (stored)
            sn_atomic_write_side(a, 1, sn_order_acquires(order));
        sn_sync_unlock(a->s);
        return;
    }
    struct sn_sync *s = sn_sync_guess(a->t, a->addr);
    s = sn_sync_is(s, a->addr) ? s : 0;
    if (!sn_atomic_looks_fine(a, s, s ? sn_sync_look(s) : 0))
        sn_atomic_look_back(a->t, a->addr, sn_order_acquires(order));
    sn_atomic_record(a, kind);
}

/* 0: the load is to be done again. */
SN_ATOMIC int sn_atomic_leave(struct sn_atomic_scope *a, int stored, int fail_order)
{
    if (SN_UNLIKELY(!a->t))
        return 1;
    if (a->op == SN_EV_ATOMIC_LOAD && !sn_atomic_loaded(a))
        return 0;
    if (a->op == SN_EV_ATOMIC_STORE)
        sn_atomic_stored(a);
    if (a->op == SN_EV_ATOMIC_RMW)
        sn_atomic_changed(a, stored, stored ? a->order : fail_order & 7);
    sn_busy_leave(a->t);
    return 1;
}

#endif
