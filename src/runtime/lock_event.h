/*
 * lock_event.h: how the lock hooks tell the engine. An engine that has these functions inline in
 * its locking.h is told that way; for the others they are the events LOCK, UNLOCK, RDLOCK,
 * RDUNLOCK. SN_LOCKS_GATED is sn_engine_gates, known at compile time where there is a locking.h;
 * SN_READERS_COUNTED: the engine wants struct sn_sync.readers for rwlocks, which all readers write.
 *
 *     token = sn_engine_takes(t);                 // nothing is held yet
 *     … the real lock …
 *     sn_engine_took(t, s, how, token);           // after the held array has it
 *     token = sn_engine_gives(t, s, how);         // still held
 *     … the real unlock …
 *     sn_engine_gave(t, h, token);                // h, of the held array, is about to be removed
 */
#ifndef SN_RUNTIME_LOCK_EVENT_H
#define SN_RUNTIME_LOCK_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sync.h"
#include "core/thread.h"

/* How a lock is taken or given up. */
struct sn_taking {
    uint32_t where; /* context; of a taking only */
    uint8_t flags;  /* enum sn_event_flag */
    bool shared;
    uintptr_t cond; /* of a condition wait */
    uintptr_t pc;
};

#if __has_include("locking.h")
#include "locking.h"
#else
#include "runtime/emit.h"

#define SN_LOCKS_GATED sn_engine_gates
enum { SN_READERS_COUNTED = 1 };

static inline int sn_engine_takes(struct sn_thread *t)
{
    (void)t;
    return 0;
}

static inline void sn_lock_event(struct sn_thread *t, struct sn_sync *s, struct sn_taking how,
                                 enum sn_event_op op)
{
    struct sn_event ev = {.op = (uint8_t)op,
                          .flags = how.flags,
                          .addr = s->addr,
                          .value = how.cond,
                          .pc = how.pc,
                          .sync = s};
    sn_engine_event(t, &ev);
}

static inline void sn_engine_took(struct sn_thread *t, struct sn_sync *s, struct sn_taking how,
                                  int token)
{
    (void)token;
    sn_lock_event(t, s, how, how.shared ? SN_EV_RDLOCK : SN_EV_LOCK);
}

static inline int sn_engine_gives(struct sn_thread *t, struct sn_sync *s, struct sn_taking how)
{
    sn_lock_event(t, s, how, how.shared ? SN_EV_RDUNLOCK : SN_EV_UNLOCK);
    return 0;
}

static inline void sn_engine_gave(struct sn_thread *t, const struct sn_held *h, int token)
{
    (void)t, (void)h, (void)token;
}
#endif

#endif
