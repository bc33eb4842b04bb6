/*
 * shadow.h: shadow memory of the hybrid engine: for every 8 bytes of the program (a granule) the
 * history of its accesses, the first two in place, more in cells (history.c); for every heap block
 * where it came from. A directory has one biased entry per 16 MiB region, filled when first touched.
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

extern uint32_t sn_shadow_clears; /* with --filter span: how often something was forgotten; atomic */
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
/* How many cells a stretch of 32 KiB has, so that clearing knows where to look. */
void sn_shadow_cells_add(uintptr_t addr, int delta);

void sn_block_set(uintptr_t addr, size_t size, uint32_t where, uint32_t thread);
/* The block that starts at addr; null when there is none. */
struct sn_block *sn_block_at(uintptr_t addr);
/* The block that contains addr; *start is its address. For reports only. */
struct sn_block *sn_block_containing(uintptr_t addr, uintptr_t *start);

#endif
