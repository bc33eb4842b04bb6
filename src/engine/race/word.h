/*
 * word.h: a shadow word: one remembered access to bytes of one 8-byte granule, in 64 bits, as pure
 * functions.
 *
 *     63            32 31 30          8 7        0
 *     |    epoch      |W |    where    |   mask  |
 *
 * epoch  a segment of one thread's execution, unique in the process (clock.h says whose)
 * W      only in the second word of a granule and in sets: a write; of a set: some of it are
 * where  calling context and site (core/ctx.h)
 * mask   which of the eight bytes; never 0 in an access
 *
 * A write in the second word happened before the write in the first, if they have bytes in common:
 * what races with one of the second word becomes a cell.
 *
 * The word 0 is empty. mask 0 with a non-zero rest is a name: in the first word of a granule of its
 * cell (cell.h), in the second of a set (readset.h); the upper half is the number. In the first
 * word the lowest bit of `where` says that it is that of the granule's fields (fields.h).
 */
#ifndef SN_RACE_WORD_H
#define SN_RACE_WORD_H

#include <stdint.h>

enum { SN_WHERE_BITS = 23 };
enum sn_access_kind {
    SN_PLAIN_READ = 0,
    SN_PLAIN_WRITE = 1,
    SN_ATOMIC_READ = 2,
    SN_ATOMIC_WRITE = 3
};

static inline uint64_t sn_word(uint32_t epoch, uint32_t where, unsigned mask)
{
    return (uint64_t)epoch << 32 | (uint64_t)where << 8 | mask;
}

static inline uint32_t sn_word_epoch(uint64_t w)
{
    return (uint32_t)(w >> 32);
}

static inline uint32_t sn_word_where(uint64_t w)
{
    return (uint32_t)w >> 8 & ((1u << SN_WHERE_BITS) - 1);
}

#define SN_WORD_WRITE (1ull << 31)

static inline int sn_word_is_write(uint64_t w)
{
    return (w & SN_WORD_WRITE) != 0;
}

static inline unsigned sn_word_mask(uint64_t w)
{
    return (unsigned)w & 0xff;
}

/* Every byte of mask is in w's. */
static inline int sn_word_covers(uint64_t w, unsigned mask)
{
    return (mask & ~(unsigned)w) == 0;
}

/* version: modulo 2^(SN_WHERE_BITS - 1) */
static inline uint64_t sn_word_cell(uint32_t cell, uint32_t version)
{
    return sn_word(cell, version << 1 & ((1u << SN_WHERE_BITS) - 1), 0);
}

/* Of any kind. */
static inline int sn_word_is_cell(uint64_t w)
{
    return (w & 0xff) == 0 && w != 0;
}

/* The name is that of fields. */
#define SN_WORD_FIELDS 0x100u
static inline int sn_word_is_fields(uint64_t w)
{
    return (w & (SN_WORD_FIELDS | 0xff)) == SN_WORD_FIELDS;
}

/* It is that of a list of accesses. */
static inline int sn_word_is_list(uint64_t w)
{
    return sn_word_is_cell(w) && !sn_word_is_fields(w);
}

/* Bytes [offset, offset + size) of a granule. */
static inline unsigned sn_mask(unsigned offset, unsigned size)
{
    return (((1u << size) - 1) << offset) & 0xff;
}

#endif
