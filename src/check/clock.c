/* clock.c: see clock.h. */
#include "check/clock.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 65536u

struct sn_run_arena_chunk {
    struct sn_run_arena_chunk *next;
    size_t bytes;
    _Alignas(16) unsigned char data[];
};

static struct sn_run_arena_chunk *new_chunk(size_t bytes)
{
    size_t n = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    struct sn_run_arena_chunk *c = malloc(sizeof *c + n);
    if (c == NULL)
        abort();
    c->next = NULL;
    c->bytes = n;
    return c;
}

/* Goes on to the next chunk that is large enough; chunks of earlier runs are used again. */
static void advance(struct sn_run_arena *a, size_t bytes)
{
    struct sn_run_arena_chunk **link = a->now ? &a->now->next : &a->first;
    if (*link == NULL || (*link)->bytes < bytes) {
        struct sn_run_arena_chunk *c = new_chunk(bytes);
        c->next = *link;
        *link = c;
    }
    a->now = *link;
    a->used = 0;
}

void *sn_run_arena_take(struct sn_run_arena *a, size_t bytes)
{
    bytes = (bytes + 15) / 16 * 16;
    if (a->now == NULL || a->now->bytes - a->used < bytes)
        advance(a, bytes);
    void *p = a->now->data + a->used;
    a->used += bytes;
    return memset(p, 0, bytes);
}

void sn_run_arena_reset(struct sn_run_arena *a)
{
    a->now = a->first;
    a->used = 0;
}

void sn_run_arena_free(struct sn_run_arena *a)
{
    for (struct sn_run_arena_chunk *c = a->first, *next; c != NULL; c = next) {
        next = c->next;
        free(c);
    }
    *a = (struct sn_run_arena){0};
}

static void reserve(struct sn_run_arena *a, struct sn_vclock *c, uint32_t n)
{
    if (n <= c->n)
        return;
    if (n > c->cap) {
        uint32_t cap = n < 8 ? 8 : (n + n / 2);
        uint32_t *at = sn_run_arena_take(a, cap * sizeof *at);
        if (c->n > 0)
            memcpy(at, c->at, c->n * sizeof *at);
        c->at = at;
        c->cap = cap;
    } else {
        memset(c->at + c->n, 0, (n - c->n) * sizeof *c->at);
    }
    c->n = n;
}

void sn_vclock_set(struct sn_run_arena *a, struct sn_vclock *c, uint32_t task, uint32_t time)
{
    reserve(a, c, task + 1);
    c->at[task] = time;
}

void sn_vclock_join(struct sn_run_arena *a, struct sn_vclock *to, const struct sn_vclock *from)
{
    reserve(a, to, from->n);
    for (uint32_t i = 0; i < from->n; i++)
        to->at[i] = to->at[i] > from->at[i] ? to->at[i] : from->at[i];
}

void sn_vclock_copy(struct sn_run_arena *a, struct sn_vclock *to, const struct sn_vclock *from)
{
    to->n = 0;
    reserve(a, to, from->n);
    if (from->n > 0)
        memcpy(to->at, from->at, from->n * sizeof *to->at);
}
