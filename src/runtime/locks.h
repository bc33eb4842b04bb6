/*
 * locks.h: what mutexes, rwlocks, spin locks and condition variables share.
 *
 * struct sn_sync.owner and the thread's held array follow the real lock: owner is set after the
 * real lock was taken and cleared before it is given, so whoever reads 1 + n there knows that
 * thread n held it a moment ago, and thread n itself always knows exactly.
 */
#ifndef SN_RUNTIME_LOCKS_H
#define SN_RUNTIME_LOCKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/sync.h"
#include "core/thread.h"
#include "runtime/mutex_state.h"

/* struct sn_sync.flags */
enum sn_lock_flag {
    SN_LOCK_FOREIGN = 1, /* was given up by a thread that did not hold it */
    SN_COND_WOKEN = 2,   /* condition variable: signalled since the last wait began */
    SN_LOCK_READ = 4,    /* rwlock: was taken for reading, when readers are not counted */
};

/* How a taken lock is waited for before it is slept for. Who looks often takes the lock's cache line
 * from its holder, and when it gets the lock all that the lock protects; who stays away for a moment
 * lets the other do several rounds of its work. */
enum { SN_LOCK_TRIES = 2, SN_LOCK_TICKS = 4000 }; /* sn_cpu_wait(): one to two microseconds */

static inline bool sn_owns(const struct sn_thread *t, const struct sn_sync *s)
{
    return __atomic_load_n(&s->owner, __ATOMIC_RELAXED) == t->number + 1;
}

/* Somebody reads, perhaps. */
static inline bool sn_lock_may_be_read(const struct sn_sync *s)
{
    return __atomic_load_n(&s->readers, __ATOMIC_SEQ_CST) || (s->flags & SN_LOCK_READ);
}

/* Somebody reads, or is about to. Of an rwlock whose memory is there. */
static inline bool sn_lock_is_read(const struct sn_sync *s)
{
    return sn_lock_may_be_read(s) && sn_rwlock_readers((const pthread_rwlock_t *)s->addr);
}

/* The real exclusive lock is taken, first entry: owner, held array, LOCK. */
void sn_lock_took(struct sn_thread *t, struct sn_sync *s, uint8_t flags, uintptr_t pc);
/* About to be given, last entry: UNLOCK, held array, owner. */
void sn_lock_gives(struct sn_thread *t, struct sn_sync *s, struct sn_held *h, uint8_t flags,
                   uintptr_t pc);

/* Around a condition wait: gives returns whether the mutex was really let go (it is not when it was
 * entered more than once, nor when snag does not know it as held). */
bool sn_mutex_wait_gives(struct sn_thread *t, pthread_mutex_t *m, uintptr_t cond, uintptr_t pc);
void sn_mutex_wait_took(struct sn_thread *t, pthread_mutex_t *m, bool gave, uint8_t flags,
                        uintptr_t cond, uintptr_t pc);

/* errno values as C11's thread functions say them. */
int sn_c11_result(int error);

#endif
