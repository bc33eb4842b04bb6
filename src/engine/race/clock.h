/*
 * clock.h: vector clocks and epochs of the race engine.
 *
 * An epoch is a 32-bit number, unique in the process: a stretch of one thread between two of its
 * releases (or lock acquisitions). Threads take epochs in batches of 1024, so that the owner of an
 * epoch is one table look-up and taking one is an addition. Epochs of one slot only grow, so a
 * clock entry is simply the last epoch of that slot that is known: "a happened before me" is `epoch
 * <= clock[slot of epoch]`, whatever the number of threads and however long the program runs.
 *
 * A slot is a place in the clocks. A new thread takes the slot of a finished one whose last epoch
 * its creator knows (joined, or otherwise ordered); so thousands of short threads share a few slots
 * and no order is invented.
 *
 * Clocks on objects: struct sn_race_sync in sn_sync.engine: inline for up to 27 slots, else an
 * array from the pool. Guarded by sn_sync_lock().
 */
#ifndef SN_RACE_CLOCK_H
#define SN_RACE_CLOCK_H

#include <stdint.h>

#include "core/sync.h"
#include "core/sys.h"
#include "core/thread.h"

enum {
    SN_BATCH_BITS = 10,
    SN_BATCHES = 1 << (32 - SN_BATCH_BITS),
    SN_MAX_SLOTS = 16384, /* threads alive or not yet known as finished: a clock is then 64 KiB */
    SN_INLINE_SLOTS = 27,
    SN_LOCK_LOG = 512, /* lock operations of a thread that a report can look back over */
};

struct sn_race_hot;
struct sn_set_cache;

enum sn_log_bit { SN_LOG_TAKEN = 1, SN_LOG_SHARED = 2 };

/* A lock operation, for "which locks were held then". */
struct sn_lock_op {
    struct sn_sync *lock;
    uint32_t id;
    uint32_t epoch; /* from this epoch on */
    uint32_t where;
    uint32_t how; /* bits of enum sn_log_bit */
};

/* An engine's part of struct sn_thread. */
struct sn_race_thread {
    uint32_t zero;  /* below the epoch: sn_race_me() takes both as one number */
    uint32_t epoch; /* current; also in the TLS word of access.h */
    uint32_t slot;
    uint32_t long_epoch; /* so many accesses make it long (readset.h) */
    uint64_t accesses, syncs; /* so far, for the counters; told when the thread ends */
    uint32_t in_epoch;  /* accesses recorded in it; not 0: the shadow holds an access of the current
                           epoch */
    uint32_t stamp;     /* changes whenever the clock learns something */
    uint32_t published; /* stamp at the last release; see sn_clock_release() */
    uint32_t *clock;    /* SN_MAX_SLOTS entries, mapped on demand */
    uint32_t *fence_release; /* what a relaxed store publishes after a release fence; null: none */
    uint32_t fence_release_n, fence_release_epoch;
    uint32_t *fence_acquire; /* what relaxed loads saw, for an acquire fence; null: nothing */
    uint32_t fence_acquire_n;
    uint32_t ignore_reads, ignore_writes; /* annotations */
    uint32_t ignore_sync;                 /* the same; never 0 while the thread has no epoch */
    struct sn_set_cache *sets;            /* readset.h */
    struct sn_lock_op *log;               /* SN_LOCK_LOG entries, a ring */
    uint32_t log_next;                    /* total number of entries ever */
    uint32_t *message;                    /* message.h */
    struct sn_race_hot *hot;              /* access.h; null: the thread has not begun */
};

static inline struct sn_race_thread *sn_race_of(struct sn_thread *t)
{
    return (struct sn_race_thread *)t->engine;
}

static inline int sn_clock_is_long(const struct sn_race_thread *r)
{
    return r->in_epoch >= r->long_epoch;
}

/* Both halves in one store, so that the processor can hand it on to sn_race_me(). */
static inline void sn_race_set_epoch(struct sn_race_thread *r, uint32_t epoch)
{
    uint64_t me = (uint64_t)epoch << 32;
    __builtin_memcpy(&r->zero, &me, sizeof me);
}

/* An access to no bytes at no place in the current epoch. */
static inline uint64_t sn_race_me(const struct sn_race_thread *r)
{
    uint64_t me;
    __builtin_memcpy(&me, &r->zero, sizeof me);
    return me;
}

/* The head and the first five slots share a cache line with the head of struct sn_sync. */
struct sn_race_sync {
    uint16_t n;          /* entries; 0: nothing was released here */
    uint16_t last_slot;  /* the clock is this slot's at last_epoch; SN_MAX_SLOTS: merged */
    uint32_t last_epoch; /* the entry of last_slot may be behind it */
    uint32_t generation; /* of the epochs, see sn_clock_generation */
    uint32_t stamp;      /* the releaser's, to see that it learned nothing since */
    uint32_t heads;      /* bit per slot (modulo 32): who has released here since the last reset */
    uint32_t near[SN_INLINE_SLOTS]; /* when n > SN_INLINE_SLOTS: see sn_clock_far() */
};

static inline struct sn_race_sync *sn_race_sync_of(struct sn_sync *s)
{
    return (struct sn_race_sync *)s->engine;
}

/* The array, of pool size, of a clock that does not fit. */
static inline uint32_t *sn_clock_far(const struct sn_race_sync *s)
{
    uint32_t *far;
    __builtin_memcpy(&far, s->near, sizeof far);
    return far;
}

extern uint16_t sn_batch_slot[SN_BATCHES];
extern uint32_t sn_batch_thread[SN_BATCHES];
extern uint32_t sn_clock_slots SN_HIDDEN; /* slots ever used; atomic */
extern uint32_t sn_clock_generation SN_HIDDEN;
extern struct sn_set_cache *sn_slot_sets[SN_MAX_SLOTS]; /* of the slot's thread; null: it is gone */

static inline int sn_clock_knows(const struct sn_race_thread *r, uint32_t epoch)
{
    return epoch <= r->clock[sn_batch_slot[epoch >> SN_BATCH_BITS]];
}

static inline uint32_t sn_epoch_thread(uint32_t epoch)
{
    return sn_batch_thread[epoch >> SN_BATCH_BITS];
}

/* Adds what the thread has counted to the run's counters. */
void sn_clock_tell_counts(struct sn_thread *t);
/* In the parent: the child knows what the parent knows; the parent moves on. 0: no memory. */
int sn_clock_thread_new(struct sn_thread *t, struct sn_thread *parent);
void sn_clock_thread_gone(struct sn_thread *t);
/* When epochs are numbered anew (epoch.h): the thread knows nothing but its own epoch; then it is
 * of another slot. */
void sn_clock_empty(struct sn_thread *t);
void sn_clock_move(struct sn_thread *t, uint32_t slot);
/* clock_path.h has sn_clock_advance(), sn_clock_acquire() and sn_clock_release(). */

/* sn_clock_acquire(), or sn_clock_see_relaxed(), without the guard: what the object carried at
 * `look` (sn_sync_look()). 0: it has changed since, or it is not that simple. */
int sn_clock_peek(struct sn_thread *t, struct sn_sync *s, uint32_t look, int acquire);
/* Add the thread's clock to what the object carries, and move on. */
void sn_clock_release_merge(struct sn_thread *t, struct sn_sync *s);
/* The object carries nothing from now on (a relaxed store). */
void sn_clock_forget(struct sn_sync *s);
/* Relaxed operations and fences. */
void sn_clock_fence(struct sn_thread *t, int acquire, int release);
void sn_clock_see_relaxed(struct sn_thread *t, struct sn_sync *s);
void sn_clock_publish_fence(struct sn_thread *t, struct sn_sync *s, int merge);
void sn_clock_join(struct sn_thread *t, struct sn_thread *finished);
void sn_clock_sync_drop(struct sn_sync *s);

/* The entries of an object's clock, at least n of them; null: no memory. */
uint32_t *sn_clock_room(struct sn_sync *s, uint32_t n);
/* Entry by entry the greater; 1 if that changed `to`. */
int sn_clock_max(uint32_t *to, const uint32_t *from, uint32_t n);

#endif
