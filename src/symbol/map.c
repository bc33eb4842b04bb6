/*
 * map.c: open addressing with linear probing, never more than half full.
 */
#include "symbol/map.h"

#include "store/xalloc.h"

struct sn_map_slot {
    uint64_t key;
    uint32_t value;
    bool used;
};

static size_t home(const struct sn_map *m, uint64_t key)
{
    key = (key ^ (key >> 31)) * 0x9e3779b97f4a7c15ull;
    return (key >> 20) & (m->cap - 1);
}

bool sn_map_get(const struct sn_map *m, uint64_t key, uint32_t *value)
{
    if (!m->cap)
        return false;
    for (size_t i = home(m, key); m->slot[i].used; i = (i + 1) & (m->cap - 1)) {
        if (m->slot[i].key == key) {
            *value = m->slot[i].value;
            return true;
        }
    }
    return false;
}

static void grow(struct sn_map *m)
{
    struct sn_map old = *m;
    m->cap = old.cap ? old.cap * 2 : 64;
    m->n = 0;
    m->slot = sn_xcalloc(m->cap, sizeof *m->slot);
    for (size_t i = 0; i < old.cap; i++) {
        if (old.slot[i].used)
            sn_map_put(m, old.slot[i].key, old.slot[i].value);
    }
    free(old.slot);
}

void sn_map_put(struct sn_map *m, uint64_t key, uint32_t value)
{
    if (m->n * 2 >= m->cap)
        grow(m);
    size_t i = home(m, key);
    while (m->slot[i].used)
        i = (i + 1) & (m->cap - 1);
    m->slot[i] = (struct sn_map_slot){key, value, true};
    m->n++;
}

void sn_map_free(struct sn_map *m)
{
    free(m->slot);
    *m = (struct sn_map){0};
}
