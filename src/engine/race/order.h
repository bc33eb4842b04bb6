/* order.h: the lock operations of a thread, kept for reports and for lock order (order.c). */
#ifndef SN_RACE_ORDER_H
#define SN_RACE_ORDER_H

#include "clock.h"
#include "core/ctx_cache.h"
#include "core/event.h"
#include "core/runfile.h"

/* The thread takes `to` while it holds others. */
void sn_order_edges(struct sn_thread *t, struct sn_sync *to, uint32_t where, unsigned flags,
                    bool shared);

static inline void sn_order_log(struct sn_thread *t, struct sn_sync *lock, uint32_t where,
                                bool taken, bool shared)
{
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_lock_op *op = &r->log[r->log_next++ % SN_LOCK_LOG];
    op->lock = lock;
    op->id = lock->id;
    op->epoch = r->epoch;
    op->where = where;
    op->taken = taken;
    op->shared = shared;
}

static inline void sn_order_taken(struct sn_thread *t, struct sn_sync *lock,
                                  const struct sn_event *ev)
{
    const struct sn_held *h = t->nheld ? &t->held[t->nheld - 1] : 0;
    bool pushed = h && h->lock == lock;
    uint32_t where = pushed ? h->where : sn_ctx_site(t, ev->pc | SN_CTX_TAG(SN_OP_LOCK, 0));
    sn_order_log(t, lock, where, true, ev->op == SN_EV_RDLOCK);
    if (t->nheld > (uint32_t)pushed)
        sn_order_edges(t, lock, where, ev->flags, ev->op == SN_EV_RDLOCK);
}

static inline void sn_order_given(struct sn_thread *t, struct sn_sync *lock,
                                  const struct sn_event *ev)
{
    sn_order_log(t, lock, 0, false, ev->op == SN_EV_RDUNLOCK);
}

#endif
