/*
 * slab.h: records of one size by 32-bit handle, without malloc.
 *
 * Chunks are mapped on demand and never unmapped, so a stale handle reads an old record but never
 * faults. Handle 0 is never given out. A slab is a static object: SN_SLAB(name, bytes, bits, max).
 * The capacity is said where the slab is defined, with its reason.
 */
#ifndef SN_CORE_SLAB_H
#define SN_CORE_SLAB_H

#include <stddef.h>
#include <stdint.h>

#include "core/sys.h"

struct sn_slab {
    uint32_t elem_bytes;
    uint32_t chunk_bits; /* elements per chunk, log 2 */
    uint32_t max;        /* handles below this */
    uint32_t lock;       /* guards free_head and next */
    uint32_t next;       /* first handle never given out */
    uint32_t free_head;  /* chain through the first word of free elements */
    uint32_t in_use;     /* elements out; under lock */
    void **chunk;        /* directory, max >> chunk_bits entries */
};

#define SN_SLAB(name, type, bits, count)                                                           \
    static void *name##_chunks[((count) + (1u << (bits)) - 1) >> (bits)] SN_LARGE;                 \
    static struct sn_slab name SN_HOT = {sizeof(type), bits, count, 0, 1, 0, 0, name##_chunks}

uint32_t sn_slab_alloc(struct sn_slab *s); /* 0: full, or no memory; the element is not cleared */
void sn_slab_free(struct sn_slab *s, uint32_t handle);

static inline void *sn_slab_at(const struct sn_slab *s, uint32_t handle)
{
    char *chunk = s->chunk[handle >> s->chunk_bits];
    return chunk + (size_t)(handle & ((1u << s->chunk_bits) - 1)) * s->elem_bytes;
}

/* Arrays of power-of-two size, 64 bytes to 1 MiB, for clocks. Null: no memory. Not cleared. */
void *sn_pool_alloc(size_t bytes);
void sn_pool_free(void *p, size_t bytes);

#endif
