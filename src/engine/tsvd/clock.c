/*
 * clock.c: vector clocks (section 3.5): immutable AVL trees from thread number to time
 * (core/clock_tree.h), passed by reference. A thread's time advances at points only, so that
 * synchronisation without a point in between hands on the very same tree, and joining two equal
 * references costs nothing.
 *
 * Mode hb follows all synchronisation. Mode tsvd infers, as the paper says, since a lock between
 * two calls is there by chance as often as not. But the start and the end of a thread, once,
 * barriers and who wakes a condition's waiter are made to order: these it follows too, and saves
 * the delays that would tell the same.
 */
#include "tsvd.h"

#include "core/clock_tree.h"
#include "core/sync_cache.h"

static uint32_t times; /* that a time was put into a clock; atomic */

/* What the thread hands on: its clock with its own time. */
static uint32_t own(struct sn_thread *t)
{
    struct sn_tsvd_thread *s = sn_tsvd_of(t);
    if (s->tick && sn_clock_tree_get(s->clock, t->number) < s->tick) {
        s->clock = sn_clock_tree_put(s->clock, t->number, s->tick);
        __atomic_fetch_add(&times, 1, __ATOMIC_RELAXED);
    }
    return s->clock;
}

static void acquire(struct sn_thread *t, uintptr_t addr)
{
    struct sn_sync *x = sn_sync_known(t, addr);
    if (!x)
        return;
    uint32_t c = (uint32_t)__atomic_load_n(&x->engine[0], __ATOMIC_ACQUIRE);
    sn_tsvd_of(t)->clock = sn_clock_tree_join(sn_tsvd_of(t)->clock, c);
}

static void release(struct sn_thread *t, uintptr_t addr, bool merge)
{
    struct sn_sync *x = sn_sync_get(addr, SN_SYNC_ANY);
    if (!x)
        return;
    uint32_t c = own(t);
    sn_sync_lock(x);
    if (merge)
        c = sn_clock_tree_join(c, (uint32_t)x->engine[0]);
    __atomic_store_n(&x->engine[0], c, __ATOMIC_RELEASE); /* pairs with acquire() */
    sn_sync_unlock(x);
}

static void dropped(struct sn_sync *x)
{
    x->engine[0] = 0;
}

void sn_tsvd_clock_new(struct sn_thread *t, struct sn_thread *parent)
{
    sn_sync_on_drop = dropped;
    if (parent)
        sn_tsvd_of(t)->clock = own(parent);
}

static void joined(struct sn_thread *t, uint32_t number)
{
    struct sn_thread *other = sn_thread_by_number(number);
    if (other)
        sn_tsvd_of(t)->clock = sn_clock_tree_join(sn_tsvd_of(t)->clock, own(other));
}

static bool is_made_to_order(enum sn_event_op op)
{
    switch (op) {
    case SN_EV_COND_SIGNAL:
    case SN_EV_COND_BROADCAST:
    case SN_EV_COND_WAKE:
    case SN_EV_ONCE_DONE:
    case SN_EV_ONCE_SEEN:
    case SN_EV_BARRIER_ENTER:
    case SN_EV_BARRIER_LEAVE:
    case SN_EV_JOIN:
    case SN_EV_END:
        return true;
    default:
        return false;
    }
}

/* Trees are not given back: in mode tsvd, which is for long runs, there is an end to it. */
static bool follows(enum sn_event_op op)
{
    enum { ENOUGH = 1 << 18 };
    if (sn_tsvd.mode == SN_TSVD_HB)
        return true;
    return is_made_to_order(op) && __atomic_load_n(&times, __ATOMIC_RELAXED) < ENOUGH;
}

/* Read locks order like write locks here, which can only hide candidates of this mode. */
void sn_tsvd_clock_event(struct sn_thread *t, const struct sn_event *ev)
{
    if (!follows((enum sn_event_op)ev->op))
        return;
    switch ((enum sn_event_op)ev->op) {
    case SN_EV_LOCK:
    case SN_EV_RDLOCK:
    case SN_EV_COND_WAKE:
    case SN_EV_SEM_WAIT:
    case SN_EV_ONCE_SEEN:
    case SN_EV_ACQUIRE:
        acquire(t, ev->addr);
        break;
    case SN_EV_UNLOCK:
    case SN_EV_RELEASE:
    case SN_EV_ONCE_DONE:
        release(t, ev->addr, false);
        break;
    case SN_EV_RDUNLOCK:
    case SN_EV_COND_SIGNAL:
    case SN_EV_COND_BROADCAST:
    case SN_EV_SEM_POST:
    case SN_EV_RELEASE_MERGE:
        release(t, ev->addr, true);
        break;
    case SN_EV_BARRIER_ENTER:
        release(t, sn_event_round(ev), true);
        break;
    case SN_EV_BARRIER_LEAVE:
        acquire(t, sn_event_round(ev));
        break;
    case SN_EV_JOIN:
        joined(t, (uint32_t)ev->value);
        break;
    case SN_EV_END:
        own(t);
        break;
    default:
        break;
    }
}

bool sn_tsvd_clock_before(struct sn_thread *t, uint32_t thread, uint32_t tick)
{
    return sn_clock_tree_get(sn_tsvd_of(t)->clock, thread) >= tick;
}
