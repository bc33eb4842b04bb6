/*
 * locking.h (race): locks are most of what comes by, so their hooks have the engine's part inline
 * (runtime/lock_event.h says what each function is for).
 *
 * As much as can be is done before the lock is taken or after it is given up, when nobody waits for
 * this thread. A lock's own clock needs no guard: who writes it holds the lock exclusively.
 */
#ifndef SN_ENGINE_LOCKING_H
#define SN_ENGINE_LOCKING_H

#include "clock_path.h"
#include "core/stop.h"
#include "epoch.h"
#include "order.h"
#include "runtime/lock_event.h"

/* A reader-writer lock: what readers have released, and a reader's release. */
void sn_race_acquire_readers(struct sn_thread *t, const struct sn_sync *lock);
void sn_race_release_reader(struct sn_thread *t, const struct sn_sync *lock);

enum { SN_LOCKS_GATED = 0, SN_READERS_COUNTED = 0 };
enum { SN_LOCK_FOLLOWED = 1, SN_LOCK_MOVES = 2 }; /* bits of a token */

static inline bool sn_race_follows_locks(const struct sn_thread *t)
{
    return SN_LIKELY(!(t->busy | sn_race_of((struct sn_thread *)t)->ignore_sync));
}

/* The thread is inside a hook, which keeps signals and whoever stops threads away; that the engine
 * is busy is for faults, whose handlers run at once. */
static inline void sn_race_lock_busy(struct sn_thread *t, uint32_t busy)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->busy = busy;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* An epoch has one set of locks. */
static inline int sn_engine_takes(struct sn_thread *t)
{
    if (!sn_race_follows_locks(t))
        return 0;
    if (SN_UNLIKELY(__atomic_load_n(&sn_renewal_due, __ATOMIC_RELAXED)))
        sn_epoch_renew(t);
    sn_clock_advance(t);
    return SN_LOCK_FOLLOWED;
}

static inline __attribute__((always_inline)) void
sn_engine_took(struct sn_thread *t, struct sn_sync *s, struct sn_taking how, int token)
{
    struct sn_race_thread *r = sn_race_of(t);
    if (!token)
        return;
    sn_race_lock_busy(t, 1);
    sn_clock_advance(t); /* a signal handler has run while it waited */
    sn_clock_acquire(t, s);
    if (!how.shared && SN_UNLIKELY(sn_sync_is_rw(s)))
        sn_race_acquire_readers(t, s);
    sn_order_log(r, s, s->id, how.where, true, how.shared);
    if (t->nheld > 1)
        sn_order_edges(t, s, how.where, how.flags, how.shared);
    r->syncs++;
    sn_race_lock_busy(t, 0);
}

static inline int sn_engine_gives(struct sn_thread *t, struct sn_sync *s, struct sn_taking how)
{
    int token = SN_LOCK_FOLLOWED;
    if (!sn_race_follows_locks(t))
        return 0;
    sn_race_lock_busy(t, 1);
    if (how.shared)
        sn_race_release_reader(t, s);
    else if (sn_clock_release_begin(t, s, 0))
        token |= SN_LOCK_MOVES;
    sn_race_lock_busy(t, 0);
    return token;
}

static inline void sn_engine_gave(struct sn_thread *t, const struct sn_held *h, int token)
{
    struct sn_race_thread *r = sn_race_of(t);
    if (!token)
        return;
    sn_race_lock_busy(t, 1);
    if (token & SN_LOCK_MOVES)
        sn_clock_release_end(t);
    else
        sn_clock_advance(t);
    sn_order_log(r, h->lock, h->id, 0, false, h->shared);
    r->syncs++;
    sn_race_lock_busy(t, 0);
}

#endif
