/*
 * access.c: an access that the shadow does not hold yet: FastTrack on two words, and the way to the
 * expanded form when two are not enough.
 */
#include "access.h"

#include "cell.h"
#include "clock.h"
#include "core/ctx_cache.h"
#include "race.h"
#include "readset.h"

static struct sn_set_cache no_sets;
struct sn_thread sn_race_nobody;
__thread struct sn_race_hot sn_race_hot SN_RACE_HOT = {.regions = (1u << SN_DIR_BITS) - 1,
                                                       .sets = &no_sets,
                                                       .calls = &sn_race_nobody,
                                                       .dir = sn_shadow_dir};

/* Both words can take `me` in place of what is there: it is older, known, and covered. */
static inline int replaces(const struct sn_race_thread *r, uint64_t old, unsigned mask)
{
    return !(sn_word_mask(old) & ~mask) && sn_clock_knows(r, sn_word_epoch(old));
}

static inline int clashes(const struct sn_race_thread *r, uint64_t old, unsigned mask)
{
    return (sn_word_mask(old) & mask) && !sn_clock_knows(r, sn_word_epoch(old));
}

/* Clashes with what the second word names. A read clashes with writes only. True: with a write. */
static SN_NOINLINE int check_second(struct sn_race_thread *r, uint64_t second, unsigned mask,
                                    int write, struct sn_conflicts *found)
{
    uint64_t w[SN_SET_MAX];
    int with_write = 0;
    if (SN_LIKELY(sn_set_known_bytes(r, second) != 0))
        return 0;
    unsigned n = sn_set_list(second, w, SN_SET_MAX);
    for (unsigned i = 0; i < n; i++) {
        if (!(write || sn_word_is_write(w[i])) || !clashes(r, w[i], mask))
            continue;
        with_write |= sn_word_is_write(w[i]);
        sn_conflict_add(found, w[i], sn_word_is_write(w[i]) ? SN_PLAIN_WRITE : SN_PLAIN_READ);
    }
    return with_write;
}

/* What a write to these bytes leaves of the second word. */
static inline uint64_t left_of(struct sn_race_thread *r, uint64_t second, unsigned mask)
{
    return second ? sn_race_left_of(second, sn_set_known_bytes(r, second), mask) : 0;
}

/* The second word after the read `me`; 0: it needs a cell. */
static inline uint64_t after_read(struct sn_thread *t, uint64_t second, uint64_t me)
{
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t one;
    if (SN_LIKELY(!sn_word_is_set(second) && !sn_word_is_write(second))) {
        if (SN_LIKELY(replaces(r, second, sn_word_mask(me))))
            return me;
        if ((one = sn_race_united(t, second, me)))
            return one;
    }
    return sn_set_add_read(r, second, me);
}

/* Nobody has been here yet: two threads that leave a barrier together may both be the first.
 * Whoever comes second sees the other, since the store is a fence. Where there is a history, the
 * next round tells. */
static SN_NOINLINE int read_first(const struct sn_race_thread *r, struct sn_granule *g, uint64_t me,
                                  struct sn_conflicts *found)
{
    uint64_t w, none = 0;
    if (!__atomic_compare_exchange_n(&g->r, &none, me, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        return 0;
    w = __atomic_load_n(&g->w, __ATOMIC_SEQ_CST);
    if (!sn_word_is_cell(w) && clashes(r, w, sn_word_mask(me)))
        sn_conflict_add(found, w, SN_PLAIN_WRITE);
    return 1;
}

static SN_NOINLINE int write_first(struct sn_race_thread *r, struct sn_granule *g, uint64_t me,
                                   struct sn_conflicts *found)
{
    uint64_t second, none = 0;
    if (!__atomic_compare_exchange_n(&g->w, &none, me, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        return 0;
    second = __atomic_load_n(&g->r, __ATOMIC_SEQ_CST);
    if (second)
        check_second(r, second, sn_word_mask(me), 1, found);
    return 1;
}

/* The words do not do. What they clashed with is told once; if they did not, somebody who clashes
 * may have come into the cell since. */
static SN_NOINLINE void into_cell(struct sn_thread *t, struct sn_granule *g, uintptr_t addr,
                                  uint64_t me, unsigned kind, struct sn_conflicts *found)
{
    struct sn_conflicts again = {0};
    sn_cell_access(t, g, addr, me, kind, found->n ? &again : found);
}

/* The other side of write_first(), for a read that was not the first. */
static SN_NOINLINE void look_for_first_write(const struct sn_race_thread *r,
                                             const struct sn_granule *g, unsigned mask,
                                             struct sn_conflicts *found)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    uint64_t w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
    if (!sn_word_is_cell(w) && clashes(r, w, mask))
        sn_conflict_add(found, w, SN_PLAIN_WRITE);
}

void sn_race_read_granule(struct sn_thread *t, struct sn_granule *g, uintptr_t addr, uint64_t me)
{
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_conflicts found;
    unsigned mask = sn_word_mask(me);
    uint64_t w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
    uint64_t second = __atomic_load_n(&g->r, __ATOMIC_RELAXED);
    found.n = 0;
    if (SN_UNLIKELY(!(w | second)) && !sn_shadow_may_use(g, addr))
        return;
    while (!(w | second) && !read_first(r, g, me, &found)) {
        w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
        second = __atomic_load_n(&g->r, __ATOMIC_RELAXED);
    }
    if (SN_UNLIKELY(sn_word_is_cell(w))) {
        sn_cell_access(t, g, addr, me, SN_PLAIN_READ, &found);
    } else if (w | second) {
        if (SN_UNLIKELY(clashes(r, w, mask)))
            sn_conflict_add(&found, w, SN_PLAIN_WRITE);
        if (SN_UNLIKELY(sn_word_is_write(second)))
            check_second(r, second, mask, 0, &found);
        uint64_t now = after_read(t, second, me);
        if (SN_LIKELY(now != 0)) {
            if (now != second)
                __atomic_store_n(&g->r, now, __ATOMIC_RELAXED);
            if (!w)
                look_for_first_write(r, g, mask, &found);
        } else {
            into_cell(t, g, addr, me, SN_PLAIN_READ, &found);
        }
    }
    if (SN_UNLIKELY(found.n != 0))
        sn_race_report(t, addr, me, SN_PLAIN_READ, &found);
}

/* The write `me` covers a part of the older write w only: what is left of w goes to the second
 * word. 0: no room there. */
static SN_NOINLINE int keep_rest(struct sn_race_thread *r, struct sn_granule *g, uint64_t w,
                                 uint64_t second, uint64_t me)
{
    uint64_t rest = sn_race_rest_of(w, me);
    if (!sn_clock_knows(r, sn_word_epoch(w)))
        return 0;
    second = left_of(r, second, sn_word_mask(me));
    if (second && !(rest = sn_set_keep(r, second, rest)))
        return 0;
    __atomic_store_n(&g->r, rest, __ATOMIC_RELAXED);
    __atomic_store_n(&g->w, me, __ATOMIC_RELAXED);
    return 1;
}

void sn_race_write_granule(struct sn_thread *t, struct sn_granule *g, uintptr_t addr, uint64_t me)
{
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_conflicts found;
    unsigned mask = sn_word_mask(me);
    uint64_t w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
    uint64_t second = __atomic_load_n(&g->r, __ATOMIC_RELAXED), now;
    found.n = 0;
    if (SN_UNLIKELY(!(w | second)) && !sn_shadow_may_use(g, addr))
        return;
    int first = 0;
    while (!w && !(first = write_first(r, g, me, &found))) {
        w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
        second = __atomic_load_n(&g->r, __ATOMIC_RELAXED);
    }
    if (SN_UNLIKELY(sn_word_is_cell(w))) {
        sn_cell_access(t, g, addr, me, SN_PLAIN_WRITE, &found);
    } else if (!first) {
        if (SN_UNLIKELY(clashes(r, w, mask)))
            sn_conflict_add(&found, w, SN_PLAIN_WRITE);
        if (second && check_second(r, second, mask, 1, &found))
            now = 0; /* beside the first word, a write of the second would pass for one before it */
        else if (SN_LIKELY(replaces(r, w, mask)))
            now = me;
        else
            now = sn_race_united(t, w, me);
        if (SN_LIKELY(now != 0)) {
            __atomic_store_n(&g->w, now, __ATOMIC_RELAXED);
            uint64_t left = left_of(r, second, sn_word_mask(now));
            if (left != second)
                __atomic_store_n(&g->r, left, __ATOMIC_RELAXED);
        } else if (found.n || !keep_rest(r, g, w, second, me)) {
            into_cell(t, g, addr, me, SN_PLAIN_WRITE, &found);
        }
    }
    if (SN_UNLIKELY(found.n != 0))
        sn_race_report(t, addr, me, SN_PLAIN_WRITE, &found);
}

static inline uint64_t word_for(struct sn_thread *t, uintptr_t pc, unsigned mask)
{
    return sn_word(sn_race_hot.epoch, sn_ctx_site(t, pc), mask);
}

void sn_race_read_any(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g)
{
    struct sn_thread *t = sn_self;
    if (!sn_race_enter(t))
        return;
    if (!sn_race_of(t)->ignore_reads && (g || (g = sn_shadow_get(addr))))
        sn_race_read_granule(t, g, addr & ~(uintptr_t)7, word_for(t, tagged_pc, mask));
    sn_race_leave(t);
}

void sn_race_write_any(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g)
{
    struct sn_thread *t = sn_self;
    if (!sn_race_enter(t))
        return;
    if (!sn_race_of(t)->ignore_writes && (g || (g = sn_shadow_get(addr))))
        sn_race_write_granule(t, g, addr & ~(uintptr_t)7, word_for(t, tagged_pc, mask));
    sn_race_leave(t);
}
