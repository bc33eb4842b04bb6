/* clock.c: epochs, slots, sends and receives. */
#include "clock.h"

#include "access.h"
#include "core/count.h"
#include "core/options.h"
#include "core/slab.h"
#include "core/spin.h"
#include "core/sys.h"
#include "hybrid.h"

uint16_t sn_batch_slot[SN_BATCHES];
uint32_t sn_batch_thread[SN_BATCHES];

static uint32_t next_batch = 1; /* epoch 0 is "never" */
static uint32_t nslots;         /* slots ever used; atomic */

/* Slots of finished threads, with their last epoch. */
static struct {
    uint32_t lock;
    uint32_t n;
    struct {
        uint32_t slot, final;
    } free[SN_MAX_SLOTS];
} slots;

struct carried { /* by an object; in sn_sync.engine */
    uint32_t n;  /* entries */
    uint32_t pad;
    uint32_t *far; /* when n > SN_INLINE_SLOTS */
    uint32_t near[SN_INLINE_SLOTS];
};

_Static_assert(sizeof(struct sn_hybrid_thread) <= SN_THREAD_ENGINE_WORDS * 8ul, "fits sn_thread");
_Static_assert(sizeof(struct carried) <= SN_SYNC_ENGINE_WORDS * 8ul, "fits sn_sync");

void sn_clock_set_key(struct sn_thread *t)
{
    struct sn_hybrid_thread *r = sn_hybrid_of(t);
    r->key = sn_record_key(r->epoch, r->locks);
    if (sn_self == t)
        sn_hybrid_key = sn_opt.filter == SN_FILTER_TREE ? r->key : SN_KEY_NONE;
}

static void take_batch(struct sn_thread *t)
{
    struct sn_hybrid_thread *r = sn_hybrid_of(t);
    uint32_t b = __atomic_fetch_add(&next_batch, 1, __ATOMIC_RELAXED);
    if (b >= SN_BATCHES - 1) { /* some four thousand million sends: stay in the last epoch */
        __atomic_store_n(&next_batch, SN_BATCHES - 1, __ATOMIC_RELAXED);
        sn_count(LOST_EPOCH);
        return;
    }
    sn_batch_slot[b] = (uint16_t)r->slot;
    sn_batch_thread[b] = t->number;
    r->epoch = b << SN_BATCH_BITS;
}

static void next_epoch(struct sn_thread *t)
{
    struct sn_hybrid_thread *r = sn_hybrid_of(t);
    if (SN_UNLIKELY(((r->epoch + 1) & ((1u << SN_BATCH_BITS) - 1)) == 0))
        take_batch(t);
    else
        r->epoch++;
    r->clock[r->slot] = r->epoch;
    r->used = 0;
    sn_clock_set_key(t);
}

/* The last epoch that a receiver will know; what the thread does from now on is in a later one. */
static uint32_t publish(struct sn_thread *t)
{
    struct sn_hybrid_thread *r = sn_hybrid_of(t);
    if (!r->used)
        return r->epoch - 1;
    uint32_t e = r->epoch;
    next_epoch(t);
    return e;
}

static uint32_t take_slot(const struct sn_hybrid_thread *parent)
{
    uint32_t slot = SN_MAX_SLOTS;
    sn_spin_lock(&slots.lock);
    for (uint32_t i = slots.n, tries = 0; i-- > 0 && tries < 64; tries++) {
        if (parent && parent->clock[slots.free[i].slot] >= slots.free[i].final) {
            slot = slots.free[i].slot;
            slots.free[i] = slots.free[--slots.n];
            break;
        }
    }
    if (slot == SN_MAX_SLOTS && nslots < SN_MAX_SLOTS) {
        slot = nslots;
        __atomic_store_n(&nslots, slot + 1, __ATOMIC_RELEASE);
    } else if (slot == SN_MAX_SLOTS && slots.n) {
        slot = slots.free[--slots.n].slot; /* orders two threads that were not: counted */
        sn_count(LOST_SLOT);
    }
    sn_spin_unlock(&slots.lock);
    return slot;
}

static int first_areas(struct sn_hybrid_thread *r)
{
    size_t clock = SN_MAX_SLOTS * sizeof *r->clock;
    char *p = sn_map(clock + sizeof *r->cache + SN_SPAN_ENTRIES * sizeof *r->spans);
    if (!p)
        return 0;
    r->clock = (void *)p;
    r->cache = (void *)(p + clock);
    r->spans = (void *)(r->cache + 1);
    return 1;
}

void sn_clock_thread_new(struct sn_thread *t, struct sn_thread *parent)
{
    struct sn_hybrid_thread *r = sn_hybrid_of(t), *p = parent ? sn_hybrid_of(parent) : 0;
    *r = (struct sn_hybrid_thread){
        .clock = r->clock, .cache = r->cache, .spans = r->spans, .span = r->span + 1};
    if (!r->clock && !first_areas(r))
        return;
    if (p && !p->epoch)
        p = 0;
    r->slot = take_slot(p);
    if (r->slot == SN_MAX_SLOTS)
        return;
    if (p) {
        __builtin_memcpy(r->clock, p->clock, nslots * sizeof *r->clock);
        r->clock[p->slot] = publish(parent);
    } else {
        __builtin_memset(r->clock, 0, nslots * sizeof *r->clock);
    }
    take_batch(t);
    r->clock[r->slot] = r->epoch;
    sn_clock_set_key(t);
}

void sn_clock_thread_gone(struct sn_thread *t)
{
    struct sn_hybrid_thread *r = sn_hybrid_of(t);
    if (!r->clock || !r->epoch)
        return;
    sn_spin_lock(&slots.lock);
    slots.free[slots.n].slot = r->slot;
    slots.free[slots.n++].final = r->epoch;
    sn_spin_unlock(&slots.lock);
    r->epoch = 0;
}

static uint32_t *entries(struct carried *c)
{
    return c->n > SN_INLINE_SLOTS ? c->far : c->near;
}

static void give_up(struct carried *c)
{
    if (c->n > SN_INLINE_SLOTS)
        sn_pool_free(c->far, c->n * sizeof *c->far);
    c->n = 0;
}

/* Room for n entries, contents kept or zero; null: no memory. */
static uint32_t *room(struct carried *c, uint32_t n)
{
    uint32_t *old = entries(c), had = c->n;
    if (n <= had)
        return old;
    uint32_t *to = n <= SN_INLINE_SLOTS ? c->near : sn_pool_alloc(n * sizeof *to);
    if (!to) {
        sn_count(LOST_LOCK);
        return 0;
    }
    if (to != old)
        __builtin_memcpy(to, old, had * sizeof *to);
    __builtin_memset(to + had, 0, (n - had) * sizeof *to);
    if (n > SN_INLINE_SLOTS) {
        give_up(c);
        c->far = to;
    }
    c->n = n;
    return to;
}

static void raise(uint32_t *restrict to, const uint32_t *restrict from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = to[i] < from[i] ? from[i] : to[i];
}

void sn_clock_send(struct sn_thread *t, struct sn_sync *s, int replace)
{
    struct sn_hybrid_thread *r = sn_hybrid_of(t);
    struct carried *c = (struct carried *)s->engine;
    uint32_t n = __atomic_load_n(&nslots, __ATOMIC_ACQUIRE), *to = room(c, n);
    if (!to)
        return;
    uint32_t before = replace ? 0 : to[r->slot], e = publish(t);
    if (replace)
        __builtin_memset(to, 0, c->n * sizeof *to);
    raise(to, r->clock, n);
    to[r->slot] = before > e ? before : e; /* not the epoch that begins now */
}

void sn_clock_receive(struct sn_thread *t, struct sn_sync *s)
{
    struct carried *c = (struct carried *)s->engine;
    if (c->n)
        raise(sn_hybrid_of(t)->clock, entries(c), c->n);
}

void sn_clock_join(struct sn_thread *t, struct sn_thread *finished)
{
    struct sn_hybrid_thread *r = sn_hybrid_of(t), *f = sn_hybrid_of(finished);
    if (f->clock)
        raise(r->clock, f->clock, __atomic_load_n(&nslots, __ATOMIC_ACQUIRE));
}

void sn_clock_sync_drop(struct sn_sync *s)
{
    give_up((struct carried *)s->engine);
}
