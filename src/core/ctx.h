/*
 * ctx.h: calling contexts as small integers.
 *
 * A node is (parent node, program counter); nodes are interned in one process-wide table, so equal
 * stacks have equal numbers and a stack costs four bytes wherever it is kept. Node 0 is the empty
 * stack. A thread's current context moves with __tsan_func_entry/exit; sn_ctx_where() adds the site
 * itself as the leaf. Every thread has a small cache in front of the table.
 *
 * Recursion is folded: a call site that is already among the last few frames does not make a new
 * node each time around. With some ten thousand contexts a function that is entered again goes back
 * to where it was entered before; with some hundred thousand deep stacks are cut, and of the places
 * of a granule's bytes only the last are kept (counted): what nobody will read must not cost the
 * program its speed. Otherwise contexts are exact, until there are SN_CTX_MAX of them.
 */
#ifndef SN_CORE_CTX_H
#define SN_CORE_CTX_H

#include <stdbool.h>
#include <stdint.h>

#define SN_CTX_BITS 23
#define SN_CTX_MAX (1u << SN_CTX_BITS) /* what a shadow word has room for */
#define SN_MAX_STACK 64                /* frames shown */

struct sn_thread;

/* The node for (parent, pc), made if needed; parent itself when the table is full (counted). */
uint32_t sn_ctx_child(uint32_t parent, uintptr_t pc);
/* The program's code is there and can be read; null: nowhere. */
extern bool (*sn_ctx_is_code)(uintptr_t pc);
/* The calling context of `t` with `pc` as its leaf. */
uint32_t sn_ctx_where(struct sn_thread *t, uintptr_t pc);
/* A leaf: like a child, but never folded. 0 when the table is full. */
uint32_t sn_ctx_leaf(uint32_t parent, uintptr_t pc);
#define SN_CTX_COMPOSITE 0x80000000u /* in a node's parent: made by sn_ctx_both(), ctx_cache.h */
uint32_t sn_ctx_for_byte(uint32_t node, unsigned byte);
/* A leaf's pc carries in its upper bits what is done there: enum sn_op, and the size as a power of
 * two (0: not known, or a range). User addresses leave bits 56 and up free. */
#define SN_CTX_TAG(op, size)                                                                       \
    ((uint64_t)(op) << 60 |                                                                        \
     (uint64_t)((size) == 1 || (size) == 2 || (size) == 4 || (size) == 8 || (size) == 16           \
                    ? __builtin_ctzll(size) + 1                                                    \
                    : 0)                                                                           \
         << 56)
#define SN_CTX_PC(tagged) ((tagged) & ((1ull << 56) - 1))
unsigned sn_ctx_op(uint32_t node);   /* enum sn_op */
unsigned sn_ctx_size(uint32_t node); /* bytes; 0 not known */
/* Innermost first; at most max. Returns the number of program counters. */
unsigned sn_ctx_stack(uint32_t node, uintptr_t *pcs, unsigned max);
uintptr_t sn_ctx_pc(uint32_t node);
uint32_t sn_ctx_parent(uint32_t node);

#endif
