/*
 * access.c: an access that the shadow does not hold yet: FastTrack on two words, and the way to the
 * expanded form when two are not enough.
 */
#include "access.h"

#include "cell.h"
#include "clock.h"
#include "core/count.h"
#include "core/runfile.h"
#include "core/ctx_cache.h"
#include "race.h"
#include "readset.h"

__thread uint32_t sn_race_epoch __attribute__((tls_model("initial-exec")));

/* Both words can take `me` in place of what is there: it is older, known, and covered. */
static inline int replaces(const struct sn_race_thread *r, uint64_t old, unsigned mask)
{
    return !(sn_word_mask(old) & ~mask) && sn_clock_knows(r, sn_word_epoch(old));
}

/* Same epoch, other bytes or another place: one word still tells it all. 0: it does not. */
static inline uint64_t united(uint64_t old, uint64_t me)
{
    if (sn_word_epoch(old) != sn_word_epoch(me))
        return 0;
    if (sn_word_where(old) == sn_word_where(me))
        return old | sn_word_mask(me);
    uint32_t both = sn_ctx_both(sn_word_where(old), sn_word_where(me), sn_word_mask(me));
    return both ? sn_word(sn_word_epoch(me), both, sn_word_mask(old) | sn_word_mask(me)) : 0;
}

static inline int clashes(const struct sn_race_thread *r, uint64_t old, unsigned mask)
{
    return (sn_word_mask(old) & mask) && !sn_clock_knows(r, sn_word_epoch(old));
}

/* Read-shared data that this thread has read in this epoch already. */
static inline int set_has(struct sn_thread *t, uint64_t r, unsigned mask)
{
    return sn_word_is_set(r) && sn_set_has(sn_race_of(t)->sets, r, sn_race_epoch, mask);
}

static inline void read_granule(struct sn_thread *t, struct sn_granule *g, uintptr_t addr,
                                uint64_t me)
{
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_conflicts found;
    found.n = 0;
    unsigned mask = sn_word_mask(me);
    uint64_t w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
    uint64_t old = __atomic_load_n(&g->r, __ATOMIC_RELAXED), one;
    if (SN_UNLIKELY(sn_word_is_cell(w)))
        sn_cell_access(t, g, addr, me, SN_PLAIN_READ, &found);
    else {
        if (SN_UNLIKELY(clashes(r, w, mask)))
            sn_conflict_add(&found, w, SN_PLAIN_WRITE);
        if (SN_LIKELY(!sn_word_is_set(old) && replaces(r, old, mask)))
            __atomic_store_n(&g->r, me, __ATOMIC_RELAXED);
        else if (!sn_word_is_set(old) && (one = united(old, me)))
            __atomic_store_n(&g->r, one, __ATOMIC_RELAXED);
        else if ((one = sn_set_add(r, old, me))) {
            if (one != old)
                __atomic_store_n(&g->r, one, __ATOMIC_RELAXED);
        } else {
            struct sn_conflicts again = {0};
            sn_cell_access(t, g, addr, me, SN_PLAIN_READ, &again);
        }
    }
    if (SN_UNLIKELY(found.n != 0))
        sn_race_report(t, addr, me, SN_PLAIN_READ, &found);
}

/* A write meets a set of readers: one it does not know is a conflict; known and covered by it
 * altogether, they are forgotten. */
static SN_NOINLINE void write_after_set(const struct sn_race_thread *r, struct sn_granule *g,
                                        uint64_t set, unsigned mask, struct sn_conflicts *found)
{
    uint64_t w[SN_SET_MAX];
    unsigned n = sn_set_list(set, w, SN_SET_MAX), gone = 0;
    for (unsigned i = 0; i < n; i++) {
        if (clashes(r, w[i], mask))
            sn_conflict_add(found, w[i], SN_PLAIN_READ);
        gone += replaces(r, w[i], mask);
    }
    if (gone == n)
        __atomic_store_n(&g->r, 0, __ATOMIC_RELAXED);
}

static inline void write_granule(struct sn_thread *t, struct sn_granule *g, uintptr_t addr,
                                 uint64_t me)
{
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_conflicts found;
    found.n = 0;
    unsigned mask = sn_word_mask(me);
    uint64_t w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
    uint64_t old = __atomic_load_n(&g->r, __ATOMIC_RELAXED), one;
    if (SN_UNLIKELY(sn_word_is_cell(w)))
        sn_cell_access(t, g, addr, me, SN_PLAIN_WRITE, &found);
    else {
        if (SN_UNLIKELY(clashes(r, w, mask)))
            sn_conflict_add(&found, w, SN_PLAIN_WRITE);
        if (SN_UNLIKELY(sn_word_is_set(old)))
            write_after_set(r, g, old, mask, &found);
        else if (SN_UNLIKELY(clashes(r, old, mask)))
            sn_conflict_add(&found, old, SN_PLAIN_READ);
        else if (old && sn_word_epoch(old) != sn_word_epoch(me) && replaces(r, old, mask))
            __atomic_store_n(&g->r, 0, __ATOMIC_RELAXED);
        if (SN_LIKELY(replaces(r, w, mask)))
            __atomic_store_n(&g->w, me, __ATOMIC_RELAXED);
        else if ((one = united(w, me)))
            __atomic_store_n(&g->w, one, __ATOMIC_RELAXED);
        else {
            struct sn_conflicts again = {0};
            sn_cell_access(t, g, addr, me, SN_PLAIN_WRITE, &again);
        }
    }
    if (SN_UNLIKELY(found.n != 0))
        sn_race_report(t, addr, me, SN_PLAIN_WRITE, &found);
}

/* The engine is entered: false when this thread is not followed, or a signal handler has
 * interrupted the engine itself. */
static inline int enter(struct sn_thread *t)
{
    if (SN_UNLIKELY(!t || !sn_race_epoch))
        return 0;
    if (SN_UNLIKELY(t->busy)) {
        sn_count(LOST_NESTED);
        return 0;
    }
    t->busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return 1;
}

static inline void leave(struct sn_thread *t)
{
    sn_race_of(t)->in_epoch++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->busy = 0;
}

static inline uint64_t word_for(struct sn_thread *t, uintptr_t pc, unsigned mask)
{
    return sn_word(sn_race_epoch, sn_ctx_site(t, pc), mask);
}

static inline int read_before(struct sn_thread *t, uintptr_t addr, unsigned size)
{
    uintptr_t bias = sn_shadow_bias(addr);
    if (!bias)
        return 0;
    return set_has(t, __atomic_load_n(&sn_granule_at(bias, addr)->r, __ATOMIC_RELAXED),
                   sn_mask(addr & 7, size));
}

SN_NOINLINE void sn_race_read(uintptr_t addr, unsigned size, uintptr_t pc)
{
    struct sn_thread *t = sn_self;
    struct sn_granule *g;
    if (SN_LIKELY(t && sn_race_epoch) && read_before(t, addr, size))
        return;
    if (!enter(t))
        return;
    if (!sn_race_of(t)->ignore_reads && (g = sn_shadow_get(addr))) {
        uint64_t me = word_for(t, pc | SN_CTX_TAG(SN_OP_READ, size), sn_mask(addr & 7, size));
        read_granule(t, g, addr & ~(uintptr_t)7, me);
    }
    leave(t);
}

SN_NOINLINE void sn_race_write(uintptr_t addr, unsigned size, uintptr_t pc)
{
    struct sn_thread *t = sn_self;
    struct sn_granule *g;
    if (!enter(t))
        return;
    if (!sn_race_of(t)->ignore_writes && (g = sn_shadow_get(addr))) {
        uint64_t me = word_for(t, pc | SN_CTX_TAG(SN_OP_WRITE, size), sn_mask(addr & 7, size));
        write_granule(t, g, addr & ~(uintptr_t)7, me);
    }
    leave(t);
}

/* Granule by granule; a range may cross regions. */
static void range(struct sn_thread *t, uintptr_t addr, size_t size, uint32_t where, int write)
{
    uint32_t epoch = sn_race_epoch;
    uintptr_t end = addr + size;
    while (addr < end) {
        struct sn_granule *g = sn_shadow_get(addr);
        uintptr_t stop = (addr | (SN_REGION_BYTES - 1)) + 1;
        if (stop > end || stop < addr)
            stop = end;
        for (; addr < stop; g++) {
            unsigned from = addr & 7;
            uintptr_t next = (addr | 7) + 1;
            unsigned n = (unsigned)((next < end ? next : end) - addr);
            unsigned mask = sn_mask(from, n);
            uint64_t me = sn_word(epoch, where, mask);
            uintptr_t base = addr & ~(uintptr_t)7;
            addr = next;
            if (!g)
                break;
            if (sn_race_has(&g->w, epoch, mask) ||
                (!write && (sn_race_has(&g->r, epoch, mask) || set_has(t, g->r, mask))))
                continue;
            if (write)
                write_granule(t, g, base, me);
            else
                read_granule(t, g, base, me);
        }
        if (!g)
            addr = stop;
    }
}

void sn_race_range(struct sn_thread *t, uintptr_t addr, size_t size, uint32_t where, int write)
{
    range(t, addr, size, where, write);
}

SN_NOINLINE void sn_race_read_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    struct sn_thread *t = sn_self;
    if (!size || !enter(t))
        return;
    if (!sn_race_of(t)->ignore_reads)
        range(t, addr, size, sn_ctx_site(t, pc | SN_CTX_TAG(SN_OP_READ, size)), 0);
    leave(t);
}

SN_NOINLINE void sn_race_write_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    struct sn_thread *t = sn_self;
    if (!size || !enter(t))
        return;
    if (!sn_race_of(t)->ignore_writes)
        range(t, addr, size, sn_ctx_site(t, pc | SN_CTX_TAG(SN_OP_WRITE, size)), 1);
    leave(t);
}
