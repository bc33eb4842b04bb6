/*
 * map.h: a hash table from 64-bit keys to 32-bit values; the caches of this folder. Nothing is ever
 * taken out.
 */
#ifndef SN_SYMBOL_MAP_H
#define SN_SYMBOL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sn_map {
    struct sn_map_slot *slot;
    size_t n, cap; /* cap: a power of two, at least twice n */
};

bool sn_map_get(const struct sn_map *m, uint64_t key, uint32_t *value);
void sn_map_put(struct sn_map *m, uint64_t key, uint32_t value); /* key is not there yet */
void sn_map_free(struct sn_map *m);

#endif
