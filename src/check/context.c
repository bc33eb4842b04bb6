/* context.c: see context.h. */
#include "check/context.h"

#include <stdlib.h>

static size_t slot_of(const struct sn_contexts *c, uint32_t parent, uint32_t pc)
{
    uint64_t h = ((uint64_t)parent << 32 | pc) * 0x9e3779b97f4a7c15ull;
    size_t i = (size_t)(h >> 24) & (c->cap_hash - 1);
    while (c->hash[i] != 0) {
        const struct sn_context_node *n = &c->node[c->hash[i]];
        if (n->parent == parent && n->pc == pc)
            break;
        i = (i + 1) & (c->cap_hash - 1);
    }
    return i;
}

static void *must(void *p)
{
    if (p == NULL)
        abort();
    return p;
}

static void grow(struct sn_contexts *c)
{
    c->cap = c->cap ? c->cap * 2 : 1024;
    c->node = must(realloc(c->node, c->cap * sizeof *c->node));
    if (c->n == 0)
        c->node[c->n++] = (struct sn_context_node){0, 0};
    free(c->hash);
    c->cap_hash = c->cap * 2;
    c->hash = must(calloc(c->cap_hash, sizeof *c->hash));
    for (uint32_t i = 1; i < c->n; i++)
        c->hash[slot_of(c, c->node[i].parent, c->node[i].pc)] = i;
}

uint32_t sn_context_find(struct sn_contexts *c, uint32_t parent, uint32_t pc)
{
    if (c->n == c->cap)
        grow(c);
    size_t i = slot_of(c, parent, pc);
    if (c->hash[i] != 0)
        return c->hash[i];
    if (c->n >= SN_CONTEXT_MAX)
        return parent;
    c->node[c->n] = (struct sn_context_node){parent, pc};
    c->hash[i] = (uint32_t)c->n;
    return (uint32_t)c->n++;
}

void sn_contexts_free(struct sn_contexts *c)
{
    free(c->node);
    free(c->hash);
}
