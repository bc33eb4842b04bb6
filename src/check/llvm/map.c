/*
 * map.c: the open hash map and the growing array of the lowering. Out of memory ends the process, as
 * everywhere in the command.
 */
#include <stdlib.h>
#include <string.h>

#include "check/llvm/llvm.h"

static size_t slot_of(const struct sn_lower_map *m, uint64_t key)
{
    size_t i = (size_t)((key * 0x9e3779b97f4a7c15ull) >> 20) & (m->cap - 1);
    while (m->key[i] != 0 && m->key[i] != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

static void *must(void *p)
{
    if (p == NULL)
        abort();
    return p;
}

static void resize(struct sn_lower_map *m, size_t cap)
{
    struct sn_lower_map old = *m;
    m->cap = cap;
    m->key = must(calloc(cap, sizeof *m->key));
    m->value = must(calloc(cap, sizeof *m->value));
    for (size_t i = 0; i < old.cap; i++) {
        if (old.key[i] != 0) {
            size_t s = slot_of(m, old.key[i]);
            m->key[s] = old.key[i];
            m->value[s] = old.value[i];
        }
    }
    free(old.key);
    free(old.value);
}

uint32_t *sn_lower_map_find(const struct sn_lower_map *m, uint64_t key)
{
    if (m->n == 0)
        return NULL;
    size_t i = slot_of(m, key);
    return m->key[i] == key ? &m->value[i] : NULL;
}

uint32_t *sn_lower_map_put(struct sn_lower_map *m, uint64_t key, uint32_t value)
{
    if (m->n * 2 >= m->cap)
        resize(m, m->cap ? m->cap * 2 : 64);
    size_t i = slot_of(m, key);
    if (m->key[i] == 0) {
        m->key[i] = key;
        m->value[i] = value;
        m->n++;
    }
    return &m->value[i];
}

void sn_lower_map_clear(struct sn_lower_map *m)
{
    if (m->n != 0)
        memset(m->key, 0, m->cap * sizeof *m->key);
    m->n = 0;
}

void sn_lower_map_free(struct sn_lower_map *m)
{
    free(m->key);
    free(m->value);
    *m = (struct sn_lower_map){0};
}

void *sn_grow(void *p, size_t n, size_t bytes, size_t *cap)
{
    if (n < *cap)
        return p;
    *cap = *cap ? *cap * 2 : 64;
    return must(realloc(p, *cap * bytes));
}
