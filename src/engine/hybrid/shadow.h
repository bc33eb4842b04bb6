/*
 * shadow.h: shadow memory of the hybrid engine: for every 8 bytes of the program (a granule) the
 * history of its accesses, the first two in place, more in cells (history.c); for every heap block
 * where it came from. A directory has one biased entry per 16 MiB region, filled when first
 * touched.
 */
#ifndef SN_HYBRID_SHADOW_H
#define SN_HYBRID_SHADOW_H

#include <stddef.h>
#include <stdint.h>

enum {
    SN_REGION_BITS = 24,
    SN_REGION_BYTES = 1 << SN_REGION_BITS,
    SN_DIR_BITS = 47 - SN_REGION_BITS,
    SN_BLOCK_GRAIN = 16, /* malloc aligns to this, so it tells two blocks apart */
};

/* Written under `lock`, b before a; read without it, see sn_history_has(). */
struct sn_granule {
    uint64_t a[2]; /* record.h */
    uint32_t b[2];
    uint32_t more; /* first cell; 0: none */
    uint32_t lock;
};

/* Where a heap block came from; kept at the block's first 16 bytes. */
struct sn_block {
    uint32_t where;  /* context of the allocation */
    uint32_t thread; /* number of the allocating thread */
    uint64_t size;   /* bit 63: freed */
};
#define SN_BLOCK_FREED (1ull << 63)

extern uint32_t
    sn_shadow_clears; /* with --filter span: how often something was forgotten; atomic */
extern uintptr_t sn_shadow_dir[1u << SN_DIR_BITS]; /* biased; 0: not mapped */

static inline uintptr_t sn_shadow_bias(uintptr_t addr)
{
    return sn_shadow_dir[(addr >> SN_REGION_BITS) & ((1u << SN_DIR_BITS) - 1)];
}

static inline struct sn_granule *sn_granule_at(uintptr_t bias, uintptr_t addr)
{
    return (struct sn_granule *)(bias + 4 * (addr & ~(uintptr_t)7));
}

/* Maps the region if needed; null when that is refused (counted). */
struct sn_granule *sn_shadow_get(uintptr_t addr);
/* Forgets everything about a range: new memory, a reused stack. */
void sn_shadow_clear(uintptr_t addr, size_t size);

/*
 * A stretch of 32 KiB of the program has a word: how many cells the histories there have, so that
 * clearing knows where to look, and whether anything is kept there at all. Stretches that are
 * touched, and cells, are what the limit on memory counts: regions cost nothing until then.
 */
enum {
    SN_SHADOW_SCALE = sizeof(struct sn_granule) / 8,
    SN_SHADOW_BYTES = SN_SHADOW_SCALE * SN_REGION_BYTES,
    SN_BLOCK_BYTES = SN_REGION_BYTES / SN_BLOCK_GRAIN * (int)sizeof(struct sn_block),
    SN_STRETCH_BITS = 15,
    SN_STRETCH = 1 << SN_STRETCH_BITS,
};
#define SN_STRETCH_TOUCHED (1u << 31)

/* A region's mapping: granules, blocks, then a word for each stretch. */
static inline uintptr_t sn_region_base(uintptr_t addr, uintptr_t bias)
{
    return bias + SN_SHADOW_SCALE * (addr & ~(uintptr_t)(SN_REGION_BYTES - 1));
}

static inline uint32_t *sn_stretch_of(uintptr_t addr, uintptr_t bias)
{
    uint32_t *all = (uint32_t *)(sn_region_base(addr, bias) + SN_SHADOW_BYTES + SN_BLOCK_BYTES);
    return &all[(addr & (SN_REGION_BYTES - 1)) >> SN_STRETCH_BITS];
}

/* Something will be kept in the stretch of addr. 0: no, the limit on memory is reached (counted).
 */
int sn_shadow_touch(uintptr_t addr);

static inline int sn_shadow_may_use(uintptr_t addr)
{
    uint32_t *stretch = sn_stretch_of(addr, sn_shadow_bias(addr));
    return (__atomic_load_n(stretch, __ATOMIC_RELAXED) & SN_STRETCH_TOUCHED) ||
           sn_shadow_touch(addr);
}

/* A cell of so many bytes for the history at addr, and its end. 0: no, as above. */
int sn_shadow_cell_new(uintptr_t addr, size_t bytes);
void sn_shadow_cell_gone(uintptr_t addr, size_t bytes);

void sn_block_set(uintptr_t addr, size_t size, uint32_t where, uint32_t thread);
/* The block that starts at addr; null when there is none. */
struct sn_block *sn_block_at(uintptr_t addr);
/* The block that contains addr; *start is its address. For reports only. */
struct sn_block *sn_block_containing(uintptr_t addr, uintptr_t *start);

#endif
