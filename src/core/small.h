/*
 * small.h: small heap blocks, dense: no header stands between them, and what the allocator knows of
 * them lies elsewhere, so that a program which writes where it must not harms only itself.
 *
 * A block that a thread frees goes back to its page, whoever the page belongs to. All functions but
 * sn_small_free() with a null heap are for the owner of the heap, outside signal handlers that may
 * have interrupted one of them. See small.c.
 */
#ifndef SN_CORE_SMALL_H
#define SN_CORE_SMALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sys.h"

enum {
    SN_SMALL_GRAIN = 16,   /* blocks are aligned to this */
    SN_SMALL_MOST = 1024,  /* the largest block */
    SN_SMALL_CLASSES = 36, /* 16, 32 … 512, 640 … 1024 bytes */
    SN_SMALL_PAGE_BITS = 14,
    SN_SMALL_PAGE = 1 << SN_SMALL_PAGE_BITS,
    SN_SMALL_WORDS = SN_SMALL_PAGE / SN_SMALL_GRAIN / 64, /* with a bit for each block of a page */
};
#define SN_SMALL_BYTES ((uintptr_t)1 << 36) /* of address space */

/* Blocks of one size, which belong to one thread's heap, or to none. */
struct sn_small_page {
    uint32_t
        owner; /* id of the heap, 0: none; atomic, set by the owner or under the central lock */
    uint32_t inverse;              /* 2^32 / size, rounded up */
    uint16_t size;                 /* of a block; 0: the page was never used */
    uint16_t count;                /* blocks */
    uint8_t of_class, place, last; /* place: enum in small.c; last: word that is in use */
    uint8_t pad;
    uint64_t last_bits;                /* of that word, when all are free */
    struct sn_small_page *next, *prev; /* in the list that `place` names; who owns that list */
    struct sn_small_page *next_returned;
    uint32_t queued; /* 1: in somebody's `returned`; atomic */
    uint64_t free[SN_SMALL_WORDS] __attribute__((aligned(64))); /* owner; or the central lock */
    uint64_t remote[SN_SMALL_WORDS]; /* freed by others, the owner has not looked yet; atomic */
};

/* Where the next block of a class comes from. */
struct sn_small_slot {
    uint64_t *word; /* of a page's `free`; or of none, and 0 */
    char *base;     /* the block of its bit 0 */
    uint64_t size;
};

struct sn_small {
    uint32_t free_link;             /* the slab's own */
    uint32_t id;                    /* 0: not in use */
    struct sn_small_page *returned; /* pages of ours with remote blocks; atomic, others push */
    struct sn_small_slot slot[SN_SMALL_CLASSES];
    struct sn_small_page *current[SN_SMALL_CLASSES], *open[SN_SMALL_CLASSES],
        *full[SN_SMALL_CLASSES];
};

enum sn_small_answer { SN_SMALL_DONE, SN_SMALL_TWICE, SN_SMALL_NO_BLOCK };

extern uintptr_t sn_small_base SN_HIDDEN; /* constant after sn_small_init() */
extern struct sn_small_page *sn_small_pages SN_HIDDEN;
extern size_t sn_small_below SN_HIDDEN; /* sizes below this are served; 0: none; atomic */
extern const uint8_t sn_small_class[SN_SMALL_MOST / SN_SMALL_GRAIN + 1] SN_HIDDEN;

/* Once, before the first block. False: no address space. */
bool sn_small_init(void);
/* No new blocks from now on. Those there are stay. */
void sn_small_stop(void);
/* The heap's thread ends: its blocks stay, its pages become others'. */
void sn_small_end(struct sn_small *h);
/* In a fork's child: the heaps of all other threads end. `self` may be null. */
void sn_small_forked(struct sn_small *self);
/* Memory of free pages goes back to the kernel. */
bool sn_small_trim(void); /* true: there was some */
/* Bytes in blocks, and in pages that hold them or did. */
void sn_small_count(size_t *in_use, size_t *all);

void *sn_small_refill(struct sn_small **heap, size_t size);
enum sn_small_answer sn_small_free_remote(void *p);
void sn_small_settle(struct sn_small *h, struct sn_small_page *page);

static inline bool sn_is_small(const void *p)
{
    return (uintptr_t)p - sn_small_base < SN_SMALL_BYTES;
}

static inline struct sn_small_page *sn_small_page_of(const void *p)
{
    return &sn_small_pages[((uintptr_t)p - sn_small_base) >> SN_SMALL_PAGE_BITS];
}

/* Usable bytes of a block. */
static inline size_t sn_small_size(const void *p)
{
    return sn_small_page_of(p)->size;
}

/* Null: not served, or no memory. *heap is made when it is null. */
static inline void *sn_small_alloc(struct sn_small **heap, size_t size)
{
    struct sn_small *h = *heap;
    if (SN_UNLIKELY(size >= __atomic_load_n(&sn_small_below, __ATOMIC_RELAXED)))
        return 0;
    if (SN_UNLIKELY(!h))
        return sn_small_refill(heap, size);
    struct sn_small_slot *s =
        &h->slot[sn_small_class[(size + SN_SMALL_GRAIN - 1) / SN_SMALL_GRAIN]];
    uint64_t free = *s->word;
    if (SN_UNLIKELY(!free))
        return sn_small_refill(heap, size);
    *s->word = free & (free - 1);
    return s->base + (uint64_t)__builtin_ctzll(free) * s->size;
}

/* The number of a block by its address; count or more: no block begins there. */
static inline uint32_t sn_small_number(const struct sn_small_page *page, const void *p)
{
    uint32_t in = (uint32_t)((uintptr_t)p & (SN_SMALL_PAGE - 1));
    uint32_t n = (uint32_t)((uint64_t)in * page->inverse >> 32);
    return n * page->size == in ? n : UINT32_MAX;
}

/* What sn_small_free() would say, when nobody frees the block meanwhile. */
static inline enum sn_small_answer sn_small_look(const void *p)
{
    const struct sn_small_page *page = sn_small_page_of(p);
    uint32_t n = sn_small_number(page, p);
    if (n >= page->count)
        return SN_SMALL_NO_BLOCK;
    return (page->free[n / 64] | page->remote[n / 64]) >> n % 64 & 1 ? SN_SMALL_TWICE
                                                                     : SN_SMALL_DONE;
}

static inline enum sn_small_answer sn_small_free(struct sn_small *h, void *p)
{
    struct sn_small_page *page = sn_small_page_of(p);
    if (SN_UNLIKELY(!h || __atomic_load_n(&page->owner, __ATOMIC_RELAXED) != h->id))
        return sn_small_free_remote(p);
    uint32_t n = sn_small_number(page, p);
    if (SN_UNLIKELY(n >= page->count))
        return SN_SMALL_NO_BLOCK;
    uint64_t *word = &page->free[n / 64], bit = 1ull << n % 64, now = *word;
    if (SN_UNLIKELY(now & bit))
        return SN_SMALL_TWICE;
    *word = now |= bit;
    if (SN_UNLIKELY(page->place || now == ~0ull || now == page->last_bits))
        sn_small_settle(h, page);
    return SN_SMALL_DONE;
}

#endif
