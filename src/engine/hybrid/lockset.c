/* lockset.c: the trie of lock sets. A look-up walks a hash chain without a lock; a new node is
 * published by one compare-and-swap of the bucket. */
#include "lockset.h"

#include "core/count.h"
#include "core/sys.h"

enum { CHUNK_BITS = 12, BUCKET_BITS = 16, MAX_DEPTH = 512, ADD = 1, ADD_SHARED = 2, REMOVE = 3 };

struct node {
    uint32_t parent, next;
    uint32_t id;     /* the lock's serial number: greater than every one above */
    uint32_t shared; /* held for reading */
    uint32_t exclusive; /* some lock on the path is not held for reading only */
    uint32_t pad;
    struct sn_sync *lock;
};

static struct node *chunks[SN_LOCKSET_MAX >> CHUNK_BITS];
static uint32_t buckets[1u << BUCKET_BITS];
static uint32_t next_node = 1;

static struct node *at(uint32_t n)
{
    return &chunks[n >> CHUNK_BITS][n & ((1u << CHUNK_BITS) - 1)];
}

static uint32_t new_node(void)
{
    uint32_t n = __atomic_fetch_add(&next_node, 1, __ATOMIC_RELAXED);
    if (n >= SN_LOCKSET_MAX) {
        __atomic_store_n(&next_node, SN_LOCKSET_MAX, __ATOMIC_RELAXED);
        return 0;
    }
    struct node **chunk = &chunks[n >> CHUNK_BITS];
    if (!__atomic_load_n(chunk, __ATOMIC_ACQUIRE)) {
        struct node *fresh = sn_map(sizeof(struct node) << CHUNK_BITS), *none = 0;
        if (!fresh)
            return 0;
        if (!__atomic_compare_exchange_n(chunk, &none, fresh, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE))
            sn_unmap(fresh, sizeof(struct node) << CHUNK_BITS);
    }
    return n;
}

static uint32_t lookup(uint32_t head, uint32_t parent, uint32_t id, uint32_t shared)
{
    for (; head; head = at(head)->next) {
        struct node *n = at(head);
        if (n->parent == parent && n->id == id && n->shared == shared)
            return head;
    }
    return 0;
}

static uint32_t child(uint32_t parent, uint32_t id, uint32_t shared, struct sn_sync *lock)
{
    uint64_t h = ((uint64_t)parent << 33 ^ (uint64_t)id << 1 ^ shared) * 0x9e3779b97f4a7c15ull;
    uint32_t *bucket = &buckets[h >> (64 - BUCKET_BITS)];
    uint32_t head = __atomic_load_n(bucket, __ATOMIC_ACQUIRE); /* pairs with the swap below */
    uint32_t found = lookup(head, parent, id, shared);
    if (found)
        return found;
    uint32_t n = new_node();
    if (!n) {
        sn_count(LOST_LOCK);
        return SN_LOCKSET_UNKNOWN;
    }
    *at(n) = (struct node){parent, head, id, shared, !shared || (parent && at(parent)->exclusive), 0,
                           lock};
    while (!__atomic_compare_exchange_n(bucket, &head, n, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        found = lookup(head, parent, id, shared);
        if (found)
            return found; /* another thread was first; our node stays unused */
        at(n)->next = head;
    }
    return n;
}

/* The set with the lock added (or, how == REMOVE, taken out): the path above the place stays, the
 * nodes below are looked up again. */
static uint32_t rebuild(uint32_t set, struct sn_sync *lock, uint32_t how)
{
    uint32_t below[MAX_DEPTH], n = 0;
    while (set && at(set)->id > lock->id) {
        if (n == MAX_DEPTH) {
            sn_count(LOST_LOCK);
            return SN_LOCKSET_UNKNOWN;
        }
        below[n++] = set;
        set = at(set)->parent;
    }
    if (set && at(set)->id == lock->id) {
        if (how == ADD_SHARED && !at(set)->shared)
            how = ADD; /* held for writing already */
        set = at(set)->parent;
    }
    if (how != REMOVE)
        set = child(set, lock->id, how == ADD_SHARED, lock);
    while (n-- > 0 && set != SN_LOCKSET_UNKNOWN)
        set = child(set, at(below[n])->id, at(below[n])->shared, at(below[n])->lock);
    return set;
}

static uint32_t step(struct sn_lockset_cache *c, uint32_t set, struct sn_sync *lock, uint32_t how)
{
    if (SN_UNLIKELY(set == SN_LOCKSET_UNKNOWN))
        return set;
    unsigned slot = (set * 5 ^ lock->id * 3 ^ how) % SN_LOCKSET_STEPS;
    if (c->step[slot].from == set && c->step[slot].lock == lock->id && c->step[slot].how == how)
        return c->step[slot].to;
    uint32_t to = rebuild(set, lock, how);
    c->step[slot].from = set;
    c->step[slot].lock = lock->id;
    c->step[slot].how = how;
    c->step[slot].to = to;
    return to;
}

uint32_t sn_lockset_add(struct sn_lockset_cache *c, uint32_t set, struct sn_sync *lock, int shared)
{
    return step(c, set, lock, shared ? ADD_SHARED : ADD);
}

uint32_t sn_lockset_remove(struct sn_lockset_cache *c, uint32_t set, struct sn_sync *lock)
{
    return step(c, set, lock, REMOVE);
}

static int apart(uint32_t a, uint32_t b)
{
    if (a == b)
        return !a || !at(a)->exclusive;
    while (a && b) {
        struct node *x = at(a), *y = at(b);
        if (x->id == y->id) {
            if (!x->shared || !y->shared)
                return 0;
            a = x->parent;
            b = y->parent;
        } else if (x->id > y->id) {
            a = x->parent;
        } else {
            b = y->parent;
        }
    }
    return 1;
}

static int within(uint32_t a, uint32_t b)
{
    while (a) {
        while (b && at(b)->id > at(a)->id)
            b = at(b)->parent;
        if (!b || at(b)->id != at(a)->id || (at(b)->shared && !at(a)->shared))
            return 0;
        a = at(a)->parent;
    }
    return 1;
}

static unsigned look_up(struct sn_lockset_cache *c, uint32_t a, uint32_t b)
{
    unsigned slot = (a * 31 ^ b) % SN_LOCKSET_PAIRS;
    if (c->pair[slot].a != a || c->pair[slot].b != b) {
        c->pair[slot].a = a;
        c->pair[slot].b = b;
        c->pair[slot].apart = (uint32_t)apart(a, b);
        c->pair[slot].within = (uint32_t)within(a, b);
    }
    return slot;
}

int sn_lockset_apart(struct sn_lockset_cache *c, uint32_t a, uint32_t b)
{
    if (!a || !b)
        return 1;
    if (SN_UNLIKELY(a == SN_LOCKSET_UNKNOWN || b == SN_LOCKSET_UNKNOWN))
        return 0;
    return (int)c->pair[look_up(c, a, b)].apart;
}

int sn_lockset_within(struct sn_lockset_cache *c, uint32_t a, uint32_t b)
{
    if (a == b || !a || b == SN_LOCKSET_UNKNOWN)
        return 1;
    if (!b || a == SN_LOCKSET_UNKNOWN)
        return 0;
    return (int)c->pair[look_up(c, a, b)].within;
}

uint32_t sn_lockset_common(uint32_t a, uint32_t b)
{
    uint32_t both[MAX_DEPTH], n = 0, set = 0;
    if (a == SN_LOCKSET_UNKNOWN || b == SN_LOCKSET_UNKNOWN)
        return a == SN_LOCKSET_UNKNOWN ? b : a;
    while (a && b) {
        struct node *x = at(a), *y = at(b);
        if (x->id == y->id && n < MAX_DEPTH) /* a lock left out makes a weaker set: nothing is lost */
            both[n++] = x->shared ? a : b;
        uint32_t id = x->id;
        if (id >= y->id)
            a = x->parent;
        if (y->id >= id)
            b = y->parent;
    }
    while (n-- > 0 && set != SN_LOCKSET_UNKNOWN)
        set = child(set, at(both[n])->id, at(both[n])->shared, at(both[n])->lock);
    return set;
}

int sn_lockset_list(uint32_t set, struct sn_held *out, int max)
{
    int n = 0;
    if (set == SN_LOCKSET_UNKNOWN)
        return -1;
    for (; set && n < max; set = at(set)->parent)
        out[n++] = (struct sn_held){at(set)->lock, at(set)->id, 0, 0, at(set)->shared};
    return n;
}
