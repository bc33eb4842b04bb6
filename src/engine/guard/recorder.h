/*
 * recorder.h: recorder[M] for all memory: a word (word.h) for every 4 bytes of the program, so that
 * neighbouring ints are told apart. A directory has one entry per region, mapped when first touched
 * and biased: the word of addr is at directory[addr >> 26] + 2 * (addr & ~3).
 */
#ifndef SN_GUARD_RECORDER_H
#define SN_GUARD_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "word.h"

enum {
    SN_REC_GRAIN = 4,
    SN_REC_RANGE = 64, /* of a longer access only the beginning counts: what is copied in bulk is
                          not where order matters */
    SN_REC_REGION_BITS = 26,
    SN_REC_DIR = 1 << (47 - SN_REC_REGION_BITS),
};

extern uintptr_t sn_rec_dir[SN_REC_DIR]; /* biased; 0: not mapped */

uint64_t *sn_rec_map(uintptr_t addr); /* null: refused */

static inline uint64_t *sn_rec_at(uintptr_t addr)
{
    uintptr_t bias = sn_rec_dir[(addr >> SN_REC_REGION_BITS) & (SN_REC_DIR - 1)];
    if (__builtin_expect(!bias, 0))
        return sn_rec_map(addr);
    return (uint64_t *)(bias + 2 * (addr & ~(uintptr_t)(SN_REC_GRAIN - 1)));
}

/* New memory: nobody has accessed it yet. */
void sn_rec_clear(uintptr_t addr, size_t size);

#endif
