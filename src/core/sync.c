/*
 * sync.c: the table of synchronisation objects. Buckets follow the address line by line (64 bytes),
 * four to a line, so that giving back a range of memory walks neighbouring buckets and nothing
 * else.
 */
#include "core/sync.h"

#include "core/count.h"
#include "core/slab.h"
#include "core/spin.h"
#include "core/sync_cache.h"
#include "core/sys.h"

enum {
    HASH_BITS = 20,
    PARTS = 4,
    LINE_BITS = 6,
    PART_BITS = 4,
    PAGE_BITS = 12,
    PAGE_HASH_BITS = 20
};
enum { BUCKETS = PARTS << HASH_BITS };

enum { CHUNK_BITS = 10 };
/* 16 M objects: a program with more mutexes and atomics than that has other worries. */
SN_SLAB(records, struct sn_sync, CHUNK_BITS, 1u << 24);
static uint32_t buckets[BUCKETS] __attribute__((aligned(64))) SN_LARGE;
/* One bit per 4 KiB of addresses (folded): set once an object was there, so that giving back large
 * blocks looks at few words instead of at every line. */
static uint32_t pages[1u << (PAGE_HASH_BITS - 5)] SN_LARGE;
static uint32_t locks[256] SN_HOT; /* one guards every 256th bucket */
static uint32_t next_id SN_HOT;
uint32_t sn_sync_births SN_HOT;
void (*sn_sync_on_drop)(struct sn_sync *s);

static uint32_t bucket_of(uintptr_t addr)
{
    uintptr_t line = addr >> LINE_BITS;
    uint32_t h = (uint32_t)(line ^ (line >> HASH_BITS) * 0x9e3779b1u) & ((1u << HASH_BITS) - 1);
    return h * PARTS + (addr >> PART_BITS & (PARTS - 1));
}

static uint32_t page_of(uintptr_t addr)
{
    return (uint32_t)((addr >> PAGE_BITS) * 0x9e3779b97f4a7c15ull >> (64 - PAGE_HASH_BITS));
}

static int page_has_objects(uintptr_t addr)
{
    uint32_t p = page_of(addr);
    return __atomic_load_n(&pages[p >> 5], __ATOMIC_RELAXED) >> (p & 31) & 1;
}

static struct sn_sync *at(uint32_t h)
{
    return (struct sn_sync *)records_chunks[h >> CHUNK_BITS] + (h & ((1u << CHUNK_BITS) - 1));
}

static SN_NOINLINE struct sn_sync *walk(uint32_t h, uintptr_t addr)
{
    /* A record that is recycled under us leads into another chain; the walk then ends without a
     * find, and the caller looks again under the lock. The bound keeps it from going in circles. */
    for (int i = 0; h && i < 1000; i++) {
        struct sn_sync *s = at(h);
        if (__atomic_load_n(&s->addr, __ATOMIC_ACQUIRE) == addr)
            return s;
        h = __atomic_load_n(&s->next, __ATOMIC_RELAXED);
    }
    return 0;
}

struct sn_sync *sn_sync_find(uintptr_t addr)
{
    uint32_t b = bucket_of(addr), h = __atomic_load_n(&buckets[b], __ATOMIC_ACQUIRE);
    if (!h)
        return 0;
    struct sn_sync *s = at(h);
    return SN_LIKELY(__atomic_load_n(&s->addr, __ATOMIC_ACQUIRE) == addr) ? s : walk(h, addr);
}

static SN_NOINLINE struct sn_sync *insert(uintptr_t addr, enum sn_sync_kind kind)
{
    uint32_t b = bucket_of(addr);
    sn_spin_lock(&locks[b & 255]);
    struct sn_sync *s = walk(buckets[b], addr);
    uint32_t h = s ? 0 : sn_slab_alloc(&records);
    if (h) {
        s = at(h);
        uint32_t guard = s->guard; /* a late reader may still hold it */
        __builtin_memset(s, 0, sizeof *s);
        s->guard = guard;
        s->kind = (uint8_t)kind;
        s->id = __atomic_add_fetch(&next_id, 1, __ATOMIC_RELAXED);
        s->next = buckets[b];
        if (!page_has_objects(addr))
            __atomic_fetch_or(&pages[page_of(addr) >> 5], 1u << (page_of(addr) & 31),
                              __ATOMIC_RELAXED);
        __atomic_store_n(&s->addr, addr, __ATOMIC_RELEASE); /* pairs with walk() */
        __atomic_store_n(&buckets[b], h, __ATOMIC_RELEASE); /* pairs with sn_sync_find() */
        __atomic_fetch_add(&sn_sync_births, 1, __ATOMIC_RELEASE); /* sn_sync_known_slowly() */
    }
    sn_spin_unlock(&locks[b & 255]);
    if (!s)
        sn_count(LOST_LOCK);
    return s;
}

struct sn_sync *sn_sync_get(uintptr_t addr, enum sn_sync_kind kind)
{
    struct sn_sync *s = sn_sync_find(addr);
    if (SN_LIKELY(s != 0)) {
        if (SN_UNLIKELY(!sn_sync_serves(s, kind)))
            s->kind = (uint8_t)kind;
        return s;
    }
    return insert(addr, kind);
}

struct sn_sync *sn_sync_known_slowly(struct sn_thread *t, uintptr_t addr)
{
    uint32_t births = __atomic_load_n(&sn_sync_births, __ATOMIC_ACQUIRE);
    if (t->no_sync_births != births) {
        __builtin_memset(t->no_sync, 0, sizeof t->no_sync);
        t->no_sync_births = births;
    }
    if (*sn_sync_none(t, addr) == addr)
        return 0;
    struct sn_sync *s = sn_sync_find(addr);
    if (!s)
        *sn_sync_none(t, addr) = addr;
    return sn_sync_remember(t, addr, s);
}

/* Unlinks the records of bucket b whose address is in [low, high). */
static void drop_bucket(uint32_t b, uintptr_t low, uintptr_t high, struct sn_sync_lost *lost)
{
    sn_spin_lock(&locks[b & 255]);
    uint32_t *link = &buckets[b];
    while (*link) {
        uint32_t h = *link;
        struct sn_sync *s = at(h);
        if (s->addr < low || s->addr >= high) {
            link = &s->next;
            continue;
        }
        if (__atomic_load_n(&s->owner, __ATOMIC_RELAXED))
            *lost = (struct sn_sync_lost){s->addr, (enum sn_sync_kind)s->kind};
        if (sn_sync_on_drop)
            sn_sync_on_drop(s);
        __atomic_store_n(link, s->next, __ATOMIC_RELEASE);
        __atomic_store_n(&s->addr, 0, __ATOMIC_RELEASE);
        sn_slab_free(&records, h);
    }
    sn_spin_unlock(&locks[b & 255]);
}

void sn_sync_drop(uintptr_t addr)
{
    struct sn_sync_lost lost;
    uint32_t b = bucket_of(addr);
    if (buckets[b])
        drop_bucket(b, addr, addr + 1, &lost);
}

static void drop_lines(uintptr_t low, uintptr_t high, struct sn_sync_lost *lost)
{
    for (uintptr_t line = low >> LINE_BITS; line <= (high - 1) >> LINE_BITS; line++) {
        uint32_t b = bucket_of(line << LINE_BITS);
        uint64_t all[2];
        _Static_assert(sizeof all == PARTS * sizeof *buckets, "the buckets of one line");
        __builtin_memcpy(all, &buckets[b], sizeof all); /* a hint: whoever frees comes after all */
        if (SN_LIKELY(!(all[0] | all[1])))
            continue;
        for (uint32_t end = b + PARTS; b < end; b++)
            if (SN_UNLIKELY(buckets[b] != 0))
                drop_bucket(b, low, high, lost);
    }
}

struct sn_sync_lost sn_sync_drop_range(uintptr_t addr, size_t size)
{
    struct sn_sync_lost lost = {0};
    uintptr_t high = addr + size;
    if (size >> LINE_BITS >= 1u << HASH_BITS) { /* every bucket is touched anyway */
        for (uint32_t b = 0; b < BUCKETS; b++)
            if (buckets[b])
                drop_bucket(b, addr, high, &lost);
        return lost;
    }
    while (addr < high) {
        uintptr_t next = ((addr >> PAGE_BITS) + 1) << PAGE_BITS;
        uintptr_t stop = next < high ? next : high;
        if (page_has_objects(addr))
            drop_lines(addr, stop, &lost);
        addr = stop;
    }
    return lost;
}
