/*
 * access.h (race): the memory path, inline. One look at the shadow: if this thread, in this epoch,
 * has already done the same or more to these bytes, there is nothing to learn. Everything else is
 * behind one tail call (quick.c). A conflict can only be missed when two threads are in the slow
 * path for the same granule within the same few nanoseconds: words are stored, not exchanged, since
 * that would cost more than all the rest. Only the very first accesses to a granule, soon after a
 * thread was let go, are exchanged: threads that leave a barrier together do meet there.
 */
#ifndef SN_ENGINE_ACCESS_H
#define SN_ENGINE_ACCESS_H

#include <stddef.h>
#include <stdint.h>

#include "core/ctx_cache.h"
#include "core/event.h"
#include "core/runfile.h"
#include "core/sys.h"
#include "core/thread.h"
#include "look.h"
#include "readset.h"
#include "runtime/path_calls.h"
#include "shadow.h"
#include "word.h"

/* What the path needs of the thread, at one place. epoch is 0, and self null, while the engine does
 * not follow it; sets and calls are never null. */
struct sn_race_hot {
    uint32_t epoch;
    uint32_t regions; /* number of entries of the shadow's directory, less one */
    struct sn_set_cache *sets;
    struct sn_thread *self;
    struct sn_thread *calls; /* self, or one that has no room for calls */
    const uintptr_t *dir;    /* sn_shadow_dir */
};
/* A program that `snag cc` has linked brings its own (src/fast), where it is at a fixed distance of
 * fs; the library's is for all others. */
#ifndef SN_RACE_HOT_MODEL
#define SN_RACE_HOT_MODEL "initial-exec"
#endif
#define SN_RACE_HOT __attribute__((tls_model(SN_RACE_HOT_MODEL), visibility("default")))
extern __thread struct sn_race_hot sn_race_hot __asm__("snag_hot") SN_RACE_HOT;
extern struct sn_thread sn_race_nobody; /* has no room for calls; all zero */

/* g: the granule of addr. */
#define SN_RACE_SIZE(size)                                                                         \
    void sn_race_read##size(uintptr_t addr, uintptr_t pc, struct sn_granule *g);                   \
    void sn_race_write##size(uintptr_t addr, uintptr_t pc, struct sn_granule *g);
SN_RACE_SIZE(1)
SN_RACE_SIZE(2)
SN_RACE_SIZE(4)
SN_RACE_SIZE(8)
SN_RACE_SIZE(16) /* g: the first of two */
/* At any address, by any thread. */
void sn_race_read_range(uintptr_t addr, size_t size, uintptr_t pc);
void sn_race_write_range(uintptr_t addr, size_t size, uintptr_t pc);

/* Two narrow looks instead of one wide and a shift: a word of this thread's epoch is written by
 * this thread only, so the mask belongs to it. A thread that is not followed has epoch 0, as an
 * empty word, whose mask is empty too: it never has anything. */
static inline __attribute__((always_inline)) int sn_race_has(const uint64_t *word, uint32_t epoch,
                                                             unsigned mask)
{
    return sn_look_upper(word, epoch) && sn_look_covers(word, mask);
}

/* Read by this thread in this epoch already: alone, or in a set. */
static inline __attribute__((always_inline)) int
sn_race_was_read(const struct sn_granule *g, const struct sn_race_hot *hot, unsigned mask)
{
    if (sn_look_upper(&g->r, hot->epoch))
        return sn_look_covers(&g->r, mask);
    int in_set;
    const uint64_t *m = sn_look_entry(&g->r, hot->sets->member, &in_set);
    return in_set && sn_look_covers(m, mask);
}
_Static_assert(SN_SET_CACHE == 64, "the table of sn_look_entry()");

/* One granule or a part of it, or two. */
static inline __attribute__((always_inline)) int sn_race_is_whole(uintptr_t addr, unsigned size)
{
    return size < 8 || !(addr & 7);
}

static inline __attribute__((always_inline)) int sn_race_has_read16(const struct sn_granule *g,
                                                                    const struct sn_race_hot *hot)
{
    if (sn_race_has(&g[0].w, hot->epoch, 0xff))
        return sn_race_has(&g[1].w, hot->epoch, 0xff) || sn_race_was_read(&g[1], hot, 0xff);
    if (!sn_race_was_read(&g[0], hot, 0xff))
        return 0;
    /* Neighbours mostly have one history. */
    return sn_look_same(&g[0].r, &g[1].r) || sn_race_was_read(&g[1], hot, 0xff) ||
           sn_race_has(&g[1].w, hot->epoch, 0xff);
}

static inline __attribute__((always_inline)) int sn_race_has_write16(const struct sn_granule *g,
                                                                     const struct sn_race_hot *hot)
{
    return sn_race_has(&g[0].w, hot->epoch, 0xff) && sn_race_has(&g[1].w, hot->epoch, 0xff);
}

static inline __attribute__((always_inline)) unsigned sn_race_mask(uintptr_t addr, unsigned size)
{
    return size >= 8 ? 0xff : ((1u << size) - 1) << (addr & 7);
}

/* Done in this epoch already, to a granule that has fields. */
static inline __attribute__((always_inline)) int
sn_race_in_field(uintptr_t addr, unsigned size, const struct sn_granule *g, int write)
{
    uint32_t epoch = sn_race_hot.epoch;
    int is_fields;
    uint64_t name = sn_look_name(&g->w, &is_fields);
    if (SN_LIKELY(!is_fields))
        return 0;
    const uint64_t *field = sn_look_field(name, addr, size);
    if (!sn_look_mask(field, sn_race_mask(addr, size)))
        return 0;
    if (sn_look_upper(field, epoch) || (!write && sn_look_upper(field + 1, epoch)))
        return 1;
    int in_set;
    const uint64_t *m = write ? 0 : sn_look_entry(field + 1, sn_race_hot.sets->member, &in_set);
    return m && in_set && sn_look_covers(m, 0xff);
}

/* The look at an access that is whole; src/fast links it into the program. */
static inline __attribute__((always_inline)) int sn_race_saw_read(uintptr_t addr, unsigned size,
                                                                  struct sn_granule *g)
{
    const struct sn_race_hot *hot = &sn_race_hot;
    uint32_t epoch = hot->epoch;
    int in_set;
    if (size == 16)
        return sn_race_has_read16(g, hot);
    if (sn_look_upper(&g->w, epoch) && sn_look_holds(&g->w, addr, size))
        return 1;
    if (sn_look_upper(&g->r, epoch))
        return sn_look_holds(&g->r, addr, size);
    const uint64_t *m = sn_look_entry(&g->r, hot->sets->member, &in_set);
    return (in_set && sn_look_holds(m, addr, size)) || sn_race_in_field(addr, size, g, 0);
}

static inline __attribute__((always_inline)) int sn_race_saw_write(uintptr_t addr, unsigned size,
                                                                   struct sn_granule *g)
{
    const struct sn_race_hot *hot = &sn_race_hot;
    if (size == 16)
        return sn_race_has_write16(g, hot);
    return (sn_look_upper(&g->w, hot->epoch) && sn_look_holds(&g->w, addr, size)) ||
           sn_race_in_field(addr, size, g, 1);
}

/* Up to 56 bytes at any address: at most eight granules. A compiler makes a memmove() of a loop over
 * as little as that. */
enum { SN_SPAN_MAX = 56 };

/* Their bytes, eight bits for each granule. */
static inline __attribute__((always_inline)) uint64_t sn_race_bytes(uintptr_t addr, size_t size)
{
    return ((1ull << size) - 1) << (addr & 7);
}

/* Beyond a region's end there is nothing to be seen (SN_SHADOW_EDGE). */
static inline __attribute__((always_inline)) int
sn_race_saw_span(uintptr_t addr, size_t size, const struct sn_granule *g, int write)
{
    const struct sn_race_hot *hot = &sn_race_hot;
    for (uint64_t bytes = sn_race_bytes(addr, size); bytes; bytes >>= 8, g++) {
        unsigned mask = (uint8_t)bytes;
        if (!sn_race_has(&g->w, hot->epoch, mask) && (write || !sn_race_was_read(g, hot, mask)))
            return 0;
    }
    return 1;
}

static inline __attribute__((always_inline)) void sn_access_read(uintptr_t addr, unsigned size,
                                                                 uintptr_t pc)
{
    uintptr_t bias = sn_shadow_bias(addr);
    struct sn_granule *g = sn_granule_at(bias, addr);
    int plain = SN_LIKELY(bias != 0 && sn_race_is_whole(addr, size));
    if (plain && sn_race_saw_read(addr, size, g))
        return;
    if (!plain)
        sn_race_read_range(addr, size, pc);
    else if (size == 16)
        sn_race_read16(addr, pc, g);
    else if (size == 8)
        sn_race_read8(addr, pc, g);
    else if (size == 4)
        sn_race_read4(addr, pc, g);
    else if (size == 2)
        sn_race_read2(addr, pc, g);
    else
        sn_race_read1(addr, pc, g);
}

static inline __attribute__((always_inline)) void sn_access_write(uintptr_t addr, unsigned size,
                                                                  uintptr_t pc)
{
    uintptr_t bias = sn_shadow_bias(addr);
    struct sn_granule *g = sn_granule_at(bias, addr);
    int plain = SN_LIKELY(bias != 0 && sn_race_is_whole(addr, size));
    if (plain && sn_race_saw_write(addr, size, g))
        return;
    if (!plain)
        sn_race_write_range(addr, size, pc);
    else if (size == 16)
        sn_race_write16(addr, pc, g);
    else if (size == 8)
        sn_race_write8(addr, pc, g);
    else if (size == 4)
        sn_race_write4(addr, pc, g);
    else if (size == 2)
        sn_race_write2(addr, pc, g);
    else
        sn_race_write1(addr, pc, g);
}

static inline void sn_access_read_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    sn_race_read_range(addr, size, pc);
}

static inline void sn_access_write_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    sn_race_write_range(addr, size, pc);
}

/* Atomic operations: atomic_path.h. */

#endif
