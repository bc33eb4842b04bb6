/*
 * readset.h: the second word of a granule, when it has to name several accesses: those of several
 * readers, or what is left of an older write beside a read. It then names a set: an immutable list
 * of accesses, interned, so that a table of a million granules that all threads have read in the
 * same way needs a handful of sets, and reading it again costs one comparison.
 *
 * Sets serve long epochs. A thread that takes and gives up a lock for every few accesses would make
 * a new set each time; there the granule gets a cell instead (cell.h), which is changed in place.
 * How many accesses make an epoch long each thread learns from what became of its sets: those that
 * name one granule only were not worth it. Sets that no granule names any more are given back once
 * in a while. A full arena means cells: nothing is lost.
 */
#ifndef SN_RACE_READSET_H
#define SN_RACE_READSET_H

#include <stddef.h>
#include <stdint.h>

#include "word.h"

struct sn_race_thread;

enum {
    SN_SET_CACHE = 64,      /* sets that hold this thread's current epoch */
    SN_SET_LINES = 1 << 20, /* room for sets; their numbers are below it, epochs are not */
    SN_RECENT = 64,         /* granules with a cell that a thread remembers */
    SN_PRIVATE = 2048,      /* granules with a cell whose accesses a thread keeps for itself */
    SN_KEPT = 2048,         /* granules with fields whose reads it does */
    SN_SET_STEPS = 8192,    /* remembered (old word, own access) -> new word */
    SN_SET_KNOWN = 1024,    /* sets that the thread is known to know */
    SN_SET_AGAIN = 64,      /* accesses of this epoch that made or joined a set */
    SN_FIELD_AGAIN = 256,   /* reads of this epoch that changed who has read a field */
    SN_KEPT_AGAIN = 1024,   /* reads of this epoch that changed what is kept of a granule */
    SN_LONG_EPOCH = 32,     /* accesses after which an epoch counts as long, at first */
    SN_SHORTEST_EPOCH = 4,  /* and where sets are worth it */
    SN_LONGEST_EPOCH = 1 << 20,
    SN_NAME_SLOT = 8, /* where in a name, above all bytes of the set, is whose it is (readset.c) */
};

struct sn_set_step {
    uint64_t old, me, now;
};

/* What an access of this epoch made of the words w and `second`, beside which all that it needs to
 * know is known: to such words it does so again. A read changes the second only, beside any write
 * that is known. */
struct sn_set_again {
    uint64_t place;   /* tagged pc, with the bytes in bits 48 to 55 */
    uint64_t context; /* epoch << 32 | calling context */
    uint64_t w, second, now_w, now_second;
} __attribute__((aligned(64)));
enum { SN_AGAIN_ANY = 1 << 8 }; /* of a read, instead of w */

/* What a read of this epoch made of the readers of a field (fields.h), beside a write that is
 * known. */
struct sn_field_again {
    uint64_t pc;
    uint64_t context; /* as above */
    uint64_t read;    /* as the field had it, and */
    uint64_t now;     /* sn_field_readers() of what it has then */
};

/* What the thread did in an epoch to a granule that has a cell, byte by byte for each kind of
 * access (cell.h): doing it again adds nothing. */
struct sn_recent {
    uintptr_t
        base; /* of the granule; bit 0: the epoch was long already (two words might do again) */
    uint32_t epoch;
    uint8_t has[4]; /* by enum sn_access_kind */
};

/* Accesses of the thread to a granule that the granule's cell does not hold, because nobody needs
 * them before a conflict is possible (cell.h). */
struct sn_private {
    uint64_t name;   /* of the cell, as the granule had it: good while it still does; 0: none */
    uint8_t fine[4]; /* by enum sn_access_kind: bytes whose conflicts in the cell are known */
    uint8_t kind[2]; /* of the words */
    uint8_t pad[2];
    uint64_t word[2];
};

/* What a read of this epoch made of the word that the thread had kept of a granule (kept.h), beside
 * a write that is known. */
struct sn_kept_again {
    uint64_t place;   /* sn_quick_place() of the bare pc */
    uint64_t context; /* as above */
    uint64_t word, now;
};

/* Reads of the thread of fields of a granule, which these do not have (kept.h). */
struct sn_kept {
    uintptr_t base;  /* of the granule; 0: none */
    uint64_t word;   /* of the last epoch in which it has read there */
    uint64_t before; /* of the one before */
};

/* A thread's caches; mapped with its clock. */
struct sn_set_cache {
    uint64_t member[SN_SET_CACHE]; /* number << 32 | bytes; of the current epoch */
    uint64_t used;                 /* not 0: some are set, or sets were made */
    uint32_t made, used_again;     /* sets in this epoch; see sn_set_pays() */
    uint32_t recent_epoch;         /* of the last one remembered */
    uint32_t privates;             /* not 0: some are set */
    uint64_t recent_areas;         /* where those of that epoch are */
    uint32_t kept_epoch;           /* the last in which reads were kept; 0: none */
    uint32_t kept_before;          /* the one before */
    uint32_t wrote_epoch;          /* the last in which fields were written whose reads are kept */
    uint32_t missed;               /* sets that were not made for lack of room */
    uint64_t kept_known, wrote_known; /* turns (kept.h) */
    uint64_t wrote_at;                /* accesses of the thread until wrote_epoch */
    struct sn_private private[SN_PRIVATE];
    struct sn_recent recent[SN_RECENT];
    struct sn_set_step step[SN_SET_STEPS];
    uint32_t known[SN_SET_KNOWN]; /* sets all of which the thread knows; it goes on knowing them */
    struct sn_set_again again[SN_SET_AGAIN];
    struct sn_field_again field[SN_FIELD_AGAIN];
    struct sn_kept_again kept_again[SN_KEPT_AGAIN];
    struct sn_kept kept[SN_KEPT];
};

static inline int sn_word_is_set(uint64_t r)
{
    return (r & 0xff) == 0 && r != 0;
}

static inline struct sn_recent *sn_recent_at(struct sn_set_cache *c, uintptr_t addr)
{
    return &c->recent[(addr >> 3 ^ addr >> 9 ^ addr >> 15) & (SN_RECENT - 1)];
}

/* The two places that a granule's may have: one of 1024 pairs, by a hash that is one product. */
static inline struct sn_private *sn_private_at(struct sn_set_cache *c, uintptr_t addr)
{
    uint32_t pair = (uint32_t)(addr >> 3) * 0x9e3779b1u >> 16 & (SN_PRIVATE / 2 - 1) << 6;
    return (struct sn_private *)((char *)c->private + pair);
}
_Static_assert(SN_PRIVATE == 2048 && sizeof(struct sn_private) == 32,
               "a pair is 64 bytes, and ten bits of the hash are above those six");

/* The one of a cell; null: it has none. */
static inline struct sn_private *sn_private_of(struct sn_set_cache *c, uintptr_t addr,
                                               uint64_t name)
{
    struct sn_private *e = sn_private_at(c, addr);
    return e[0].name == name ? e : e[1].name == name ? e + 1 : 0;
}

/* Neighbours have neighbours: a table is gone through as the processor expects it. */
static inline struct sn_kept *sn_kept_at(struct sn_set_cache *c, uintptr_t addr)
{
    return &c->kept[(addr >> 3 ^ addr >> 14) & (SN_KEPT - 1)];
}

static inline struct sn_set_step *sn_set_step_at(struct sn_set_cache *c, uint64_t old, uint64_t me)
{
    return &c->step[((old ^ me * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull) >> 51];
}
/* The parts of a granule that one instruction accesses in turn have different entries. */
static inline struct sn_set_again *sn_set_again_at(struct sn_set_cache *c, uint64_t tagged_pc,
                                                   unsigned mask)
{
    return &c->again[((unsigned)tagged_pc + (mask * 9 >> 2)) & (SN_SET_AGAIN - 1)];
}
/* Those of fields, by what their readers are: while some threads have read the fields of a table
 * and others have not yet, neighbours have several. */
static inline struct sn_field_again *sn_field_again_at(struct sn_set_cache *c, uint64_t read)
{
    return &c->field[read * 0x9e3779b97f4a7c15ull >> 56];
}
_Static_assert(SN_FIELD_AGAIN == 256, "eight bits of a hash");

/* By the place: what the granule's word is need not have arrived, but to be compared. */
static inline struct sn_kept_again *sn_kept_again_at(struct sn_set_cache *c, uint64_t place)
{
    return &c->kept_again[place * 0x9e3779b97f4a7c15ull >> 54];
}
_Static_assert(SN_KEPT_AGAIN == 1024, "ten bits of a hash");

_Static_assert(SN_SET_STEPS == 8192, "thirteen bits of a hash");

/* The kilobyte of an address, as a bit. */
static inline uint64_t sn_recent_area(uintptr_t addr)
{
    return 1ull << (addr >> 10 & 63);
}

/* The memory is given back by this thread. By another one: then this thread's epoch has ended. */
static inline void sn_recent_forget(struct sn_set_cache *c, uint32_t epoch, uintptr_t addr,
                                    size_t size)
{
    uint64_t areas = size >> 10 < 8 ? 0 : ~0ull;
    if (c->recent_epoch != epoch)
        return;
    for (uintptr_t a = addr; !areas && a >> 10 <= (addr + size) >> 10; a += 1024)
        areas |= sn_recent_area(a) & c->recent_areas;
    for (struct sn_recent *e = c->recent; areas && e < c->recent + SN_RECENT; e++)
        if (e->base + 7 > addr && e->base < addr + size)
            e->base = 0;
}

/* The sets that the thread makes name several granules each, so far in this epoch. */
static inline int sn_set_pays(const struct sn_set_cache *c)
{
    return c->made < 16 || c->used_again / 4 >= c->made;
}

/* A new epoch: in no set yet. *long_epoch: how long the next must be before it makes sets. */
static inline void sn_set_forget(struct sn_set_cache *c, uint32_t *long_epoch)
{
    if (!c->used)
        return;
    if (c->used_again / 4 < c->made && *long_epoch < SN_LONGEST_EPOCH)
        *long_epoch *= 2;
    else if (c->made && *long_epoch > SN_SHORTEST_EPOCH)
        *long_epoch /= 2;
    __builtin_memset(c, 0,
                     sizeof c->member + sizeof c->used + sizeof c->made + sizeof c->used_again);
}

/* The second word after a read `me` by the thread of r, when it was `old` (one access or a set).
 * 0: no set for this; the granule needs a cell. */
uint64_t sn_set_add_read(struct sn_race_thread *r, uint64_t old, uint64_t me);
/* The second word when `rest`, a part of the first word's write, is to be kept beside what is
 * there. 0: as above. */
uint64_t sn_set_keep(struct sn_race_thread *r, uint64_t old, uint64_t rest);
/* A step was made again. */
static inline void sn_set_step_counts(struct sn_set_cache *c)
{
    c->used = 1;
    c->used_again++;
}

/* The step from `old` by `me` (sn_set_add_read(), sn_set_keep()), if it was made before; else 0. Of
 * a read: then the writes in `old` are known. */
static inline uint64_t sn_set_step(struct sn_set_cache *c, uint64_t old, uint64_t me)
{
    const struct sn_set_step *s = sn_set_step_at(c, old, me);
    if (s->old != old || s->me != me)
        return 0;
    sn_set_step_counts(c);
    return s->now;
}

/* All bytes of a set, when one look tells that the thread knows all of it: it is of its own slot,
 * or it was looked at before; else 0. */
static inline unsigned sn_set_known_at_once(const struct sn_set_cache *c, uint32_t slot,
                                            uint64_t set)
{
    uint32_t id = sn_word_epoch(set), where = sn_word_where(set);
    return where >> SN_NAME_SLOT == slot + 1 || c->known[id % SN_SET_KNOWN] == id ? where & 0xff
                                                                                  : 0;
}

/* The bytes of a second word all of whose accesses the thread knows; 0: it does not know them, or
 * there are none. */
unsigned sn_set_known_bytes(struct sn_race_thread *r, uint64_t second);
/* The bytes of a set that the thread has accessed in this epoch; it remembers them from now on. */
unsigned sn_set_own_bytes(struct sn_race_thread *r, uint64_t set);
/* The accesses of a second word; at most max. */
unsigned sn_set_list(uint64_t r, uint64_t *out, unsigned max);
/* One more of n sorted words, and how many there are then. */
static inline unsigned sn_set_insert(uint64_t *w, unsigned n, uint64_t x)
{
    unsigned i = n;
    for (; i > 0 && w[i - 1] > x; i--)
        w[i] = w[i - 1];
    w[i] = x;
    return n + 1;
}

/* The second word for a list of accesses; 0: none, or it does not pay for this thread. */
uint64_t sn_set_of(struct sn_set_cache *c, const uint64_t *words, unsigned n);

/* No granule and no cache names a set any more. */
void sn_set_clear_all(void);
/* While no other thread is inside the engine: sets that no granule names are given back. No cache
 * may name a set afterwards. */
void sn_set_collect(void);
static inline void sn_set_forget_all(struct sn_set_cache *c)
{
    __builtin_memset(c->member, 0, sizeof c->member);
    __builtin_memset(c->step, 0, sizeof c->step);
    __builtin_memset(c->known, 0, sizeof c->known);
    __builtin_memset(c->again, 0, sizeof c->again);
    __builtin_memset(c->field, 0, sizeof c->field);
}

enum { SN_SET_MAX = 63 };

#endif
