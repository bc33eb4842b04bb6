/* keys.c: open addressing, at most half full. */
#include "predict/keys.h"

static uint32_t find(const struct sn_keys *k, uint64_t key)
{
    uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32) & (k->cap - 1);
    while (k->count[i] && k->key[i] != key)
        i = (i + 1) & (k->cap - 1);
    return i;
}

static void grow(struct sn_arena *a, struct sn_keys *k)
{
    struct sn_keys old = *k;
    k->cap = old.cap ? old.cap * 2 : 64;
    k->key = SN_NEW(a, uint64_t, k->cap);
    k->count = SN_NEW(a, uint32_t, k->cap);
    for (uint32_t i = 0; i < old.cap; i++) {
        if (!old.count[i])
            continue;
        uint32_t at = find(k, old.key[i]);
        k->key[at] = old.key[i];
        k->count[at] = old.count[i];
    }
}

uint32_t *sn_keys_slot(struct sn_arena *a, struct sn_keys *k, uint64_t key)
{
    if (2 * k->n >= k->cap)
        grow(a, k);
    uint32_t i = find(k, key);
    if (!k->count[i]) {
        k->key[i] = key;
        k->count[i] = 1;
        k->n++;
    }
    return &k->count[i];
}
