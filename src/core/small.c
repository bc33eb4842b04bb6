/*
 * small.c: pages of 16 KiB with blocks of one size each, in address space that is reserved once.
 *
 * A page belongs to a heap, and a heap to a thread: it takes blocks from the page's bits and gives
 * them back without atomic operations. Others set bits in a word of their own; the first who does
 * pushes the page to its owner's `returned`, and the owner looks there when it needs a page. So at
 * any time a page is in at most one such stack, though it may be given to another meanwhile: who
 * finds a page that is not his passes it on.
 *
 * The lowest free block comes first, and pages in use come before new ones, so that little memory
 * is touched. A page without blocks goes to the central pool, from where it comes back for another
 * size and thread. Pages of a thread that ends are the central list's: whoever needs one of that
 * size adopts it. The order of looking: own pages, returned ones, adopted, pooled, new.
 */
#include "core/small.h"

#include <sys/mman.h>

#include "core/slab.h"
#include "core/spin.h"
#include "core/thread.h"

enum {
    GROW = 1 << 24, /* made accessible at once: the shadow's region is as large */
    GROW_PAGES = GROW / SN_SMALL_PAGE,
    GROW_RECORDS = GROW_PAGES * (int)sizeof(struct sn_small_page),
    POOL_KEEPS = 256, /* pages, and a quarter of those in use: their memory stays */
};
#define MOST_PAGES (SN_SMALL_BYTES >> SN_SMALL_PAGE_BITS)

_Static_assert(GROW_RECORDS % 4096 == 0, "mprotect() takes whole pages");

/* OPEN: its owner's, and current or in `open`. FULL: its owner's, in `full`. ORPHAN: nobody's, and
 * without a free block when last seen. ABANDONED: nobody's, in central.abandoned. */
enum place { OPEN, FULL, ORPHAN, ABANDONED, POOLED };

uintptr_t sn_small_base SN_HOT = (uintptr_t)1 << 63;
struct sn_small_page *sn_small_pages SN_HOT;
size_t sn_small_below SN_HOT;

const uint8_t sn_small_class[SN_SMALL_MOST / SN_SMALL_GRAIN + 1] = {
    0,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
    21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 32, 32, 32, 32, 32, 32, 32, 33, 33, 33,
    33, 33, 33, 33, 33, 34, 34, 34, 34, 34, 34, 34, 34, 35, 35, 35, 35, 35, 35, 35, 35};

SN_SLAB(heaps, struct sn_small, 4, SN_MAX_THREADS);

static struct {
    uint32_t lock; /* guards all but `returned` */
    struct sn_small_page *abandoned[SN_SMALL_CLASSES];
    struct sn_small_page *dirty, *clean; /* the pool: chains through `next` */
    size_t ndirty, in_use;               /* pages */
    size_t used, grown;                  /* pages: ever given out, accessible */
    struct sn_small_page *returned;      /* of those without an owner; atomic */
} central SN_HOT;

static uint64_t no_block; /* always 0: no block is free */

static size_t size_of(unsigned of_class)
{
    return of_class < 32 ? (of_class + 1) * SN_SMALL_GRAIN : 512 + (of_class - 31) * 128;
}

static char *memory_of(const struct sn_small_page *page)
{
    return (char *)sn_small_base + ((size_t)(page - sn_small_pages) << SN_SMALL_PAGE_BITS);
}

/* ---- address space ---- */

static char *reserve(size_t bytes)
{
    long p =
        sn_sys6(SYS_mmap, 0, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return (unsigned long)p >= (unsigned long)-4095 ? 0 : (char *)p;
}

bool sn_small_init(void)
{
    char *blocks = reserve(SN_SMALL_BYTES + GROW);
    char *records = blocks ? reserve(MOST_PAGES * sizeof(struct sn_small_page)) : 0;
    if (!records) {
        if (blocks)
            sn_unmap(blocks, SN_SMALL_BYTES + GROW);
        return false;
    }
    sn_small_pages = (struct sn_small_page *)records;
    sn_small_base = ((uintptr_t)blocks + GROW - 1) & ~(uintptr_t)(GROW - 1);
    __atomic_store_n(&sn_small_below, SN_SMALL_MOST + 1, __ATOMIC_RELEASE);
    return true;
}

void sn_small_stop(void)
{
    __atomic_store_n(&sn_small_below, 0, __ATOMIC_RELAXED);
}

static bool open_range(void *p, size_t bytes)
{
    return sn_sys3(SYS_mprotect, p, bytes, PROT_READ | PROT_WRITE) == 0;
}

/* Under the lock. */
static struct sn_small_page *take_new(void)
{
    if (central.used == central.grown) {
        if (central.grown == MOST_PAGES ||
            !open_range(&sn_small_pages[central.grown], GROW_RECORDS) ||
            !open_range(memory_of(&sn_small_pages[central.grown]), GROW))
            return 0;
        central.grown += GROW_PAGES;
    }
    return &sn_small_pages[central.used++];
}

/* ---- lists ---- */

static void link_page(struct sn_small_page **list, struct sn_small_page *page, enum place place)
{
    page->place = (uint8_t)place;
    page->prev = 0;
    page->next = *list;
    if (*list)
        (*list)->prev = page;
    *list = page;
}

static void unlink_page(struct sn_small_page **list, struct sn_small_page *page)
{
    if (page->prev)
        page->prev->next = page->next;
    else
        *list = page->next;
    if (page->next)
        page->next->prev = page->prev;
}

static void push_returned(struct sn_small_page *page)
{
    uint32_t owner = __atomic_load_n(&page->owner, __ATOMIC_RELAXED);
    struct sn_small *h = owner ? sn_slab_at(&heaps, owner) : 0;
    struct sn_small_page **to = h ? &h->returned : &central.returned;
    struct sn_small_page *head = __atomic_load_n(to, __ATOMIC_RELAXED);
    do
        page->next_returned = head;
    while (!__atomic_compare_exchange_n(to, &head, page, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* ---- what of a page is free ---- */

static void collect(struct sn_small_page *page)
{
    for (unsigned i = 0; i <= page->last; i++)
        if (__atomic_load_n(&page->remote[i], __ATOMIC_RELAXED)) /* pairs with free_remote() */
            page->free[i] |= __atomic_exchange_n(&page->remote[i], 0, __ATOMIC_ACQUIRE);
}

static bool has_free(const struct sn_small_page *page)
{
    for (unsigned i = 0; i <= page->last; i++)
        if (page->free[i])
            return true;
    return false;
}

static bool is_empty(const struct sn_small_page *page)
{
    for (unsigned i = 0; i < page->last; i++)
        if (page->free[i] != ~0ull)
            return false;
    return page->free[page->last] == page->last_bits;
}

/* ---- the pool; under the lock ---- */

static void give_back_memory(struct sn_small_page *page)
{
    sn_map_clear(memory_of(page), SN_SMALL_PAGE);
    page->next = central.clean;
    central.clean = page;
}

static void pool_put(struct sn_small_page *page)
{
    __atomic_store_n(&page->owner, 0, __ATOMIC_RELAXED);
    page->place = POOLED;
    central.in_use--;
    if (central.ndirty >= POOL_KEEPS + central.in_use / 4) {
        give_back_memory(page);
        return;
    }
    page->next = central.dirty;
    central.dirty = page;
    central.ndirty++;
}

static struct sn_small_page *pool_take(void)
{
    struct sn_small_page *page = central.dirty;
    if (page) {
        central.dirty = page->next;
        central.ndirty--;
    } else if ((page = central.clean)) {
        central.clean = page->next;
    } else if (!(page = take_new())) {
        return 0;
    }
    central.in_use++;
    return page;
}

bool sn_small_trim(void)
{
    sn_spin_lock(&central.lock);
    bool some = central.ndirty != 0;
    for (struct sn_small_page *page; (page = central.dirty);) {
        central.dirty = page->next;
        give_back_memory(page);
    }
    central.ndirty = 0;
    sn_spin_unlock(&central.lock);
    return some;
}

static void set_class(struct sn_small_page *page, unsigned of_class)
{
    uint32_t size = (uint32_t)size_of(of_class), count = SN_SMALL_PAGE / size;
    page->of_class = (uint8_t)of_class;
    page->size = (uint16_t)size;
    page->count = (uint16_t)count;
    page->inverse = (uint32_t)(((1ull << 32) + size - 1) / size);
    page->last = (uint8_t)((count - 1) / 64);
    page->last_bits = ~0ull >> (63 - (count - 1) % 64);
    for (unsigned i = 0; i <= page->last; i++) {
        page->free[i] = i < page->last ? ~0ull : page->last_bits;
        __atomic_store_n(&page->remote[i], 0, __ATOMIC_RELAXED); /* of a block freed twice */
    }
}

/* ---- pages without an owner; under the lock ---- */

static void abandon(struct sn_small_page *page)
{
    __atomic_store_n(&page->owner, 0, __ATOMIC_SEQ_CST);
    collect(page);
    if (is_empty(page))
        pool_put(page);
    else if (has_free(page))
        link_page(&central.abandoned[page->of_class], page, ABANDONED);
    else
        page->place = ORPHAN;
}

static void look_at_orphan(struct sn_small_page *page)
{
    if (page->place == POOLED)
        return;
    if (page->place == ABANDONED)
        unlink_page(&central.abandoned[page->of_class], page);
    abandon(page);
}

/* From here on a block that is freed makes its page come back. */
static void no_longer_queued(struct sn_small_page *page)
{
    __atomic_store_n(&page->queued, 0, __ATOMIC_SEQ_CST);
}

static void drain_central(void)
{
    struct sn_small_page *page, *next;
    if (!__atomic_load_n(&central.returned, __ATOMIC_RELAXED))
        return;
    for (page = __atomic_exchange_n(&central.returned, 0, __ATOMIC_ACQUIRE); page; page = next) {
        next = page->next_returned;
        if (__atomic_load_n(&page->owner, __ATOMIC_RELAXED)) {
            push_returned(page);
            continue;
        }
        no_longer_queued(page);
        look_at_orphan(page);
    }
}

/* A page of the class for the heap, none of whose own has a free block. Null: no memory. */
static struct sn_small_page *from_central(struct sn_small *h, unsigned of_class)
{
    sn_spin_lock(&central.lock);
    drain_central();
    struct sn_small_page *page = central.abandoned[of_class];
    if (page) {
        unlink_page(&central.abandoned[of_class], page);
        collect(page);
    } else {
        page = pool_take();
        if (page)
            set_class(page, of_class);
    }
    if (page) {
        page->place = OPEN;
        __atomic_store_n(&page->owner, h->id, __ATOMIC_RELAXED);
    }
    sn_spin_unlock(&central.lock);
    return page;
}

static void to_pool(struct sn_small_page *page)
{
    sn_spin_lock(&central.lock);
    pool_put(page);
    sn_spin_unlock(&central.lock);
}

/* ---- a heap's own pages ---- */

/* Blocks of the page were freed: it may be full no longer, or empty. */
SN_NOINLINE void sn_small_settle(struct sn_small *h, struct sn_small_page *page)
{
    if (page == h->current[page->of_class])
        return;
    struct sn_small_page **open = &h->open[page->of_class];
    if (page->place == FULL) {
        unlink_page(&h->full[page->of_class], page);
        link_page(open, page, OPEN);
    }
    if (is_empty(page)) {
        unlink_page(open, page);
        to_pool(page);
    }
}

static void drain(struct sn_small *h)
{
    struct sn_small_page *page, *next;
    if (!__atomic_load_n(&h->returned, __ATOMIC_RELAXED))
        return;
    for (page = __atomic_exchange_n(&h->returned, 0, __ATOMIC_ACQUIRE); page; page = next) {
        next = page->next_returned;
        if (__atomic_load_n(&page->owner, __ATOMIC_RELAXED) != h->id) {
            push_returned(page);
            continue;
        }
        no_longer_queued(page);
        collect(page);
        if (has_free(page))
            sn_small_settle(h, page);
    }
}

/* Points the slot at the page's first word with a free block. */
static bool aim(struct sn_small_slot *s, struct sn_small_page *page)
{
    for (unsigned i = 0; i <= page->last; i++) {
        if (!page->free[i])
            continue;
        s->word = &page->free[i];
        s->size = page->size;
        s->base = memory_of(page) + (size_t)i * 64 * page->size;
        return true;
    }
    return false;
}

static void leave_current(struct sn_small *h, unsigned of_class)
{
    struct sn_small_page *page = h->current[of_class];
    if (page)
        link_page(&h->full[of_class], page, FULL);
    h->current[of_class] = 0;
    h->slot[of_class].word = &no_block;
}

static bool next_page(struct sn_small *h, unsigned of_class)
{
    struct sn_small_page *page = h->open[of_class];
    if (page)
        unlink_page(&h->open[of_class], page);
    else
        page = from_central(h, of_class);
    h->current[of_class] = page;
    return page != 0;
}

static bool refill(struct sn_small *h, unsigned of_class)
{
    struct sn_small_page *page = h->current[of_class];
    struct sn_small_slot *s = &h->slot[of_class];
    if (page && aim(s, page))
        return true;
    drain(h);
    if (page && aim(s, page))
        return true;
    do {
        leave_current(h, of_class);
        if (!next_page(h, of_class))
            return false;
    } while (!aim(s, h->current[of_class]));
    return true;
}

static struct sn_small *new_heap(void)
{
    uint32_t id = sn_slab_alloc(&heaps);
    struct sn_small *h = id ? sn_slab_at(&heaps, id) : 0;
    if (!h)
        return 0;
    for (unsigned i = 0; i < SN_SMALL_CLASSES; i++) {
        h->slot[i].word = &no_block;
        h->current[i] = h->open[i] = h->full[i] = 0;
    }
    h->id = id; /* `returned` stays: what a late free has put there is passed on */
    return h;
}

SN_NOINLINE void *sn_small_refill(struct sn_small **heap, size_t size)
{
    unsigned of_class = sn_small_class[(size + SN_SMALL_GRAIN - 1) / SN_SMALL_GRAIN];
    if (!*heap && !(*heap = new_heap()))
        return 0;
    if (!refill(*heap, of_class))
        return 0;
    struct sn_small_slot *s = &(*heap)->slot[of_class];
    uint64_t free = *s->word;
    *s->word = free & (free - 1);
    return s->base + (uint64_t)__builtin_ctzll(free) * s->size;
}

/* ---- other threads' blocks ---- */

SN_NOINLINE enum sn_small_answer sn_small_free_remote(void *p)
{
    struct sn_small_page *page = sn_small_page_of(p);
    uint32_t n = sn_small_number(page, p);
    if (n >= page->count)
        return SN_SMALL_NO_BLOCK;
    uint64_t bit = 1ull << n % 64;
    if (__atomic_load_n(&page->free[n / 64], __ATOMIC_RELAXED) & bit)
        return SN_SMALL_TWICE;
    /* release: pairs with collect(); then `queued` is looked at, which collect() comes after */
    if (__atomic_fetch_or(&page->remote[n / 64], bit, __ATOMIC_SEQ_CST) & bit)
        return SN_SMALL_TWICE;
    if (!__atomic_load_n(&page->queued, __ATOMIC_SEQ_CST) &&
        !__atomic_exchange_n(&page->queued, 1, __ATOMIC_SEQ_CST))
        push_returned(page);
    return SN_SMALL_DONE;
}

/* ---- ends ---- */

static void abandon_all(struct sn_small *h)
{
    for (unsigned i = 0; i < SN_SMALL_CLASSES; i++) {
        struct sn_small_page *page, *next;
        if (h->current[i])
            abandon(h->current[i]);
        for (page = h->open[i]; page; page = next) {
            next = page->next;
            abandon(page);
        }
        for (page = h->full[i]; page; page = next) {
            next = page->next;
            abandon(page);
        }
        h->slot[i].word = &no_block;
        h->current[i] = h->open[i] = h->full[i] = 0;
    }
}

void sn_small_end(struct sn_small *h)
{
    drain(h);
    sn_spin_lock(&central.lock);
    abandon_all(h);
    sn_spin_unlock(&central.lock);
    drain(h); /* what came meanwhile is passed on to the central list */
    uint32_t id = h->id;
    h->id = 0;
    sn_slab_free(&heaps, id);
}

void sn_small_forked(struct sn_small *self)
{
    central.lock = 0;
    for (uint32_t i = 1; i < heaps.next; i++) {
        struct sn_small *h = sn_slab_at(&heaps, i);
        if (h != self && h->id)
            sn_small_end(h);
    }
}

void sn_small_count(size_t *in_use, size_t *all)
{
    *in_use = *all = 0;
    sn_spin_lock(&central.lock);
    for (size_t i = 0; i < central.used; i++) {
        const struct sn_small_page *page = &sn_small_pages[i];
        size_t free = 0;
        if (page->place == POOLED)
            continue;
        for (unsigned w = 0; w <= page->last; w++)
            free += (size_t)__builtin_popcountll(page->free[w] | page->remote[w]);
        *in_use += (page->count - free) * page->size;
        *all += SN_SMALL_PAGE;
    }
    *all += central.ndirty * SN_SMALL_PAGE;
    sn_spin_unlock(&central.lock);
}
