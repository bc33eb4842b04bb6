/*
 * access.c: an access that the shadow does not hold yet: FastTrack on two words, and the way to the
 * expanded form when two are not enough.
 */
#include "access.h"

#include "cell.h"
#include "clock.h"
#include "core/count.h"
#include "core/runfile.h"
#include "core/stop.h"
#include "core/ctx_cache.h"
#include "race.h"
#include "readset.h"

static struct sn_set_cache no_sets;
__thread struct sn_race_hot sn_race_hot
    __attribute__((tls_model("initial-exec"))) = {.sets = &no_sets};
/* For src/fast. */
SN_EXPORT extern __thread struct sn_race_hot snag_hot
    __attribute__((alias("sn_race_hot"), tls_model("initial-exec")));

/* Both words can take `me` in place of what is there: it is older, known, and covered. */
static inline int replaces(const struct sn_race_thread *r, uint64_t old, unsigned mask)
{
    return !(sn_word_mask(old) & ~mask) && sn_clock_knows(r, sn_word_epoch(old));
}

/* Same epoch, other bytes or another place: one word still tells it all. 0: it does not. */
static inline uint64_t united(struct sn_thread *t, uint64_t old, uint64_t me)
{
    if (sn_word_epoch(old) != sn_word_epoch(me))
        return 0;
    if (sn_word_where(old) == sn_word_where(me))
        return old | sn_word_mask(me);
    uint32_t both = sn_ctx_both(t, sn_word_where(old), sn_word_where(me), sn_word_mask(me));
    return both ? sn_word(sn_word_epoch(me), both, sn_word_mask(old) | sn_word_mask(me)) : 0;
}

static inline int clashes(const struct sn_race_thread *r, uint64_t old, unsigned mask)
{
    return (sn_word_mask(old) & mask) && !sn_clock_knows(r, sn_word_epoch(old));
}

/* Clashes with what the second word names. A read clashes with writes only. */
static SN_NOINLINE void check_second(struct sn_race_thread *r, uint64_t second, unsigned mask,
                                     int write, struct sn_conflicts *found)
{
    uint64_t w[SN_SET_MAX];
    if (SN_LIKELY(sn_set_known_bytes(r, second) != 0))
        return;
    unsigned n = sn_set_list(second, w, SN_SET_MAX);
    for (unsigned i = 0; i < n; i++)
        if ((write || sn_word_is_write(w[i])) && clashes(r, w[i], mask))
            sn_conflict_add(found, w[i], sn_word_is_write(w[i]) ? SN_PLAIN_WRITE : SN_PLAIN_READ);
}

/* Every access that the second word names is known and covered: a write makes it superfluous. */
static inline int gives_way(struct sn_race_thread *r, uint64_t second, unsigned mask)
{
    unsigned bytes = sn_set_known_bytes(r, second);
    return bytes && !(bytes & ~mask);
}

/* The second word after the read `me`; 0: it needs a cell. */
static inline uint64_t after_read(struct sn_thread *t, uint64_t second, uint64_t me)
{
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t one;
    if (SN_LIKELY(!sn_word_is_set(second) && !sn_word_is_write(second))) {
        if (SN_LIKELY(replaces(r, second, sn_word_mask(me))))
            return me;
        if ((one = united(t, second, me)))
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

static inline void read_granule(struct sn_thread *t, struct sn_granule *g, uintptr_t addr,
                                uint64_t me)
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
        if (SN_UNLIKELY(sn_word_is_set(second) || sn_word_is_write(second)))
            check_second(r, second, mask, 0, &found);
        uint64_t now = after_read(t, second, me);
        if (SN_LIKELY(now != 0)) {
            if (now != second)
                __atomic_store_n(&g->r, now, __ATOMIC_RELAXED);
        } else {
            into_cell(t, g, addr, me, SN_PLAIN_READ, &found);
        }
    }
    if (SN_UNLIKELY(found.n != 0))
        sn_race_report(t, addr, me, SN_PLAIN_READ, &found);
}

/* What is left of the older write w, for the second word. */
static inline uint64_t rest_of(uint64_t w, uint64_t me)
{
    return (w & ~(uint64_t)sn_word_mask(me)) | SN_WORD_WRITE;
}

/* The write `me` covers a part of the older write w only: what is left of w goes to the second
 * word. 0: no room there. */
static SN_NOINLINE int keep_rest(struct sn_race_thread *r, struct sn_granule *g, uint64_t w,
                                 uint64_t second, uint64_t me)
{
    uint64_t rest = rest_of(w, me);
    if (!sn_clock_knows(r, sn_word_epoch(w)))
        return 0;
    if (second && !gives_way(r, second, sn_word_mask(me)) && !(rest = sn_set_keep(r, second, rest)))
        return 0;
    __atomic_store_n(&g->r, rest, __ATOMIC_RELAXED);
    __atomic_store_n(&g->w, me, __ATOMIC_RELAXED);
    return 1;
}

static inline void write_granule(struct sn_thread *t, struct sn_granule *g, uintptr_t addr,
                                 uint64_t me)
{
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_conflicts found;
    unsigned mask = sn_word_mask(me);
    uint64_t w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
    uint64_t second = __atomic_load_n(&g->r, __ATOMIC_RELAXED), now;
    found.n = 0;
    if (SN_UNLIKELY(!(w | second)) && !sn_shadow_may_use(g, addr))
        return;
    while (!(w | second) && !write_first(r, g, me, &found)) {
        w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
        second = __atomic_load_n(&g->r, __ATOMIC_RELAXED);
    }
    if (SN_UNLIKELY(sn_word_is_cell(w))) {
        sn_cell_access(t, g, addr, me, SN_PLAIN_WRITE, &found);
    } else if (w | second) {
        if (SN_UNLIKELY(clashes(r, w, mask)))
            sn_conflict_add(&found, w, SN_PLAIN_WRITE);
        if (second)
            check_second(r, second, mask, 1, &found);
        if (SN_LIKELY(replaces(r, w, mask)))
            now = me;
        else
            now = united(t, w, me);
        if (SN_LIKELY(now != 0)) {
            __atomic_store_n(&g->w, now, __ATOMIC_RELAXED);
            if (second && gives_way(r, second, sn_word_mask(now)))
                __atomic_store_n(&g->r, 0, __ATOMIC_RELAXED);
        } else if (!keep_rest(r, g, w, second, me)) {
            into_cell(t, g, addr, me, SN_PLAIN_WRITE, &found);
        }
    }
    if (SN_UNLIKELY(found.n != 0))
        sn_race_report(t, addr, me, SN_PLAIN_WRITE, &found);
}

/* The engine is entered: false when this thread is not followed, or a signal handler has
 * interrupted the engine itself. */
static inline int enter(struct sn_thread *t)
{
    if (SN_UNLIKELY(!t || !sn_race_hot.epoch))
        return 0;
    if (SN_UNLIKELY(t->busy)) {
        sn_count(LOST_NESTED);
        return 0;
    }
    sn_busy_enter(t);
    return 1;
}

static inline void leave(struct sn_thread *t)
{
    sn_race_of(t)->in_epoch++;
    sn_busy_leave(t);
}

static inline uint64_t word_for(struct sn_thread *t, uintptr_t pc, unsigned mask)
{
    return sn_word(sn_race_hot.epoch, sn_ctx_site(t, pc), mask);
}

/* g: null when it is not known yet. */
static SN_NOINLINE void read_any(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                 struct sn_granule *g)
{
    struct sn_thread *t = sn_self;
    if (!enter(t))
        return;
    if (!sn_race_of(t)->ignore_reads && (g || (g = sn_shadow_get(addr))))
        read_granule(t, g, addr & ~(uintptr_t)7, word_for(t, tagged_pc, mask));
    leave(t);
}

static SN_NOINLINE void write_any(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                  struct sn_granule *g)
{
    struct sn_thread *t = sn_self;
    if (!enter(t))
        return;
    if (!sn_race_of(t)->ignore_writes && (g || (g = sn_shadow_get(addr))))
        write_granule(t, g, addr & ~(uintptr_t)7, word_for(t, tagged_pc, mask));
    leave(t);
}

/* Empty, or one access that is known and covered. */
static inline int makes_room(const struct sn_race_thread *r, uint64_t old, unsigned mask)
{
    return !old ||
           ((uint8_t)old && !(sn_word_mask(old) & ~mask) && sn_clock_knows(r, sn_word_epoch(old)));
}

/* See read_first(): soon after it was let go, a thread may be the first together with another. */
static inline int is_first(const struct sn_race_thread *r, const struct sn_granule *g,
                           uintptr_t addr, uint64_t w, uint64_t second)
{
    return SN_UNLIKELY(!(w | second)) && (r->in_epoch < 4 || !sn_shadow_is_touched(g, addr));
}

/* The word of this access, if the thread's cache has its place; 0: it does not. */
static inline uint64_t quick_word(const struct sn_thread *t, uintptr_t tagged_pc, unsigned mask)
{
    uint32_t ctx = t->sp == t->frames ? 0 : t->sp[-1].ctx;
    const struct sn_ctx_entry *e = sn_ctx_slot((struct sn_thread *)t, ctx, tagged_pc);
    if (SN_UNLIKELY(e->pc != tagged_pc || e->parent != ctx || (!ctx && t->sp != t->frames)))
        return 0;
    return sn_word(sn_race_hot.epoch, e->node, mask);
}

static SN_NOINLINE int quick_cell(struct sn_thread *t, uintptr_t addr, unsigned mask,
                                  uintptr_t tagged_pc, uint64_t name, unsigned kind)
{
    struct sn_race_thread *r = sn_race_of(t);
    uintptr_t base = addr & ~(uintptr_t)7;
    uint64_t me = quick_word(t, tagged_pc, mask);
    if (!me)
        return 0;
    sn_busy_enter(t);
    int done = (kind != SN_PLAIN_WRITE && sn_cell_private(r, name, base, me, kind)) ||
               sn_cell_quick(r, name, base, me, kind);
    r->in_epoch += (uint32_t)done;
    sn_busy_leave(t);
    return done;
}

/* The new second word when the older write w gives way to `now` only in part; 0: not that simple.
 */
static inline uint64_t rest_beside(struct sn_race_thread *r, uint64_t w, uint64_t second,
                                   uint64_t now)
{
    uint64_t rest = rest_of(w, now);
    return second ? sn_set_step(r->sets, second, rest) : rest;
}

/* united() of two words of this epoch, if the thread's cache has the place of both; else 0. */
static inline uint64_t quick_united(struct sn_thread *t, uint64_t old, uint64_t me)
{
    if (!((old ^ me) & ~0xffull))
        return old | me;
    uint32_t both =
        sn_ctx_both_cached(t, sn_word_where(old), sn_word_where(me), sn_word_mask(me));
    return both ? sn_word(sn_word_epoch(me), both, sn_word_mask(old) | sn_word_mask(me)) : 0;
}

/* quick_write() of a part of what the words hold: arrays of small elements, gone through again. All
 * that is there is known; the set that may be needed was made for a neighbour. */
static SN_NOINLINE int write_part(struct sn_thread *t, struct sn_granule *g, uint64_t w,
                                  uint64_t second, uint64_t me)
{
    struct sn_race_thread *r = sn_race_of(t);
    int own = sn_word_epoch(w) == sn_word_epoch(me);
    uint64_t now = own ? quick_united(t, w, me) : me;
    if (!now || !sn_clock_knows(r, sn_word_epoch(w)))
        return 0;
    sn_busy_enter(t);
    unsigned bytes = sn_set_known_bytes(r, second);
    int done = bytes || !second;
    if (!(bytes & ~sn_word_mask(now)))
        second = 0;
    if (done && (sn_word_mask(w) & ~sn_word_mask(now)))
        done = (second = rest_beside(r, w, second, now)) != 0;
    if (done && __atomic_load_n(&g->w, __ATOMIC_RELAXED) == w) {
        __atomic_store_n(&g->r, second, __ATOMIC_RELAXED);
        __atomic_store_n(&g->w, now, __ATOMIC_RELAXED);
        r->in_epoch++;
    } else {
        done = 0;
    }
    sn_busy_leave(t);
    return done;
}

/* The same for quick_read(). */
static SN_NOINLINE int read_part(struct sn_thread *t, struct sn_granule *g, uint64_t w,
                                 uint64_t second, uint64_t me)
{
    struct sn_race_thread *r = sn_race_of(t);
    if (!sn_clock_knows(r, sn_word_epoch(w)))
        return 0;
    sn_busy_enter(t);
    uint64_t now = sn_set_known_bytes(r, second) ? sn_set_step(r->sets, second, me) : 0;
    if (now && __atomic_load_n(&g->w, __ATOMIC_RELAXED) == w) {
        __atomic_store_n(&g->r, now, __ATOMIC_RELAXED);
        r->in_epoch++;
    } else {
        now = 0;
    }
    sn_busy_leave(t);
    return now != 0;
}

/* An access that the first look did not find, in its common forms: it is in the granule's cell, or
 * it is the first of an epoch, without a race, and changes nothing but these two words. There is
 * nothing that a signal handler or a cancellation could find half done, so the engine is not
 * entered. 0: it takes more. */
static inline __attribute__((always_inline)) int
quick_write(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g)
{
    struct sn_thread *t = sn_self;
    if (SN_UNLIKELY(!t || !g || !sn_race_hot.epoch))
        return 0;
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
    uint64_t second = __atomic_load_n(&g->r, __ATOMIC_RELAXED);
    if (SN_UNLIKELY(t->busy | r->ignore_writes))
        return 0;
    if (SN_UNLIKELY(sn_word_is_cell(w)))
        return sn_cell_has(r, addr, mask, SN_PLAIN_WRITE) ||
               (!second && quick_cell(t, addr, mask, tagged_pc, w, SN_PLAIN_WRITE));
    uint64_t me = quick_word(t, tagged_pc, mask);
    if (SN_UNLIKELY(!me || is_first(r, g, addr, w, second)))
        return 0;
    if (!second && sn_word_epoch(w) == sn_word_epoch(me)) {
        if (!(me = quick_united(t, w, me)))
            return 0;
    } else if (!makes_room(r, w, mask) || !makes_room(r, second, mask)) {
        return write_part(t, g, w, second, me);
    }
    if (SN_UNLIKELY(__atomic_load_n(&g->w, __ATOMIC_RELAXED) != w)) /* nobody came between */
        return 0;
    __atomic_store_n(&g->w, me, __ATOMIC_RELAXED);
    if (second)
        __atomic_store_n(&g->r, 0, __ATOMIC_RELAXED);
    r->in_epoch++;
    return 1;
}

static inline __attribute__((always_inline)) int
quick_read(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g)
{
    struct sn_thread *t = sn_self;
    if (SN_UNLIKELY(!t || !g || !sn_race_hot.epoch))
        return 0;
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
    uint64_t second = __atomic_load_n(&g->r, __ATOMIC_RELAXED);
    if (SN_UNLIKELY(t->busy | r->ignore_reads))
        return 0;
    if (SN_UNLIKELY(sn_word_is_cell(w)))
        return sn_cell_has(r, addr, mask, SN_PLAIN_READ) ||
               (!second && quick_cell(t, addr, mask, tagged_pc, w, SN_PLAIN_READ));
    uint64_t me = quick_word(t, tagged_pc, mask);
    if (SN_UNLIKELY(!me || is_first(r, g, addr, w, second)))
        return 0;
    if (sn_word_epoch(second) == sn_word_epoch(me) && !sn_word_is_write(second))
        me = quick_united(t, second, me);
    else if (SN_UNLIKELY(sn_word_is_write(second)) || !makes_room(r, second, mask))
        return read_part(t, g, w, second, me);
    if (!me || !sn_clock_knows(r, sn_word_epoch(w)) ||
        SN_UNLIKELY(__atomic_load_n(&g->w, __ATOMIC_RELAXED) != w)) /* nobody came between */
        return 0;
    __atomic_store_n(&g->r, me, __ATOMIC_RELAXED);
    r->in_epoch++;
    return 1;
}

/* snag_*: for src/fast. */
#define SIZED(size)                                                                                \
    SN_NOINLINE void sn_race_read##size(uintptr_t addr, uintptr_t pc, struct sn_granule *g)        \
    {                                                                                              \
        uintptr_t tagged = pc | SN_CTX_TAG(SN_OP_READ, size);                                      \
        unsigned mask = sn_mask(addr & 7, size);                                                   \
        if (!quick_read(addr, mask, tagged, g))                                                    \
            read_any(addr, mask, tagged, g);                                                       \
    }                                                                                              \
    SN_NOINLINE void sn_race_write##size(uintptr_t addr, uintptr_t pc, struct sn_granule *g)       \
    {                                                                                              \
        uintptr_t tagged = pc | SN_CTX_TAG(SN_OP_WRITE, size);                                     \
        unsigned mask = sn_mask(addr & 7, size);                                                   \
        if (!quick_write(addr, mask, tagged, g))                                                   \
            write_any(addr, mask, tagged, g);                                                      \
    }                                                                                              \
    SN_EXPORT void snag_read##size(uintptr_t addr, uintptr_t pc, struct sn_granule *g)             \
        __attribute__((alias("sn_race_read" #size)));                                              \
    SN_EXPORT void snag_write##size(uintptr_t addr, uintptr_t pc, struct sn_granule *g)            \
        __attribute__((alias("sn_race_write" #size)));

SIZED(1)
SIZED(2)
SIZED(4)
SIZED(8)

/* A range, granule by granule. Neighbours mostly have one history, so the last epochs that were
 * found to be known are remembered, of the first word and of the second. */
struct walk {
    struct sn_thread *t;
    uint64_t me; /* mask 0 */
    uint32_t epoch, known_first, known_second;
    int write;
};

static inline int is_known(struct walk *k, uint32_t epoch, uint32_t *known)
{
    if (epoch == *known || epoch == 0)
        return 1;
    if (!sn_clock_knows(sn_race_of(k->t), epoch))
        return 0;
    *known = epoch;
    return 1;
}

static inline int both_known(struct walk *k, uint64_t w, uint64_t r)
{
    return is_known(k, sn_word_epoch(w), &k->known_first) &&
           is_known(k, sn_word_epoch(r), &k->known_second);
}

/* One access in each word at most, known and covered: true, and it is done. */
static inline int walk_quickly(struct walk *k, struct sn_granule *g, unsigned mask)
{
    uint64_t w = g->w, r = g->r;
    if (k->write) {
        if (((sn_word_mask(w) | sn_word_mask(r)) & ~mask) || (w && !sn_word_mask(w)) ||
            (r && !sn_word_mask(r)) || !both_known(k, w, r))
            return 0;
        __atomic_store_n(&g->w, k->me | mask, __ATOMIC_RELAXED);
        if (r)
            __atomic_store_n(&g->r, 0, __ATOMIC_RELAXED);
        return 1;
    }
    if ((sn_word_mask(r) & ~mask) || sn_word_is_write(r) || (w && !sn_word_mask(w)) ||
        (r && !sn_word_mask(r)) || !both_known(k, w, r))
        return 0;
    __atomic_store_n(&g->r, k->me | mask, __ATOMIC_RELAXED);
    return 1;
}

static void walk_granule(struct walk *k, struct sn_granule *g, uintptr_t base, unsigned mask)
{
    if (sn_race_has(&g->w, k->epoch, mask) ||
        (!k->write && sn_race_was_read(g, &sn_race_hot, mask)))
        return;
    if (SN_LIKELY(walk_quickly(k, g, mask)))
        return;
    if (k->write)
        write_granule(k->t, g, base, k->me | mask);
    else
        read_granule(k->t, g, base, k->me | mask);
}

/* An access of the whole granule that gives way: nothing, or of an epoch that is known to be known.
 */
static inline int is_plain(uint64_t word, uint32_t known)
{
    return !word || (sn_word_epoch(word) == known && (uint8_t)word);
}

/* Four neighbours have `me`, at whatever place: their words are two apart. */
static inline int four_have(const uint64_t *word, uint64_t me)
{
    const uint64_t not_where = 0xffffffff000000ffull;
    uint64_t differ = 0;
    for (unsigned i = 0; i < 8; i += 2)
        differ |= __atomic_load_n(&word[i], __ATOMIC_RELAXED) ^ me;
    return !(differ & not_where);
}

/* Whole granules: the bulk of what free(), memset() and memcpy() cover. Both stop at the first one
 * that needs more care, and return where. */
static inline struct sn_granule *write_whole(const struct walk *k, struct sn_granule *g,
                                             struct sn_granule *end)
{
    const uint64_t me = k->me | 0xff;
    for (; g < end; g++) {
        if (sn_race_has(&g->w, k->epoch, 0xff)) {
            while (end - g > 4 && four_have(&g[1].w, me))
                g += 4;
            continue;
        }
        uint64_t w = g->w, r = g->r;
        if ((w | r) && (!is_plain(w, k->known_first) || !is_plain(r, k->known_second)))
            break;
        sn_granule_set(g, me);
    }
    return g;
}

static inline struct sn_granule *read_whole(const struct walk *k, struct sn_granule *g,
                                            struct sn_granule *end)
{
    const uint64_t me = k->me | 0xff;
    for (; g < end; g++) {
        if (sn_race_has(&g->w, k->epoch, 0xff) || sn_race_was_read(g, &sn_race_hot, 0xff)) {
            while (end - g > 4 && (four_have(&g[1].w, me) || four_have(&g[1].r, me)))
                g += 4;
            continue;
        }
        uint64_t r = g->r;
        if (!is_plain(g->w, k->known_first) || !is_plain(r, k->known_second) || sn_word_is_write(r))
            break;
        g->r = me;
    }
    return g;
}

/* How far from addr the shadow may be used. */
static inline uintptr_t may_use(const struct sn_granule *g, uintptr_t addr, uintptr_t end)
{
    uintptr_t bias = (uintptr_t)g - 2 * (addr & ~(uintptr_t)7);
    for (uintptr_t at = addr; at < end; at = (at | (SN_STRETCH - 1)) + 1)
        if (!sn_shadow_may_use(sn_granule_at(bias, at), at))
            return at;
    return end;
}

static void range(struct sn_thread *t, uintptr_t addr, size_t size, uint32_t where, int write)
{
    struct walk k = {t, sn_word(sn_race_hot.epoch, where, 0), sn_race_hot.epoch, 0, 0, write};
    uintptr_t end = addr + size;
    while (addr < end) {
        struct sn_granule *g = sn_shadow_get(addr);
        uintptr_t stop = (addr | (SN_REGION_BYTES - 1)) + 1;
        if (stop > end || stop < addr)
            stop = end;
        if (!g) {
            addr = stop;
            continue;
        }
        uintptr_t may = may_use(g, addr, stop);
        if (may == addr) {
            addr = (addr | (SN_STRETCH - 1)) + 1;
            continue;
        }
        stop = may;
        while (addr < stop) {
            if (!(addr & 7) && stop - addr >= 8) {
                struct sn_granule *from = g, *to = g + (stop - addr) / 8;
                g = write ? write_whole(&k, g, to) : read_whole(&k, g, to);
                addr += (uintptr_t)(g - from) * 8;
                if (addr >= stop)
                    break;
            }
            uintptr_t base = addr & ~(uintptr_t)7, next = base + 8;
            walk_granule(&k, g++, base,
                         sn_mask(addr & 7, (unsigned)((next < stop ? next : stop) - addr)));
            addr = next;
        }
    }
}

void sn_race_range(struct sn_thread *t, uintptr_t addr, size_t size, uint32_t where, int write)
{
    range(t, addr, size, where, write);
}

/* A few bytes on several granules. False: nothing was done. */
static inline __attribute__((always_inline)) int span(uintptr_t addr, size_t size, uintptr_t tagged,
                                                      int write)
{
    uintptr_t bias = sn_shadow_bias(addr);
    if (!bias || !sn_race_is_span(addr, size))
        return 0;
    struct sn_granule *g = sn_granule_at(bias, addr);
    for (uintptr_t base = addr & ~(uintptr_t)7; base < addr + size; base += 8, g++) {
        unsigned mask = sn_race_part(base, addr, size);
        if (sn_race_has(&g->w, sn_race_hot.epoch, mask) ||
            (!write && sn_race_was_read(g, &sn_race_hot, mask)))
            continue;
        if (write && !quick_write(base, mask, tagged, g))
            write_any(base, mask, tagged, g);
        else if (!write && !quick_read(base, mask, tagged, g))
            read_any(base, mask, tagged, g);
    }
    return 1;
}

SN_NOINLINE void sn_race_read_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    struct sn_thread *t = sn_self;
    if (span(addr, size, pc | SN_CTX_TAG(SN_OP_READ, size), 0) || !size || !enter(t))
        return;
    if (!sn_race_of(t)->ignore_reads)
        range(t, addr, size, sn_ctx_site(t, pc | SN_CTX_TAG(SN_OP_READ, size)), 0);
    leave(t);
}

SN_NOINLINE void sn_race_write_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    struct sn_thread *t = sn_self;
    if (span(addr, size, pc | SN_CTX_TAG(SN_OP_WRITE, size), 1) || !size || !enter(t))
        return;
    if (!sn_race_of(t)->ignore_writes)
        range(t, addr, size, sn_ctx_site(t, pc | SN_CTX_TAG(SN_OP_WRITE, size)), 1);
    leave(t);
}
