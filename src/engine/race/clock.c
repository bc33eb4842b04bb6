/*
 * clock.c: epochs, slots, releases and acquires.
 *
 * Invariant that the short cuts rest on: when epoch e of a slot was published with clock C, knowing
 * (slot, e) means knowing C. So a release publishes the current epoch and moves on, unless nothing
 * was accessed and nothing was learned since the last release: then it publishes that one again.
 */
#include "clock.h"

#include "clock_path.h"
#include "core/count.h"
#include "core/slab.h"
#include "core/sys.h"
#include "epoch.h"
#include "private.h"
#include "readset.h"

uint32_t sn_clock_generation;
struct sn_set_cache *sn_slot_sets[SN_MAX_SLOTS];

/* Last stamp of each slot's last thread. An object remembers its releaser by slot and stamp, so the
 * next thread of the slot must not count through the same ones. */
static uint32_t slot_stamp[SN_MAX_SLOTS];

_Static_assert(sizeof(struct sn_race_thread) <= SN_THREAD_ENGINE_WORDS * 8ul, "fits sn_thread");
_Static_assert(sizeof(struct sn_race_sync) <= SN_SYNC_ENGINE_WORDS * 8ul, "fits sn_sync");

/* None left: it stays in its epoch. Accesses after a release then look as if they were before. */
SN_NOINLINE void sn_clock_take_batch(struct sn_thread *t)
{
    uint32_t first = sn_epoch_take(t);
    if (first)
        sn_race_set_epoch(sn_race_of(t), first);
}

void sn_clock_tell_counts(struct sn_thread *t)
{
    struct sn_race_thread *r = sn_race_of(t);
    sn_count_add(SN_C_EVENTS, r->accesses + r->in_epoch);
    sn_count_add(SN_C_SYNC, r->syncs);
    r->accesses = r->syncs = r->in_epoch = 0;
}

/* The epoch under which the clock as it is now is published; afterwards the thread has another. */
static uint32_t publish(struct sn_thread *t)
{
    struct sn_race_thread *r = sn_race_of(t);
    if (sn_clock_is_published(r))
        return r->epoch - 1;
    uint32_t e = r->epoch;
    sn_clock_release_end(t);
    return e;
}

int sn_clock_thread_new(struct sn_thread *t, struct sn_thread *parent)
{
    struct sn_race_thread *r = sn_race_of(t), *p = parent ? sn_race_of(parent) : 0;
    struct sn_race_thread old = *r;
    *r = (struct sn_race_thread){.ignore_sync = 1,
                                 .clock = old.clock,
                                 .long_epoch = SN_LONG_EPOCH,
                                 .log = old.log,
                                 .sets = old.sets,
                                 .message = old.message,
                                 .fence_release = old.fence_release,
                                 .fence_acquire = old.fence_acquire};
    if (!r->clock) {
        size_t clock = SN_MAX_SLOTS * sizeof *r->clock, log = SN_LOCK_LOG * sizeof *r->log;
        char *p4 = sn_map(4 * clock + log + sizeof *r->sets);
        if (!p4)
            return 0;
        r->clock = (void *)p4;
        r->message = (void *)(p4 + clock);
        r->fence_release = (void *)(p4 + 2 * clock);
        r->fence_acquire = (void *)(p4 + 3 * clock);
        r->log = (void *)(p4 + 4 * clock);
        r->sets = (void *)(p4 + 4 * clock + log);
    }
    r->slot = sn_slot_take(p);
    if (r->slot == SN_MAX_SLOTS)
        return 0;
    uint32_t n = sn_clock_slots;
    if (p) {
        __builtin_memcpy(r->clock, p->clock, n * sizeof *r->clock);
        r->clock[p->slot] = publish(parent); /* what the parent does from now on is its own */
    } else {
        __builtin_memset(r->clock, 0, n * sizeof *r->clock);
    }
    __builtin_memset(r->sets->known, 0, sizeof r->sets->known);
    r->sets->kept_known = r->sets->wrote_known = r->sets->wrote_at = 0;
    r->sets->wrote_epoch = 0;
    r->stamp = slot_stamp[r->slot] + 1;
    sn_slot_sets[r->slot] = r->sets;
    sn_clock_take_batch(t);
    sn_clock_set_epoch(t);
    r->ignore_sync = 0;
    return 1;
}

void sn_clock_thread_gone(struct sn_thread *t)
{
    struct sn_race_thread *r = sn_race_of(t);
    if (!r->clock || !r->epoch)
        return;
    sn_slots_lock();
    sn_private_thread_gone(r);
    sn_slot_sets[r->slot] = 0;
    slot_stamp[r->slot] = r->stamp;
    sn_slot_give(r->slot, r->epoch);
    r->epoch = 0;
    r->ignore_sync = 1;
    sn_slots_unlock();
}

void sn_clock_empty(struct sn_thread *t)
{
    struct sn_race_thread *r = sn_race_of(t);
    if (!r->clock)
        return;
    size_t bytes = sn_clock_slots * sizeof *r->clock;
    __builtin_memset(r->clock, 0, bytes);
    __builtin_memset(r->fence_release, 0, bytes);
    __builtin_memset(r->fence_acquire, 0, bytes);
    __builtin_memset(r->sets, 0, sizeof *r->sets);
    r->fence_release_n = r->fence_acquire_n = r->fence_release_epoch = 0;
    r->log_next = 0;
    if (r->epoch)
        r->clock[r->slot] = r->epoch;
}

void sn_clock_move(struct sn_thread *t, uint32_t slot)
{
    struct sn_race_thread *r = sn_race_of(t);
    if (slot_stamp[r->slot] < r->stamp)
        slot_stamp[r->slot] = r->stamp;
    sn_slot_sets[r->slot] = 0;
    sn_slot_sets[slot] = r->sets;
    r->slot = slot;
    if (r->stamp < slot_stamp[slot])
        r->stamp = slot_stamp[slot];
    r->published = r->stamp++; /* the next release has all to tell */
    sn_clock_take_batch(t);
    r->accesses += r->in_epoch;
    r->in_epoch = 0;
    r->clock[slot] = r->epoch;
    if (r->hot)
        __atomic_store_n(&r->hot->epoch, r->epoch, __ATOMIC_RELAXED);
}

static uint32_t *entries(struct sn_race_sync *s)
{
    return s->n > SN_INLINE_SLOTS ? sn_clock_far(s) : s->near;
}

/* A thread that releases again and again, and has learned nothing in between, changes last_epoch
 * only: nobody else's cache line. Before the entries are used, that goes to its place. */
static void settle(struct sn_race_sync *s)
{
    uint32_t *to = entries(s);
    if (s->last_slot < s->n && to[s->last_slot] < s->last_epoch)
        to[s->last_slot] = s->last_epoch;
}

static void give_far(struct sn_race_sync *s)
{
    if (s->n > SN_INLINE_SLOTS)
        sn_pool_free(sn_clock_far(s), s->n * sizeof *s->near);
    s->n = 0;
}

/* Room for n entries, contents kept or zero; null: no memory. */
static uint32_t *room(struct sn_race_sync *s, uint32_t n)
{
    uint32_t *old = entries(s), had = s->n;
    if (n <= had)
        return old;
    if (n <= SN_INLINE_SLOTS) {
        __builtin_memset(s->near + had, 0, (n - had) * sizeof *old);
        s->n = (uint16_t)n;
        return s->near;
    }
    uint32_t *far = sn_pool_alloc(n * sizeof *far);
    if (!far) {
        sn_count(LOST_LOCK);
        return 0;
    }
    __builtin_memset(far, 0, n * sizeof *far);
    __builtin_memcpy(far, old, had * sizeof *far);
    give_far(s);
    __builtin_memcpy(s->near, &far, sizeof far);
    s->n = (uint16_t)n;
    return far;
}

static void copy(uint32_t *restrict to, const uint32_t *restrict from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = from[i];
}

static int join(uint32_t *restrict to, const uint32_t *restrict from, uint32_t n)
{
    uint32_t changed = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = to[i], b = from[i];
        changed |= a < b;
        to[i] = a < b ? b : a;
    }
    return changed != 0;
}

/* For an acquire fence. */
static void see(struct sn_race_thread *r, const uint32_t *what, uint32_t n)
{
    join(r->fence_acquire, what, n);
    if (r->fence_acquire_n < n)
        r->fence_acquire_n = n;
}

static int fresh(struct sn_race_sync *s)
{
    if (s->generation == sn_clock_generation)
        return s->n != 0;
    give_far(s);
    s->generation = sn_clock_generation;
    return 0;
}

SN_NOINLINE void sn_clock_learn(struct sn_thread *t, struct sn_sync *sync)
{
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_race_sync *s = sn_race_sync_of(sync);
    settle(s);
    if (join(r->clock, entries(s), s->n))
        r->stamp++;
}

int sn_clock_peek(struct sn_thread *t, struct sn_sync *sync, uint32_t look, int acquire)
{
    struct sn_race_thread *r = sn_race_of(t);
    const struct sn_race_sync *s = sn_race_sync_of(sync);
    uint32_t n = s->n, slot = s->last_slot, epoch = s->last_epoch, seen[SN_INLINE_SLOTS];
    int nothing = !sn_clock_is_any(s) || (slot < SN_MAX_SLOTS && r->clock[slot] >= epoch);
    if (!nothing) {
        if (n > SN_INLINE_SLOTS)
            return 0;
        copy(seen, s->near, n);
    }
    if (!sn_sync_unchanged(sync, look))
        return 0;
    if (nothing)
        return 1;
    if (slot < n && seen[slot] < epoch)
        seen[slot] = epoch;
    if (acquire)
        r->stamp += (uint32_t)join(r->clock, seen, n);
    else
        see(r, seen, n);
    return 1;
}

SN_NOINLINE int sn_clock_copy_to(struct sn_thread *t, struct sn_sync *sync)
{
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_race_sync *s = sn_race_sync_of(sync);
    fresh(s);
    uint32_t n = sn_clock_slots, *to = room(s, n);
    if (!to)
        return 0;
    copy(to, r->clock, n);
    to[r->slot] = 0; /* last_epoch has it */
    s->stamp = r->stamp;
    s->last_slot = (uint16_t)r->slot;
    return 1;
}

void sn_clock_release_merge(struct sn_thread *t, struct sn_sync *sync)
{
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_race_sync *s = sn_race_sync_of(sync);
    if (!fresh(s) || sn_clock_is_known(r, s)) { /* the thread knows all that is there */
        if (sn_clock_release_begin(t, sync, s->n ? s->heads : 0))
            sn_clock_release_end(t);
        return;
    }
    uint32_t n = sn_clock_slots, *to = room(s, n);
    if (!to)
        return;
    settle(s);
    uint32_t own = to[r->slot], e = publish(t);
    join(to, r->clock, n);
    to[r->slot] = own > e ? own : e;
    s->last_slot = SN_MAX_SLOTS;
    s->heads |= sn_clock_head_bit(r);
}

void sn_clock_forget(struct sn_sync *sync)
{
    give_far(sn_race_sync_of(sync));
}

void sn_clock_fence(struct sn_thread *t, int acquire, int release)
{
    struct sn_race_thread *r = sn_race_of(t);
    if (acquire && r->fence_acquire_n) {
        if (join(r->clock, r->fence_acquire, r->fence_acquire_n))
            r->stamp++;
        __builtin_memset(r->fence_acquire, 0, r->fence_acquire_n * sizeof *r->fence_acquire);
        r->fence_acquire_n = 0;
    }
    if (release) {
        r->fence_release_n = sn_clock_slots;
        copy(r->fence_release, r->clock, r->fence_release_n);
        r->fence_release_epoch = publish(t);
        r->fence_release[r->slot] = r->fence_release_epoch;
    }
}

void sn_clock_see_relaxed(struct sn_thread *t, struct sn_sync *sync)
{
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_race_sync *s = sn_race_sync_of(sync);
    if (!fresh(s) || sn_clock_is_known(r, s))
        return;
    settle(s);
    see(r, entries(s), s->n);
}

/* A relaxed store or RMW after a release fence publishes what the fence did. */
void sn_clock_publish_fence(struct sn_thread *t, struct sn_sync *sync, int merge)
{
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_race_sync *s = sn_race_sync_of(sync);
    uint32_t n = r->fence_release_n;
    /* C17: a thread's own stores go on with the release sequence that it has headed. Others' heads
     * stay as well, which can only hide an edge that C20 no longer promises. */
    merge = fresh(s) && (merge || (s->heads & sn_clock_head_bit(r)));
    if (!n) {
        if (!merge)
            give_far(s);
        return;
    }
    uint32_t *to = room(s, n);
    if (!to)
        return;
    if (merge) {
        settle(s);
        join(to, r->fence_release, n);
        s->last_slot = SN_MAX_SLOTS;
        s->heads |= sn_clock_head_bit(r);
        return;
    }
    __builtin_memset(to, 0, s->n * sizeof *to);
    copy(to, r->fence_release, n);
    s->last_slot = (uint16_t)r->slot;
    s->heads = sn_clock_head_bit(r);
    s->last_epoch = r->fence_release_epoch;
    s->stamp = r->stamp - 1; /* not the thread's clock as it is now */
}

void sn_clock_join(struct sn_thread *t, struct sn_thread *finished)
{
    struct sn_race_thread *r = sn_race_of(t), *f = sn_race_of(finished);
    if (f->clock && join(r->clock, f->clock, sn_clock_slots))
        r->stamp++;
}

void sn_clock_sync_drop(struct sn_sync *s)
{
    give_far(sn_race_sync_of(s));
}

uint32_t *sn_clock_room(struct sn_sync *s, uint32_t n)
{
    return room(sn_race_sync_of(s), n);
}

int sn_clock_max(uint32_t *to, const uint32_t *from, uint32_t n)
{
    return join(to, from, n);
}
