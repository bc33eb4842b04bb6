/*
 * clock_path.h: what locks and atomics do to clocks most of the time, inline. clock.c has the rest.
 *
 * A release has two halves, so that a lock's holder does only the first before it gives the lock
 * up: the object gets what the others need, and then the thread moves on to another epoch. Nothing
 * of the program runs on the thread in between.
 */
#ifndef SN_RACE_CLOCK_PATH_H
#define SN_RACE_CLOCK_PATH_H

#include "access.h"
#include "clock.h"
#include "readset.h"

/* The last of its batch is used up. */
void sn_clock_take_batch(struct sn_thread *t);
/* sn_clock_acquire() of a clock that may have something new. */
void sn_clock_learn(struct sn_thread *t, struct sn_sync *s);
/* The object gets the thread's clock but for the thread's own entry. 0: no memory. */
int sn_clock_copy_to(struct sn_thread *t, struct sn_sync *s);

/* The current epoch has changed. */
static inline void sn_clock_set_epoch(struct sn_thread *t)
{
    struct sn_race_thread *r = sn_race_of(t);
    r->clock[r->slot] = r->epoch;
    r->accesses += r->in_epoch;
    r->in_epoch = 0;
    sn_set_forget(r->sets, &r->long_epoch);
    if (SN_LIKELY(sn_self == t))
        sn_race_hot.epoch = r->epoch;
}

static inline void sn_clock_next_epoch(struct sn_thread *t)
{
    struct sn_race_thread *r = sn_race_of(t);
    if (SN_UNLIKELY(((r->epoch + 1) & ((1u << SN_BATCH_BITS) - 1)) == 0))
        sn_clock_take_batch(t);
    else
        sn_race_set_epoch(r, r->epoch + 1);
    sn_clock_set_epoch(t);
}

/* Moves on to a fresh epoch if the current one is in the shadow. */
static inline void sn_clock_advance(struct sn_thread *t)
{
    if (sn_race_of(t)->in_epoch)
        sn_clock_next_epoch(t);
}

/* The object carries something. */
static inline int sn_clock_is_any(const struct sn_race_sync *s)
{
    return s->n && s->generation == sn_clock_generation;
}

/* The thread knows all of it. */
static inline int sn_clock_is_known(const struct sn_race_thread *r, const struct sn_race_sync *s)
{
    return s->last_slot < SN_MAX_SLOTS && r->clock[s->last_slot] >= s->last_epoch;
}

/* Acquire what the object carries. */
static inline void sn_clock_acquire(struct sn_thread *t, struct sn_sync *s)
{
    const struct sn_race_sync *c = sn_race_sync_of(s);
    if (sn_clock_is_any(c) && !sn_clock_is_known(sn_race_of(t), c))
        sn_clock_learn(t, s);
}

static inline uint32_t sn_clock_head_bit(const struct sn_race_thread *r)
{
    return 1u << (r->slot & 31);
}

/* Nothing was accessed and nothing learned since the last release. */
static inline int sn_clock_is_published(const struct sn_race_thread *r)
{
    return !r->in_epoch && r->stamp == r->published;
}

/* Replaces what the object carries by the thread's clock, first half. 1: the second is to follow.
 */
static inline int sn_clock_release_begin(struct sn_thread *t, struct sn_sync *sync, uint32_t heads)
{
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_race_sync *s = sn_race_sync_of(sync);
    /* Its own, and nothing was learned since: only the own entry is new. */
    int mine = s->last_slot == r->slot && s->stamp == r->stamp && s->n > r->slot &&
               s->generation == sn_clock_generation;
    if (!mine && !sn_clock_copy_to(t, sync))
        return 0;
    heads |= sn_clock_head_bit(r);
    if (s->heads != heads)
        s->heads = heads;
    if (sn_clock_is_published(r)) {
        s->last_epoch = r->epoch - 1;
        return 0;
    }
    s->last_epoch = r->epoch;
    return 1;
}

static inline void sn_clock_release_end(struct sn_thread *t)
{
    sn_race_of(t)->published = sn_race_of(t)->stamp;
    sn_clock_next_epoch(t);
}

/* Replace what the object carries by the thread's clock, and move on. */
static inline void sn_clock_release(struct sn_thread *t, struct sn_sync *s)
{
    if (sn_clock_release_begin(t, s, 0))
        sn_clock_release_end(t);
}

#endif
