/*
 * lockset.h: sets of held locks as small integers.
 *
 * A set is a node of a trie whose path from the root has the locks in the order of their serial
 * numbers, so equal sets have equal nodes whatever the order of locking (TREE's concurrency context,
 * thesis section 3.3). Node 0 is the empty set. Nodes are interned in one process-wide table and never
 * removed; a thread's steps from set to set, and its answers about pairs of sets, are cached.
 */
#ifndef SN_HYBRID_LOCKSET_H
#define SN_HYBRID_LOCKSET_H

#include <stdint.h>

#include "core/sync.h"
#include "core/thread.h"

enum {
    SN_LOCKSET_BITS = 24,         /* what a history record has room for */
    SN_LOCKSET_MAX = 1 << 22,     /* sets of a process: 128 MiB, mapped on demand */
    SN_LOCKSET_UNKNOWN = 0xffffff, /* the table was full: taken as protected by everything */
    SN_LOCKSET_STEPS = 64,
    SN_LOCKSET_PAIRS = 256,
};

/* A thread's memory of recent answers. */
struct sn_lockset_cache {
    struct {
        uint32_t from, lock, how, to;
    } step[SN_LOCKSET_STEPS];
    struct {
        uint32_t a, b, apart, within;
    } pair[SN_LOCKSET_PAIRS];
};

uint32_t sn_lockset_add(struct sn_lockset_cache *c, uint32_t set, struct sn_sync *lock, int shared);
uint32_t sn_lockset_remove(struct sn_lockset_cache *c, uint32_t set, struct sn_sync *lock);
/* 1: no lock is in both, other than one that both hold for reading only. */
int sn_lockset_apart(struct sn_lockset_cache *c, uint32_t a, uint32_t b);
/* 1: whatever is apart from b is apart from a: every lock of a is in b, held at least as firmly. */
int sn_lockset_within(struct sn_lockset_cache *c, uint32_t a, uint32_t b);
/* The locks that are in both; for reading when it is so in either. */
uint32_t sn_lockset_common(uint32_t a, uint32_t b);
/* The locks of a set, for reports; the number of them, -1: not known. */
int sn_lockset_list(uint32_t set, struct sn_held *out, int max);

#endif
