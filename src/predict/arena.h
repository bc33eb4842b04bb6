/*
 * arena.h: memory of one window's analysis: handed out in order, given back as a whole. Out of
 * memory ends the process, as in all of the command.
 */
#ifndef SN_PREDICT_ARENA_H
#define SN_PREDICT_ARENA_H

#include <stddef.h>

struct sn_arena_chunk;

struct sn_arena {
    struct sn_arena_chunk *chunk;
    size_t used, total; /* in the newest chunk; in all of them */
};

/* Zeroed, aligned for any type. */
void *sn_arena_get(struct sn_arena *a, size_t bytes);
#define SN_NEW(a, type, n) ((type *)sn_arena_get((a), (size_t)(n) * sizeof(type)))
/* Everything at once; the arena can be used again. */
void sn_arena_free(struct sn_arena *a);

/* An array in an arena that grows by doubling; the old copy stays until the arena goes. */
#define SN_PUSH(a, array, n, cap, ...)                                                             \
    do {                                                                                           \
        if ((n) == (cap)) {                                                                        \
            (cap) = (cap) ? (cap)*2 : 16;                                                          \
            (array) = sn_arena_grow((a), (array), (size_t)(n) * sizeof *(array),                   \
                                    (size_t)(cap) * sizeof *(array));                              \
        }                                                                                          \
        (array)[(n)++] = __VA_ARGS__;                                                              \
    } while (0)
void *sn_arena_grow(struct sn_arena *a, const void *old, size_t used, size_t want);

#endif
