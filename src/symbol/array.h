/*
 * array.h: growing arrays and copied strings of this folder. When memory is out the command ends,
 * as everywhere in the CLI, so nobody tests these results.
 */
#ifndef SN_SYMBOL_ARRAY_H
#define SN_SYMBOL_ARRAY_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Room for one item more than the n that are there. */
static inline void *sn_array_room(void *items, size_t n, size_t *cap, size_t item_bytes)
{
    if (n < *cap)
        return items;
    *cap = *cap ? *cap * 2 : 16;
    items = reallocarray(items, *cap, item_bytes);
    if (!items)
        abort();
    return items;
}

static inline char *sn_array_string(const char *s)
{
    char *copy = s ? strdup(s) : NULL;
    if (s && !copy)
        abort();
    return copy;
}

#endif
