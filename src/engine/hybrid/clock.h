/*
 * clock.h: the message clock: happens-before without lock edges. Messages are thread starts and joins,
 * condition variables, semaphores, barriers, once, annotations (RaceFuzzer, section 2.2: SND and RCV).
 * Locks make none, they are in the lock sets; nor do atomic operations: a seq_cst counter would order
 * nearly everything by chance, and it is chance that this detector looks behind.
 *
 * An epoch is a 32-bit number, unique in the process: what one thread does between two of its sends.
 * Threads take them in batches, so the owner of an epoch is one table look-up. Epochs of a slot (a
 * place in the clocks) only grow: "a is ordered before me" is `epoch <= clock[slot of epoch]`. A new
 * thread takes the slot of a finished one whose last epoch its creator knows.
 */
#ifndef SN_HYBRID_CLOCK_H
#define SN_HYBRID_CLOCK_H

#include <stdint.h>

#include "core/sync.h"
#include "core/thread.h"
#include "lockset.h"

enum {
    SN_BATCH_BITS = 10,
    SN_BATCHES = 1 << (32 - SN_BATCH_BITS),
    SN_MAX_SLOTS = 16384, /* threads alive or not yet known as finished: a clock is then 64 KiB */
    SN_INLINE_SLOTS = 28,
};

/* An access of the current span, for --filter span. */
struct sn_span_entry {
    uintptr_t addr, tagged_pc;
    uint32_t span, clears;
};
enum { SN_SPAN_ENTRIES = 4096 };

/* The engine's part of struct sn_thread. */
struct sn_hybrid_thread {
    uint32_t epoch; /* 0: not followed */
    uint32_t slot;
    uint32_t used;  /* an access of this epoch is in the shadow */
    uint32_t locks; /* lockset.h */
    uint64_t key;   /* epoch and locks as a history record has them: the concurrency context */
    uint64_t skipped, passed; /* accesses that the filter dropped, and the others; not yet counted */
    uint32_t ignore_reads, ignore_writes, ignore_sync; /* annotations */
    uint32_t span;   /* counts synchronisation operations */
    uint32_t dry;      /* accesses since the filter last found one in a whole history */
    uint32_t followed; /* from START to END: before, snag makes libc allocate */
    uint32_t *clock; /* SN_MAX_SLOTS entries, mapped on demand */
    struct sn_lockset_cache *cache;
    struct sn_span_entry *spans; /* SN_SPAN_ENTRIES */
};

static inline struct sn_hybrid_thread *sn_hybrid_of(struct sn_thread *t)
{
    return (struct sn_hybrid_thread *)t->engine;
}

extern uint16_t sn_batch_slot[SN_BATCHES];
extern uint32_t sn_batch_thread[SN_BATCHES];

static inline int sn_clock_knows(const struct sn_hybrid_thread *r, uint32_t epoch)
{
    return epoch <= r->clock[sn_batch_slot[epoch >> SN_BATCH_BITS]];
}

static inline uint32_t sn_epoch_thread(uint32_t epoch)
{
    return sn_batch_thread[epoch >> SN_BATCH_BITS];
}

/* In the parent: the child knows what the parent knows; the parent moves on. */
void sn_clock_thread_new(struct sn_thread *t, struct sn_thread *parent);
void sn_clock_thread_gone(struct sn_thread *t);
/* After epoch or locks have changed. */
void sn_clock_set_key(struct sn_thread *t);

/* Caller holds sn_sync_lock(). `replace`: what the object carried is forgotten. */
void sn_clock_send(struct sn_thread *t, struct sn_sync *s, int replace);
void sn_clock_receive(struct sn_thread *t, struct sn_sync *s);
void sn_clock_join(struct sn_thread *t, struct sn_thread *finished);
void sn_clock_sync_drop(struct sn_sync *s);

#endif
