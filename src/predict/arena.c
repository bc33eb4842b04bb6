/* arena.c: chunks of a megabyte, or as large as one request needs. */
#include "predict/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)1 << 20)
#define ALIGN 16

struct sn_arena_chunk {
    struct sn_arena_chunk *next;
    size_t size;
    max_align_t data[];
};

static struct sn_arena_chunk *new_chunk(size_t bytes)
{
    struct sn_arena_chunk *c = malloc(sizeof *c + bytes);
    if (!c) {
        fprintf(stderr, "snag: out of memory\n");
        abort();
    }
    c->size = bytes;
    return c;
}

void *sn_arena_get(struct sn_arena *a, size_t bytes)
{
    bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (!a->chunk || bytes > a->chunk->size - a->used) {
        struct sn_arena_chunk *c = new_chunk(bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES);
        c->next = a->chunk;
        a->chunk = c;
        a->used = 0;
        a->total += c->size;
    }
    void *p = (char *)a->chunk->data + a->used;
    a->used += bytes;
    return memset(p, 0, bytes);
}

void *sn_arena_grow(struct sn_arena *a, const void *old, size_t used, size_t want)
{
    void *p = sn_arena_get(a, want);
    if (used)
        memcpy(p, old, used);
    return p;
}

void sn_arena_free(struct sn_arena *a)
{
    while (a->chunk) {
        struct sn_arena_chunk *c = a->chunk;
        a->chunk = c->next;
        free(c);
    }
    a->used = a->total = 0;
}
