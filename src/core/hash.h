/*
 * hash.h: the hash of a number that is added to others, so that their order does not matter.
 *
 * A product alone is not enough there: addresses of code lie at like distances, so that two pairs
 * often have the same sum, and the sum of their products is then the same too.
 */
#ifndef SN_CORE_HASH_H
#define SN_CORE_HASH_H

#include <stdint.h>

static inline uint64_t sn_hash_mix(uint64_t x)
{
    x = (x + 1) * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
    return x ^ x >> 32;
}

#endif
