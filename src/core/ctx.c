/*
 * ctx.c: the table of calling contexts. Nodes are appended and never removed; a lookup takes no
 * lock, an insertion publishes the node with one compare-and-swap of a link that is empty.
 *
 * A recursion over a large tree has as many contexts as the tree has nodes, and then the time of a
 * lookup is that of its cache misses. So the places of one function share cache lines of links, and
 * a link has some bits of the hash beside the number: mostly one line is looked at, and no node but
 * the one that is wanted. Only when a line is full its nodes get chains.
 *
 * What a call site calls is read from the call instruction before it, so that a function which
 * calls itself at forty places, where the compiler has inlined it into itself, is known as one
 * recursion.
 */
#include "core/ctx.h"

#include <string.h>

#include "core/ctx_cache.h"

#include "core/count.h"
#include "core/sys.h"
#include "core/thread.h"

enum {
    CHUNK_BITS = 14,
    LINE_BITS = 16,
    LINE = 16,
    FRONT_BITS = 9,
    FOLD_DEPTH = 48,
    TAG_BITS = 9,
    MANY = 1 << 15,            /* contexts: recursion is folded at once */
    TOO_MANY = 1 << 19,        /* and deep stacks are cut */
    DEEP = 16,                 /* frames; half of them at twice as many contexts */
    MANY_COMPOSITES = 1 << 17, /* then they have three places at most */
};
_Static_assert(TAG_BITS + SN_CTX_BITS == 32, "a link is 32 bits");

struct node {
    uintptr_t pc;
    uint32_t parent; /* bit 31: composite, see sn_ctx_both() */
    uint32_t next;   /* a link to one for which a full line had no room; atomic */
    uint32_t target; /* the node itself, or the earlier one that a recursion folds to */
    uint32_t depth;  /* frames */
    uint32_t callee; /* callee_of(), 0: not asked yet; atomic */
};

/* What stands for a function that is not known, and is never equal to another. */
enum { NO_CALLEE = 1 };

bool (*sn_ctx_is_code)(uintptr_t pc) SN_HOT;

static struct node *chunks[SN_CTX_MAX >> CHUNK_BITS];
static _Alignas(64) uint32_t lines[1u << LINE_BITS][LINE] SN_LARGE;
/* In front of them, so that a small program touches few pages, and does not pay for two of them
 * with every context. */
static uint32_t fronts[1u << FRONT_BITS] SN_HOT;
static uint32_t next_node SN_HOT = 1;
static uint32_t composites SN_HOT;

/* How many contexts there are. */
static uint32_t count(void)
{
    return __atomic_load_n(&next_node, __ATOMIC_RELAXED);
}

static struct node *at(uint32_t n)
{
    return &chunks[n >> CHUNK_BITS][n & ((1u << CHUNK_BITS) - 1)];
}

static uint32_t new_node(void)
{
    uint32_t n = __atomic_fetch_add(&next_node, 1, __ATOMIC_RELAXED);
    if (n >= SN_CTX_MAX) {
        __atomic_store_n(&next_node, SN_CTX_MAX, __ATOMIC_RELAXED);
        sn_count(LOST_CONTEXT);
        return 0;
    }
    struct node **chunk = &chunks[n >> CHUNK_BITS];
    if (!__atomic_load_n(chunk, __ATOMIC_ACQUIRE)) {
        struct node *fresh = sn_map(sizeof(struct node) << CHUNK_BITS), *none = 0;
        if (!fresh) {
            sn_count(LOST_CONTEXT);
            return 0;
        }
        if (!__atomic_compare_exchange_n(chunk, &none, fresh, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE))
            sn_unmap(fresh, sizeof(struct node) << CHUNK_BITS);
    }
    return n;
}

/* The function that the call before pc enters, as a number. */
static uint32_t callee_before(uintptr_t pc)
{
    enum { CALL = 0xe8, LENGTH = 5 }; /* of a direct one */
    int32_t distance;
    if (!sn_ctx_is_code || !sn_ctx_is_code(pc - LENGTH) || *(const uint8_t *)(pc - LENGTH) != CALL)
        return NO_CALLEE;
    memcpy(&distance, (const void *)(pc - sizeof distance), sizeof distance);
    uint32_t callee = (uint32_t)(pc + (uintptr_t)(intptr_t)distance);
    return callee > NO_CALLEE ? callee : NO_CALLEE;
}

static uint32_t callee_of(struct node *n)
{
    uint32_t callee = __atomic_load_n(&n->callee, __ATOMIC_RELAXED);
    if (!callee)
        __atomic_store_n(&n->callee, callee = callee_before(n->pc), __ATOMIC_RELAXED);
    return callee;
}

/* The last frames of a context: the one to which the function goes back that is called again. */
static uint32_t entered_before(uint32_t parent, uint32_t callee)
{
    for (int depth = 0; parent && depth < FOLD_DEPTH; depth++, parent = at(parent)->parent)
        if (callee_of(at(parent)) == callee)
            return parent;
    return 0;
}

/* A call site that already stands three times among the last frames is recursion; with many
 * contexts also one that does once, or that calls a function which was entered in one of these
 * frames. The node to go back to, or 0. Keeps the number of contexts finite where the stack is not.
 */
static uint32_t fold(uint32_t parent, uintptr_t pc)
{
    uint32_t seen = 0, callee = count() < MANY ? NO_CALLEE : callee_before(pc);
    int repeats = 0, enough = count() < MANY ? 3 : 1;
    if (callee != NO_CALLEE)
        return entered_before(parent, callee);
    for (int depth = 0; parent && depth < FOLD_DEPTH; depth++) {
        struct node *n = at(parent);
        if (n->pc == pc) {
            seen = seen ? seen : parent;
            if (++repeats == enough)
                return seen;
        }
        parent = n->parent;
    }
    return 0;
}

static uint64_t hash_of(uint32_t parent, uintptr_t pc)
{
    return (pc ^ ((uint64_t)parent << 40) ^ ((uint64_t)parent >> 24)) * 0x9e3779b97f4a7c15ull;
}

/* The upper bits of the hash, below those of `fronts`, know of both. */
static uint32_t link_to(uint32_t node, uint64_t hash)
{
    return node | (uint32_t)(hash >> (64 - FRONT_BITS - TAG_BITS)) << SN_CTX_BITS;
}

static uint32_t node_of(uint32_t link)
{
    return link & (SN_CTX_MAX - 1);
}

static bool is_node(uint32_t link, uint32_t parent, uintptr_t pc, uint64_t hash)
{
    const struct node *n = at(node_of(link));
    return link == link_to(node_of(link), hash) && n->pc == pc && n->parent == parent;
}

/* The link that is (parent, pc)'s, or that is empty and will be; *found is what it holds. */
static uint32_t *find(uint32_t parent, uintptr_t pc, uint64_t hash, uint32_t *found)
{
    uint32_t *link = &fronts[hash >> (64 - FRONT_BITS)];
    uint32_t first = parent * 0x9e3779b1u >> (32 - LINE_BITS); /* of the function's lines */
    uint32_t *line = lines[(first + (uint32_t)(pc >> 6)) & ((1u << LINE_BITS) - 1)];
    unsigned start = pc >> 2 & (LINE - 1);
    for (unsigned i = 0;; i++) {
        *found = __atomic_load_n(link, __ATOMIC_ACQUIRE); /* pairs with the swap in intern() */
        if (!*found || is_node(*found, parent, pc, hash))
            return link;
        if (i < LINE)
            link = &line[(start + i) & (LINE - 1)];
        else
            link = &at(node_of(i == LINE ? line[start] : *found))->next;
    }
}

static uint32_t intern(uint32_t parent, uintptr_t pc, int may_fold)
{
    uint64_t hash = hash_of(parent, pc);
    uint32_t found, *link = find(parent, pc, hash, &found);
    if (found)
        return at(node_of(found))->target;
    uint32_t n = new_node();
    if (!n)
        return 0;
    struct node *fresh = at(n);
    uint32_t back = may_fold ? fold(parent, pc) : 0;
    int composite = (parent & SN_CTX_COMPOSITE) != 0;
    *fresh = (struct node){
        pc, parent, 0, back ? back : n, parent && !composite ? at(parent)->depth + 1 : 1, 0};
    if (composite)
        __atomic_fetch_add(&composites, 1, __ATOMIC_RELAXED);
    if (composite && !(uint32_t)pc)
        sn_count(LOST_CONTEXT);
    while (!__atomic_compare_exchange_n(link, &found, link_to(n, hash), 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
        link = find(parent, pc, hash, &found);
        if (found)
            return at(node_of(found))->target; /* another thread was first; ours stays unused */
    }
    return fresh->target;
}

/* A recursion with many call sites, each of which stands for others that the compiler has inlined,
 * has more contexts than anybody wants to keep: the frames beyond the first ones are left out. */
static int is_too_deep(uint32_t parent)
{
    uint32_t n = count();
    return n >= TOO_MANY && parent && at(parent)->depth >= (n < 2 * TOO_MANY ? DEEP : DEEP / 2);
}

uint32_t sn_ctx_child(uint32_t parent, uintptr_t pc)
{
    if (SN_UNLIKELY(is_too_deep(parent))) {
        sn_count(LOST_CONTEXT);
        return parent;
    }
    uint32_t n = intern(parent, pc, 1);
    return n ? n : parent;
}

uint32_t sn_ctx_leaf(uint32_t parent, uintptr_t pc)
{
    return intern(parent, pc, 0);
}

uint32_t sn_ctx_where(struct sn_thread *t, uintptr_t pc)
{
    return sn_ctx_leaf(sn_ctx_here(t), pc);
}

uint32_t sn_ctx_for_byte(uint32_t node, unsigned byte)
{
    while (node && (at(node)->parent & SN_CTX_COMPOSITE)) {
        struct node *n = at(node);
        if (n->pc >> 32 & (1u << byte))
            return n->parent & ~SN_CTX_COMPOSITE;
        node = (uint32_t)n->pc;
    }
    return node;
}

unsigned sn_ctx_stack(uint32_t node, uintptr_t *pcs, unsigned max)
{
    unsigned n = 0;
    node = sn_ctx_for_byte(node, 0);
    for (; node && n < max; node = at(node)->parent)
        pcs[n++] = SN_CTX_PC(at(node)->pc);
    return n;
}

static uintptr_t tagged_pc(uint32_t node)
{
    return node ? at(sn_ctx_for_byte(node, 0))->pc : 0;
}

uintptr_t sn_ctx_pc(uint32_t node)
{
    return SN_CTX_PC(tagged_pc(node));
}

uint32_t sn_ctx_parent(uint32_t node)
{
    return node ? at(sn_ctx_for_byte(node, 0))->parent : 0;
}

unsigned sn_ctx_op(uint32_t node)
{
    return (unsigned)(tagged_pc(node) >> 60);
}

unsigned sn_ctx_size(uint32_t node)
{
    unsigned code = (unsigned)(tagged_pc(node) >> 56) & 15;
    return code ? 1u << (code - 1) : 0;
}

static int is_composite(uint32_t node)
{
    return node && (at(node)->parent & SN_CTX_COMPOSITE);
}

/* Of a composite its newest part, and what is below it if that is one place; else nothing: bytes
 * that were accessed before those two have no place. */
static uint32_t shortened(uint32_t node)
{
    if (!is_composite(node) || !is_composite((uint32_t)at(node)->pc))
        return node;
    return sn_ctx_leaf(at(node)->parent, at(node)->pc >> 32 << 32);
}

/* Eight bytes, each accessed at one of ten places by itself, would be a hundred million composites.
 */
static uint32_t composite(uint32_t parent, uintptr_t pc)
{
    uint32_t older = (uint32_t)pc;
    if (__atomic_load_n(&composites, __ATOMIC_RELAXED) >= MANY_COMPOSITES)
        older = shortened(older);
    return sn_ctx_leaf(parent, (pc >> 32 << 32) | older);
}

SN_NOINLINE uint32_t sn_ctx_fill(struct sn_ctx_entry *e, uint32_t parent, uintptr_t pc, int leaf)
{
    uint32_t node = parent & SN_CTX_COMPOSITE ? composite(parent, pc)
                    : leaf                    ? sn_ctx_leaf(parent, pc)
                                              : sn_ctx_child(parent, pc);
    *e = (struct sn_ctx_entry){pc, parent, node};
    return node;
}

SN_NOINLINE uint32_t sn_ctx_here_slow(struct sn_thread *t)
{
    struct sn_call_frame *f = t->sp;
    while (f > t->frames && !f[-1].ctx)
        f--;
    uint32_t ctx = f > t->frames ? f[-1].ctx : 0;
    for (; f < t->sp; f++) {
        struct sn_ctx_entry *e = sn_ctx_slot(t, ctx, f->pc);
        ctx = e->pc == f->pc && e->parent == ctx ? e->node : sn_ctx_fill(e, ctx, f->pc, 0);
        f->ctx = ctx;
    }
    return ctx;
}

SN_NOINLINE void sn_call_push_slow(struct sn_thread *t, uintptr_t caller, uintptr_t rsp,
                                   uintptr_t rbp)
{
    sn_thread_grow_frames(t);
    if (t->sp == t->frames_end) {
        t->frames_lost++;
        t->low = t->sp;
        return;
    }
    *t->sp++ = (struct sn_call_frame){rsp, rbp, caller, 0, 0};
}

/* A call that was not kept, or one that was begun before anybody looked. */
SN_NOINLINE void sn_call_pop_slow(struct sn_thread *t)
{
    if (t->frames_lost && !--t->frames_lost)
        t->low = t->frames;
}

/* For src/fast as it once was. */
SN_EXPORT void snag_call_push_slow(struct sn_thread *t, uintptr_t caller, uintptr_t rsp,
                                   uintptr_t rbp) __attribute__((alias("sn_call_push_slow")));
