/* keys.h: a small table from 64-bit keys to counters, in an arena. */
#ifndef SN_PREDICT_KEYS_H
#define SN_PREDICT_KEYS_H

#include <stdint.h>

#include "predict/arena.h"

struct sn_keys {
    uint64_t *key;
    uint32_t *count; /* 1 + the counter; 0: slot is free */
    uint32_t n, cap;
};

/* Where the counter of `key` is stored; it is made, with 0, when it is new. */
uint32_t *sn_keys_slot(struct sn_arena *a, struct sn_keys *k, uint64_t key);

static inline uint32_t sn_keys_get(struct sn_arena *a, struct sn_keys *k, uint64_t key)
{
    return *sn_keys_slot(a, k, key) - 1;
}

static inline void sn_keys_add(struct sn_arena *a, struct sn_keys *k, uint64_t key)
{
    ++*sn_keys_slot(a, k, key);
}

#endif
