/*
 * context.h: call stacks as numbers: a tree whose nodes are (caller's stack, call instruction), each
 * kept once, over all runs. 0 is the empty stack.
 */
#ifndef SN_CHECK_CONTEXT_H
#define SN_CHECK_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

struct sn_context_node {
    uint32_t parent, pc;
};

#define SN_CONTEXT_CACHE 4096u
#define SN_CONTEXT_MAX (1u << 20) /* beyond, deeper stacks are told by their outer part */

struct sn_contexts {
    struct sn_context_node *node;
    size_t n, cap;
    uint32_t *hash; /* open addressing, node numbers */
    size_t cap_hash;
    struct {
        uint32_t parent, pc, node;
    } cache[SN_CONTEXT_CACHE];
};

uint32_t sn_context_find(struct sn_contexts *c, uint32_t parent, uint32_t pc);
void sn_contexts_free(struct sn_contexts *c);

static inline uint32_t sn_context_child(struct sn_contexts *c, uint32_t parent, uint32_t pc)
{
    uint32_t i = (parent * 0x9e3779b1u ^ pc * 0x85ebca6bu) >> 20 & (SN_CONTEXT_CACHE - 1);
    if (c->cache[i].parent == parent && c->cache[i].pc == pc && c->cache[i].node != 0)
        return c->cache[i].node;
    uint32_t node = sn_context_find(c, parent, pc);
    c->cache[i].parent = parent;
    c->cache[i].pc = pc;
    c->cache[i].node = node;
    return node;
}

#endif
