/*
 * links.h: the memory of cells (cell.h): links of one cache line each, four accesses in a link, a
 * cell is a chain of them.
 */
#ifndef SN_RACE_LINKS_H
#define SN_RACE_LINKS_H

#include <stdint.h>

#include "clock.h"
#include "readset.h"
#include "word.h"

enum { SN_PER_LINK = 4, SN_LINK_MIXED = 255, SN_LINK_CHUNK_BITS = 12 };
/* 64 M links are 4 GiB: by then the machine has other worries; beyond it accesses are counted lost.
 */
enum { SN_LINKS = 1 << 26 };

/* One cache line; a cell is a chain of them. `lock` guards the chain; this and all that says so is
 * of the first link only. */
struct sn_link {
    union {
        uint32_t free_link; /* the slab's own */
        struct {            /* what threads keep for themselves; written under the lock only */
            uint8_t reads, atomics; /* bytes that they read, or access atomically */
            uint8_t members;        /* who: a bit per slot (modulo 8) */
        };
    };
    uint32_t lock;
    uint32_t next;
    uint8_t n;
    uint8_t stays; /* two words would not do, nothing was added since */
    uint8_t calm;  /* plain reads since the last plain write, up to sn_private_calm; SN_LINK_MIXED:
                      nothing is kept private; a late visitor may write it when the link is free */
    uint8_t turns; /* accesses since it was last looked whether fields would do (cell.h); a late
                      visitor may write it too */
    uint32_t version;          /* private words of an older one are void; only grows */
    uint8_t kind[SN_PER_LINK]; /* of the words; this and the next are looked at as one number */
    uint8_t mask[SN_PER_LINK]; /* theirs */
    uint32_t pad2;
    uint64_t word[SN_PER_LINK];
};
_Static_assert(sizeof(struct sn_link) == 64, "one cache line");

extern void *sn_link_chunks[SN_LINKS >> SN_LINK_CHUNK_BITS];

static inline struct sn_link *sn_link_at(uint32_t h)
{
    return (struct sn_link *)sn_link_chunks[h >> SN_LINK_CHUNK_BITS] +
           (h & ((1u << SN_LINK_CHUNK_BITS) - 1));
}

static inline void sn_link_set(struct sn_link *l, unsigned i, uint64_t word, unsigned kind)
{
    l->kind[i] = (uint8_t)kind;
    l->mask[i] = (uint8_t)sn_word_mask(word);
    l->word[i] = word;
}

/* The name of the cell whose first link it is. */
static inline uint64_t sn_link_name(uint32_t h)
{
    return sn_word_cell(h, sn_link_at(h)->version);
}

/* Two words may do again, and it pays. */
static inline int sn_link_may_go(const struct sn_race_thread *r, const struct sn_link *first)
{
    return sn_clock_is_long(r) && !first->stays;
}

/* A fresh cell, locked; 0: no room (counted). */
uint32_t sn_link_take(void);
/* It is locked, and nobody's any more. */
void sn_link_give(uint32_t first);
/* One more access; 0: no room (counted). The cell is locked. */
int sn_link_append(uint32_t first, uint64_t word, unsigned kind);
/* Empty links behind the first go back. */
void sn_link_tidy(uint32_t first);

#endif
