/*
 * record.h: one remembered access, packed: what (a) it was done in, where and how (b).
 *
 *     a:  63 epoch 32 | 31 locks 8 | 7 mask 0        b:  25 kind 24 | 23 where 0
 *
 * epoch and locks together are the concurrency context of the thread (TREE, thesis definition 3.3.2):
 * one integer, so comparing contexts is comparing integers. mask: which of the granule's eight bytes.
 * a == 0 is an empty place. The site is where's innermost program counter.
 */
#ifndef SN_HYBRID_RECORD_H
#define SN_HYBRID_RECORD_H

#include <stdint.h>

enum sn_access_kind { SN_READ = 0, SN_WRITE = 1, SN_ATOMIC = 2 }; /* bits */

#define SN_KEY_NONE (~0ull) /* no record has it */

static inline uint64_t sn_record_key(uint32_t epoch, uint32_t locks)
{
    return (uint64_t)epoch << 32 | (uint64_t)locks << 8;
}

static inline uint32_t sn_record_epoch(uint64_t a)
{
    return (uint32_t)(a >> 32);
}

static inline uint32_t sn_record_locks(uint64_t a)
{
    return (uint32_t)a >> 8;
}

static inline unsigned sn_record_mask(uint64_t a)
{
    return (unsigned)a & 0xff;
}

static inline uint32_t sn_record_place(uint32_t where, unsigned kind)
{
    return where | kind << 24;
}

static inline uint32_t sn_record_where(uint32_t b)
{
    return b & 0xffffff;
}

static inline unsigned sn_record_kind(uint32_t b)
{
    return b >> 24;
}

/* The record was made in this context and has all bytes of mask. */
static inline int sn_record_has(uint64_t a, uint64_t key, unsigned mask)
{
    return ((a ^ (key | 0xff)) & (~0xffull | mask)) == 0;
}

/* Bytes [offset, offset + size) of a granule. */
static inline unsigned sn_mask(unsigned offset, unsigned size)
{
    return (((1u << size) - 1) << offset) & 0xff;
}

#endif
