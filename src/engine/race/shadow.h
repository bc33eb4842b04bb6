/*
 * shadow.h: shadow memory of the race engine: for every 8 bytes of the program (a granule) the last
 * write and the last read; for every heap block where it came from.
 *
 * No assumption about the address space: a directory has one entry per 16 MiB region, filled when
 * the region is first touched. An entry is biased, so that a granule's shadow is
 * directory[addr >> 24] + 2 * (addr & ~7): one load more than a fixed mapping, and it works under
 * any layout, any randomisation and without overcommit.
 */
#ifndef SN_RACE_SHADOW_H
#define SN_RACE_SHADOW_H

#include <stddef.h>
#include <stdint.h>

enum {
    SN_REGION_BITS = 24,
    SN_REGION_BYTES = 1 << SN_REGION_BITS,
    SN_DIR_BITS = 47 - SN_REGION_BITS,
    SN_BLOCK_GRAIN = 16, /* malloc aligns to this, so it tells two blocks apart */
};

struct sn_granule {
    uint64_t w, r; /* sn_word: last write, last read; relaxed atomics */
};

/* Both words at once. */
typedef long long sn_granule_words __attribute__((vector_size(16), aligned(16), may_alias));
_Static_assert(sizeof(sn_granule_words) == sizeof(struct sn_granule), "the whole granule");

/* In one store: that write, and no read. */
static inline void sn_granule_set(struct sn_granule *g, uint64_t w)
{
    *(sn_granule_words *)g = (sn_granule_words){(long long)w, 0};
}

/* Four neighbours; written out, since compilers keep such a loop. */
static inline void sn_granule_set_four(struct sn_granule *g, uint64_t w)
{
    sn_granule_set(&g[0], w);
    sn_granule_set(&g[1], w);
    sn_granule_set(&g[2], w);
    sn_granule_set(&g[3], w);
}

/* Where a heap block came from. */
struct sn_block {
    uint64_t size;
    uint32_t where;  /* context of the allocation */
    uint32_t thread; /* number of the allocating thread, modulo 2^24 */
    int freed;
};

extern uintptr_t sn_shadow_dir[1u << SN_DIR_BITS]; /* biased; 0: not mapped */

static inline uintptr_t sn_shadow_bias(uintptr_t addr)
{
    return sn_shadow_dir[(addr >> SN_REGION_BITS) & ((1u << SN_DIR_BITS) - 1)];
}

static inline struct sn_granule *sn_granule_at(uintptr_t bias, uintptr_t addr)
{
    return (struct sn_granule *)(bias + 2 * (addr & ~(uintptr_t)7));
}

/* Maps the region if needed; null when that is refused (counted). */
struct sn_granule *sn_shadow_get(uintptr_t addr);
/* Forgets everything about a range: new memory, a reused stack. */
void sn_shadow_clear(uintptr_t addr, size_t size);
/* Every region: after the epochs were used up. */
void sn_shadow_clear_all(void);
/* All granules that may hold something, n at a time. */
void sn_shadow_each(void (*fn)(const struct sn_granule *g, unsigned n));
/* Bytes of the program that have shadow. */
uint64_t sn_shadow_extent(void);

/* The block that starts at addr. */
void sn_block_set(uintptr_t addr, size_t size, uint32_t where, uint32_t thread);
void sn_block_set_freed(uintptr_t addr);
void sn_block_is_wanted(uintptr_t addr); /* soon: what is known of it comes into the cache */
int sn_block_at(uintptr_t addr, struct sn_block *out); /* 0: none */
size_t sn_block_size(uintptr_t addr);                  /* 0: none, or it is freed */
/* The block that contains addr; *start is its address. Walks back, and knows the large ones by a
 * list; for reports only. 0: none. */
int sn_block_containing(uintptr_t addr, uintptr_t *start, struct sn_block *out);

/*
 * A stretch of 32 KiB of the program has a word: how many expanded granules are there, so that
 * clearing knows where to look, and whether anything is.
 *
 * A page of shadow is looked at before it is written: the kernel first maps its page of zeros, then
 * has to put another in its place and to stop all processors for it. Where memory fills up, shadow
 * gets its pages before that, by the stretch and then by the huge page; where it is used sparsely
 * it does not.
 */
enum {
    SN_SHADOW_BYTES = 2 * SN_REGION_BYTES,
    SN_SHADOW_EDGE = 128, /* behind it, always 0: a look at a few granules need not see the end */
    SN_BLOCK_BYTES = SN_REGION_BYTES / SN_BLOCK_GRAIN * (int)sizeof(uint64_t),
    SN_STRETCH_BITS = 15,
    SN_STRETCH = 1 << SN_STRETCH_BITS,
};
#define SN_STRETCH_TOUCHED (1u << 31)

/* A region's mapping: shadow, its edge, blocks, then a word for each stretch. */
static inline uintptr_t sn_region_base(uintptr_t addr, uintptr_t bias)
{
    return bias + 2 * (addr & ~(uintptr_t)(SN_REGION_BYTES - 1));
}

static inline uint32_t *sn_stretch_of(uintptr_t addr, uintptr_t bias)
{
    uint32_t *all = (uint32_t *)(sn_region_base(addr, bias) + SN_SHADOW_BYTES + SN_SHADOW_EDGE +
                                 SN_BLOCK_BYTES);
    return &all[(addr & (SN_REGION_BYTES - 1)) >> SN_STRETCH_BITS];
}

void sn_shadow_cells_add(uintptr_t addr, int delta);
/* Something will be kept in the stretch of addr: to be said before it is. 0: no, the limit on
 * memory is reached (counted). */
int sn_shadow_touch(uintptr_t addr, uintptr_t bias);

static inline int sn_shadow_is_touched(const struct sn_granule *g, uintptr_t addr)
{
    uintptr_t bias = (uintptr_t)g - 2 * (addr & ~(uintptr_t)7);
    return (__atomic_load_n(sn_stretch_of(addr, bias), __ATOMIC_RELAXED) & SN_STRETCH_TOUCHED) != 0;
}

/* The same for an empty granule. */
static inline int sn_shadow_may_use(const struct sn_granule *g, uintptr_t addr)
{
    return sn_shadow_is_touched(g, addr) ||
           sn_shadow_touch(addr, (uintptr_t)g - 2 * (addr & ~(uintptr_t)7));
}

#endif
