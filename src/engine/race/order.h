/* order.h: the lock operations of a thread, kept for reports and for lock order (order.c). */
#ifndef SN_RACE_ORDER_H
#define SN_RACE_ORDER_H

#include "clock.h"

/* The thread takes `to` while it holds others. */
void sn_order_edges(struct sn_thread *t, struct sn_sync *to, uint32_t where, unsigned flags,
                    bool shared);

static inline void sn_order_log(struct sn_race_thread *r, struct sn_sync *lock, uint32_t id,
                                uint32_t where, bool taken, bool shared)
{
    struct sn_lock_op *op = &r->log[r->log_next++ % SN_LOCK_LOG];
    op->lock = lock;
    op->id = id;
    op->epoch = r->epoch;
    op->where = where;
    op->how = (taken ? SN_LOG_TAKEN : 0) | (shared ? SN_LOG_SHARED : 0);
}

#endif
