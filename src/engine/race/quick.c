/*
 * quick.c: accesses that the first look did not find, in their common forms: without a race, and
 * changing nothing but the granule's two words or what the thread keeps for itself. Each step
 * is a tail call behind the one before, so that the first ones need no registers saved: the words
 * alone; fields; what the thread keeps of a granule with a cell; parts of granules, and cells. What
 * is left is the engine's (access.c).
 */
#include "quick.h"

#include "core/stop.h"
#include "race.h"
#include "readset.h"

/* sn_clock_knows() of the word's epoch. One register less, and there is none to be saved. */
static inline __attribute__((always_inline)) int knows(const struct sn_race_thread *r,
                                                       uint64_t word)
{
    const uint32_t *last = &r->clock[sn_batch_slot[word >> (32 + SN_BATCH_BITS)]];
    __asm__("" : "+r"(last));
    return sn_word_epoch(word) <= *last;
}

/* Empty, or one access that is known and covered. */
static inline int makes_room(const struct sn_race_thread *r, uint64_t old, unsigned mask)
{
    return !old || ((uint8_t)old && !(sn_word_mask(old) & ~mask) && knows(r, old));
}

/* The bytes of a second word all of whose accesses are known, as far as that takes one look; 0:
 * none such. */
static inline unsigned known_bytes(const struct sn_race_thread *r, uint64_t second)
{
    if ((uint8_t)second)
        return knows(r, second) ? sn_word_mask(second) : 0;
    return sn_set_known_at_once(r->sets, r->slot, second);
}

/* See read_first(): soon after it was let go, a thread may be the first together with another. */
static inline int is_first(const struct sn_race_thread *r, const struct sn_granule *g,
                           uintptr_t addr, uint64_t w, uint64_t second)
{
    return SN_UNLIKELY(!(w | second)) && (r->in_epoch < 4 || !sn_shadow_is_touched(g, addr));
}

/* What was found at the granule, and the access. */
struct seen {
    uint64_t w, second, me;
};

/* The write s->me, united with what the thread has written in this epoch. 0: it takes more. *gone:
 * the second word is not needed any more. */
static inline __attribute__((always_inline)) int
quick_write(struct sn_thread *t, const struct seen *s, uint64_t *now, int *gone)
{
    struct sn_race_thread *r = sn_race_of(t);
    int own = !((s->w ^ s->me) >> 32);
    unsigned bytes = s->second ? known_bytes(r, s->second) : 0;
    *now = own ? sn_quick_united(t, s->w, s->me) : s->me;
    *gone = bytes && !(bytes & ~sn_word_mask(*now));
    if (s->second && (!bytes || (!own && !*gone)))
        return 0;
    return own ? *now != 0 : makes_room(r, s->w, sn_word_mask(s->me));
}

/* The same for a read. */
static inline __attribute__((always_inline)) int quick_read(struct sn_thread *t,
                                                            const struct seen *s, uint64_t *now)
{
    struct sn_race_thread *r = sn_race_of(t);
    int own = !((s->second ^ s->me) >> 32);
    *now = s->me;
    if (!sn_clock_knows(r, sn_word_epoch(s->w)) || sn_word_is_write(s->second) ||
        (!own && !makes_room(r, s->second, sn_word_mask(s->me))))
        return 0;
    return !own || (*now = sn_quick_united(t, s->second, s->me));
}

/* The words, changed by one store each: there is nothing to keep a signal handler away from, and
 * the engine is not entered. 0: somebody came between. */
static inline int put(struct sn_thread *t, struct sn_granule *g, uint64_t w, uint64_t now,
                      int write, int gone)
{
    if (SN_UNLIKELY(__atomic_load_n(&g->w, __ATOMIC_RELAXED) != w) || (gone && !w))
        return 0; /* the first write after reads is exchanged: see access.c */
    __atomic_store_n(write ? &g->w : &g->r, now, __ATOMIC_RELAXED);
    if (gone)
        __atomic_store_n(&g->r, 0, __ATOMIC_RELAXED);
    sn_race_of(t)->in_epoch++;
    return 1;
}

/* The commonest: everything older is known and covered, or it is more of the same place. 0: it
 * takes more; then s->me is 0 unless the access and the words are known. s->w and s->second are
 * what the granule has; the first is not a cell. Whatever needs another register is not for here.
 */
static inline __attribute__((always_inline)) int quick_at(const struct sn_ctx_entry *place,
                                                          uintptr_t addr, unsigned mask,
                                                          struct sn_granule *g, int write,
                                                          struct seen *s)
{
    struct sn_thread *t = sn_race_hot.self;
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t me = sn_quick_at(t, place, mask);
    s->second = __atomic_load_n(&g->r, __ATOMIC_RELAXED);
    s->me = 0;
    if (SN_UNLIKELY(is_first(r, g, addr, s->w, s->second)))
        return 0;
    s->me = me;
    uint64_t old = write ? s->w : s->second;
    if (write && !makes_room(r, s->second, mask))
        return 0;
    if (!makes_room(r, old, mask)) {
        if ((old ^ me) & ~0xffull)
            return 0;
        me |= old;
    }
    if (!write && (sn_word_is_write(old) || !knows(r, s->w)))
        return 0;
    return put(t, g, s->w, me, write, write && s->second);
}

static inline __attribute__((always_inline)) int may_follow(const struct sn_thread *t, int write)
{
    const struct sn_race_thread *r = sn_race_of((struct sn_thread *)t);
    return SN_LIKELY(!(t->busy | (write ? r->ignore_writes : r->ignore_reads)));
}

static inline __attribute__((always_inline)) int quick(uintptr_t addr, unsigned mask,
                                                       uintptr_t tagged_pc, struct sn_granule *g,
                                                       int write, struct seen *s)
{
    struct sn_thread *t = sn_race_hot.self;
    const struct sn_ctx_entry *place;
    s->me = 0;
    return may_follow(t, write) && (place = sn_ctx_site_cached(t, tagged_pc)) &&
           quick_at(place, addr, mask, g, write, s);
}

/* Nobody came between: another thread, or renewal (epoch.h), for which this one may have waited. */
static inline int is_still(const struct sn_granule *g, uint64_t w, uint64_t second)
{
    return __atomic_load_n(&g->w, __ATOMIC_RELAXED) == w &&
           __atomic_load_n(&g->r, __ATOMIC_RELAXED) == second;
}

static inline const struct sn_set_again *again_entry(uintptr_t tagged_pc, unsigned mask)
{
    const struct sn_set_again *e = sn_set_again_at(sn_race_hot.sets, tagged_pc, mask);
    __asm__("" : "+r"(e)); /* in one register, not two */
    return e;
}

static inline void remember(struct sn_thread *t, uintptr_t tagged_pc, const struct seen *s,
                            uint64_t now_w, uint64_t now_second)
{
    unsigned mask = sn_word_mask(s->me);
    *sn_set_again_at(sn_race_of(t)->sets, tagged_pc, mask) = (struct sn_set_again){
        sn_quick_place(tagged_pc, mask), sn_quick_context(t), s->w, s->second, now_w, now_second};
}

/* The granule has what a neighbour had. A read asks no more of the write than that it is known. */
static inline int is_like(const struct sn_race_thread *r, const struct sn_granule *g,
                          const struct sn_set_again *e, int write)
{
    uint64_t w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
    if (__atomic_load_n(&g->r, __ATOMIC_RELAXED) != e->second)
        return 0;
    return write ? w == e->w : e->w == SN_AGAIN_ANY && !sn_word_is_cell(w) && knows(r, w);
}

/* A neighbour with such words has shown what comes of an access like this one: e, if it is that.
 * 0: there was none, or it is not the time for it. */
static inline __attribute__((always_inline)) int do_again(struct sn_thread *t,
                                                          const struct sn_set_again *e,
                                                          unsigned mask, uintptr_t tagged_pc,
                                                          struct sn_granule *g, int write)
{
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_set_cache *sets = r->sets;
    uint64_t place = sn_quick_place(tagged_pc, mask);
    if (!may_follow(t, write))
        return 0;
    t->busy = 1; /* signal handlers have entries too */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    int done = !__atomic_load_n(&sn_stop, __ATOMIC_RELAXED) && e->place == place &&
               e->context == sn_quick_context(t) && is_like(r, g, e, write);
    if (SN_LIKELY(done)) {
        __atomic_store_n(&g->r, e->now_second, __ATOMIC_RELAXED);
        if (write)
            __atomic_store_n(&g->w, e->now_w, __ATOMIC_RELAXED);
        sets->used_again += (uint32_t)sn_word_is_set(e->now_second);
        r->in_epoch++;
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->busy = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return done;
}

/* The new second word when the older write w gives way to `now` only in part; 0: not that simple.
 */
static inline uint64_t rest_beside(struct sn_race_thread *r, uint64_t w, uint64_t second,
                                   uint64_t now)
{
    uint64_t rest = sn_race_rest_of(w, now);
    return second ? sn_set_step(r->sets, second, rest) : rest;
}

/* A write to a part of what the words hold: arrays of small elements, gone through again. All
 * that is there is known; the set that may be needed was made for a neighbour. */
static inline int write_part(struct sn_thread *t, uintptr_t tagged_pc, struct sn_granule *g,
                             const struct seen *s, int to_remember)
{
    struct sn_race_thread *r = sn_race_of(t);
    int own = sn_word_epoch(s->w) == sn_word_epoch(s->me);
    uint64_t now = own ? sn_quick_united(t, s->w, s->me) : s->me, second = s->second;
    if (!s->w || !now || !sn_clock_knows(r, sn_word_epoch(s->w)))
        return 0;
    sn_busy_enter(t);
    unsigned bytes = sn_set_known_bytes(r, second);
    int done = bytes || !second;
    second = sn_race_left_of(second, bytes, sn_word_mask(now));
    if (done && (sn_word_mask(s->w) & ~sn_word_mask(now)))
        done = (second = rest_beside(r, s->w, second, now)) != 0;
    done = done && is_still(g, s->w, s->second);
    if (done) {
        if (to_remember)
            remember(t, tagged_pc, s, now, second);
        __atomic_store_n(&g->r, second, __ATOMIC_RELAXED);
        __atomic_store_n(&g->w, now, __ATOMIC_RELAXED);
        r->in_epoch++;
    }
    sn_busy_leave(t);
    return done;
}

/* The same for a read, and a read that joins those of other threads. */
static inline int read_part(struct sn_thread *t, struct sn_granule *g, const struct seen *s)
{
    struct sn_race_thread *r = sn_race_of(t);
    if (!sn_clock_knows(r, sn_word_epoch(s->w)))
        return 0;
    sn_busy_enter(t);
    uint64_t now = sn_set_step(r->sets, s->second, s->me);
    int done = now && is_still(g, s->w, s->second);
    if (done) {
        __atomic_store_n(&g->r, now, __ATOMIC_RELAXED);
        r->in_epoch++;
    }
    sn_busy_leave(t);
    return done;
}

/* Two words, after quick(). */
static SN_NOINLINE void read_words(uintptr_t addr, uintptr_t tagged_pc, struct sn_granule *g,
                                   uint64_t w, uint64_t second, uint64_t me)
{
    struct sn_thread *t = sn_self;
    const struct seen s = {w, second, me};
    uint64_t now;
    if (quick_read(t, &s, &now) && put(t, g, w, now, 0, 0))
        return;
    if (!read_part(t, g, &s))
        sn_race_read_any(addr, sn_word_mask(me), tagged_pc, g);
}

/* The thread is in the set already, with these bytes, and had forgotten it: it has met more sets in
 * this epoch than it remembers. */
static int is_member(struct sn_thread *t, const struct sn_granule *g, uint64_t second,
                     unsigned mask)
{
    struct sn_race_thread *r = sn_race_of(t);
    if (mask & ~sn_word_where(second)) /* all bytes of the set */
        return 0;
    sn_busy_enter(t);
    int yes = __atomic_load_n(&g->r, __ATOMIC_RELAXED) == second &&
              !(mask & ~sn_set_own_bytes(r, second));
    r->sets->used_again += (uint32_t)yes;
    sn_busy_leave(t);
    return yes;
}

static SN_NOINLINE void read_in_set(uintptr_t addr, uintptr_t tagged_pc, struct sn_granule *g,
                                    uint64_t second, unsigned mask)
{
    if (!is_member(sn_self, g, second, mask))
        sn_race_read_any(addr, mask, tagged_pc, g);
}

/* A read that joins others by a step that was made before, so that all writes among them are known:
 * read_part() without a frame of its own. While threads are stopped it is left to the engine. */
static SN_NOINLINE void read_join(uintptr_t addr, uintptr_t tagged_pc, struct sn_granule *g,
                                  uint64_t w, uint64_t second, uint64_t me)
{
    struct sn_thread *t = sn_race_hot.self;
    struct sn_race_thread *r = sn_race_of(t);
    const struct sn_set_step *step = sn_set_step_at(r->sets, second, me);
    t->busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    int done = SN_LIKELY(!__atomic_load_n(&sn_stop, __ATOMIC_RELAXED)) && step->old == second &&
               step->me == me && sn_clock_knows(r, sn_word_epoch(w)) && is_still(g, w, second);
    if (SN_LIKELY(done)) {
        remember(t, tagged_pc, &(struct seen){SN_AGAIN_ANY, second, me}, 0, step->now);
        __atomic_store_n(&g->r, step->now, __ATOMIC_RELAXED);
        sn_set_step_counts(r->sets);
        r->in_epoch++;
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->busy = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (done) {
        if (SN_UNLIKELY(t->sig_pending))
            sn_thread_on_signal(t);
    } else if (sn_word_is_set(second)) {
        read_in_set(addr, tagged_pc, g, second, sn_word_mask(me));
    } else {
        read_words(addr, tagged_pc, g, w, second, me);
    }
}

/* Other bytes than it has read before in this epoch, at another place: a loop over bytes that was
 * unrolled, or over structs with small members. The next granule's are read in the same way. */
static SN_NOINLINE void read_beside(uintptr_t addr, uintptr_t tagged_pc, struct sn_granule *g,
                                    uint64_t w, uint64_t second, uint64_t me)
{
    struct sn_thread *t = sn_race_hot.self;
    uint64_t now = sn_quick_united(t, second, me);
    if (SN_UNLIKELY(!now || sn_word_is_write(second) ||
                    !sn_clock_knows(sn_race_of(t), sn_word_epoch(w)) || !put(t, g, w, now, 0, 0)))
        read_words(addr, tagged_pc, g, w, second, me);
    else
        remember(t, tagged_pc, &(struct seen){SN_AGAIN_ANY, second, me}, 0, now);
}

/* To remember what a write to a part does. Where histories differ it is mostly for nothing, so not
 * always. */
static inline int is_worth_it(struct sn_race_thread *r, uint64_t w, unsigned mask,
                              uintptr_t tagged_pc)
{
    return mask != 0xff &&
           (!(r->in_epoch % 7) || sn_set_again_at(r->sets, tagged_pc, mask)->w == w);
}

static SN_NOINLINE void write_words(uintptr_t addr, uintptr_t tagged_pc, struct sn_granule *g,
                                    uint64_t w, uint64_t second, uint64_t me)
{
    struct sn_thread *t = sn_self;
    const struct seen s = {w, second, me};
    uint64_t now;
    int gone;
    int again = is_worth_it(sn_race_of(t), w, sn_word_mask(me), tagged_pc);
    if (!(again && sn_word_is_set(second)) && quick_write(t, &s, &now, &gone) &&
        put(t, g, w, now, 1, gone)) {
        if (again && !((w ^ me) >> 32)) /* as read_beside() */
            remember(t, tagged_pc, &s, now, gone ? 0 : second);
        return;
    }
    if (!write_part(t, tagged_pc, g, &s, again))
        sn_race_write_any(addr, sn_word_mask(me), tagged_pc, g);
}

/* Two words, whatever they are. */
static inline __attribute__((always_inline)) void read_two_words(uintptr_t addr, unsigned mask,
                                                                 uintptr_t tagged_pc,
                                                                 struct sn_granule *g,
                                                                 struct seen *s)
{
    if (quick(addr, mask, tagged_pc, g, 0, s))
        return;
    if (!s->me)
        sn_race_read_any(addr, mask, tagged_pc, g);
    else if (!((s->second ^ s->me) >> 32))
        read_beside(addr, tagged_pc, g, s->w, s->second, s->me);
    else if (s->second)
        read_join(addr, tagged_pc, g, s->w, s->second, s->me);
    else
        read_words(addr, tagged_pc, g, s->w, s->second, s->me);
}

/* The second word names a set, as far as is known. */
static SN_NOINLINE void read_into_set(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                      struct sn_granule *g)
{
    struct sn_thread *t = sn_race_hot.self;
    uint64_t w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
    uint64_t second = __atomic_load_n(&g->r, __ATOMIC_RELAXED), me;
    if (!sn_word_is_cell(w) && sn_word_is_set(second) && may_follow(t, 0) &&
        (me = sn_quick_word(t, tagged_pc, mask)))
        read_join(addr, tagged_pc, g, w, second, me);
    else
        sn_race_read_any(addr, mask, tagged_pc, g);
}

/* The second word names a set. Rounds between barriers begin with a read of everything by
 * everybody. */
static SN_NOINLINE void read_set(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                 struct sn_granule *g)
{
    struct sn_thread *t = sn_race_hot.self;
    if (!do_again(t, again_entry(tagged_pc, mask), mask, tagged_pc, g, 0))
        read_into_set(addr, mask, tagged_pc, g);
    else if (SN_UNLIKELY(t->sig_pending))
        sn_thread_on_signal(t);
}

static SN_NOINLINE void read_apart(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                   struct sn_granule *g)
{
    struct seen s = {.w = __atomic_load_n(&g->w, __ATOMIC_RELAXED)};
    if (sn_word_is_cell(s.w))
        sn_race_read_any(addr, mask, tagged_pc, g);
    else
        read_two_words(addr, mask, tagged_pc, g, &s);
}

/* A part of a granule of which the thread has read others; an earlier one may have shown what to do
 * with. */
static SN_NOINLINE void read_again(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                   struct sn_granule *g, const struct sn_set_again *e)
{
    struct sn_thread *t = sn_race_hot.self;
    if (!do_again(t, e, mask, tagged_pc, g, 0))
        read_apart(addr, mask, tagged_pc, g);
    else if (SN_UNLIKELY(t->sig_pending))
        sn_thread_on_signal(t);
}

static inline __attribute__((always_inline)) void
read_one(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g)
{
    struct seen s = {.w = __atomic_load_n(&g->w, __ATOMIC_RELAXED)};
    const struct sn_set_again *e = mask == 0xff ? 0 : again_entry(tagged_pc, mask);
    if (sn_word_is_cell(s.w)) {
        if (sn_word_is_fields(s.w))
            sn_quick_read_field(addr, mask, tagged_pc, g, s.w);
        else
            sn_quick_read_list(addr, mask, tagged_pc, g, s.w);
    } else if (sn_word_is_set(__atomic_load_n(&g->r, __ATOMIC_RELAXED))) {
        read_set(addr, mask, tagged_pc, g);
    } else if (e && sn_look_upper(&g->r, sn_race_hot.epoch) && sn_look_is(&g->r, e->second)) {
        read_again(addr, mask, tagged_pc, g, e);
    } else {
        read_two_words(addr, mask, tagged_pc, g, &s);
    }
}

static inline __attribute__((always_inline)) void write_two_words(uintptr_t addr, unsigned mask,
                                                                  uintptr_t tagged_pc,
                                                                  struct sn_granule *g,
                                                                  struct seen *s)
{
    if (quick(addr, mask, tagged_pc, g, 1, s))
        return;
    if (s->me)
        write_words(addr, tagged_pc, g, s->w, s->second, s->me);
    else
        sn_race_write_any(addr, mask, tagged_pc, g);
}

static SN_NOINLINE void write_apart(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                    struct sn_granule *g)
{
    struct seen s = {.w = __atomic_load_n(&g->w, __ATOMIC_RELAXED)};
    if (sn_word_is_cell(s.w))
        sn_race_write_any(addr, mask, tagged_pc, g);
    else
        write_two_words(addr, mask, tagged_pc, g, &s);
}

/* A part of a granule, which an earlier one has shown what to do with. */
static SN_NOINLINE void write_again(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                    struct sn_granule *g, const struct sn_set_again *e)
{
    struct sn_thread *t = sn_race_hot.self;
    if (!do_again(t, e, mask, tagged_pc, g, 1))
        write_apart(addr, mask, tagged_pc, g);
    else if (SN_UNLIKELY(t->sig_pending))
        sn_thread_on_signal(t);
}

static inline __attribute__((always_inline)) void
write_one(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g)
{
    struct seen s = {.w = __atomic_load_n(&g->w, __ATOMIC_RELAXED)};
    const struct sn_set_again *e = mask == 0xff ? 0 : again_entry(tagged_pc, mask);
    if (sn_word_is_cell(s.w))
        sn_quick_write_cell(addr, mask, tagged_pc, g, s.w);
    else if (e && e->w == s.w && s.w) /* the last one at that place found the same write */
        write_again(addr, mask, tagged_pc, g, e);
    else
        write_two_words(addr, mask, tagged_pc, g, &s);
}

/* snag_*: for src/fast. */
#define SIZED(size)                                                                                \
    SN_NOINLINE void sn_race_read##size(uintptr_t addr, uintptr_t pc, struct sn_granule *g)        \
    {                                                                                              \
        uintptr_t tagged = pc | SN_CTX_TAG(SN_OP_READ, size);                                      \
        unsigned mask = sn_race_mask(addr, size);                                                  \
        if (SN_UNLIKELY((size < 8 && (addr & (size - 1))) || !sn_race_hot.self))                   \
            sn_race_read_range(addr, size, pc);                                                    \
        else                                                                                       \
            read_one(addr, mask, tagged, g);                                                       \
    }                                                                                              \
    SN_NOINLINE void sn_race_write##size(uintptr_t addr, uintptr_t pc, struct sn_granule *g)       \
    {                                                                                              \
        uintptr_t tagged = pc | SN_CTX_TAG(SN_OP_WRITE, size);                                     \
        unsigned mask = sn_race_mask(addr, size);                                                  \
        if (SN_UNLIKELY((size < 8 && (addr & (size - 1))) || !sn_race_hot.self))                   \
            sn_race_write_range(addr, size, pc);                                                   \
        else                                                                                       \
            write_one(addr, mask, tagged, g);                                                      \
    }                                                                                              \
    SN_EXPORT void snag_read##size(uintptr_t addr, uintptr_t pc, struct sn_granule *g)             \
        __attribute__((alias("sn_race_read" #size)));                                              \
    SN_EXPORT void snag_write##size(uintptr_t addr, uintptr_t pc, struct sn_granule *g)            \
        __attribute__((alias("sn_race_write" #size)));

SIZED(1)
SIZED(2)
SIZED(4)
SIZED(8)

/* Two whole granules, one of which the first look did not find or did not look for. */
static SN_NOINLINE void read_half(uintptr_t addr, uintptr_t tagged_pc, struct sn_granule *g)
{
    if (!sn_race_has(&g->w, sn_race_hot.epoch, 0xff) && !sn_race_was_read(g, &sn_race_hot, 0xff))
        read_one(addr, 0xff, tagged_pc, g);
}

static SN_NOINLINE void write_half(uintptr_t addr, uintptr_t tagged_pc, struct sn_granule *g)
{
    if (!sn_race_has(&g->w, sn_race_hot.epoch, 0xff))
        write_one(addr, 0xff, tagged_pc, g);
}

/* Not followed, or the second one is of another region. */
static inline int is_no_pair(uintptr_t addr)
{
    return SN_UNLIKELY(!sn_race_hot.self || !((addr + 8) & (SN_REGION_BYTES - 1)));
}

void sn_race_read16(uintptr_t addr, uintptr_t pc, struct sn_granule *g)
{
    uintptr_t tagged_pc = pc | SN_CTX_TAG(SN_OP_READ, 16);
    if (is_no_pair(addr)) {
        sn_race_range_any(addr, 16, tagged_pc, 0);
        return;
    }
    read_half(addr, tagged_pc, g);
    read_half(addr + 8, tagged_pc, g + 1);
}

void sn_race_write16(uintptr_t addr, uintptr_t pc, struct sn_granule *g)
{
    uintptr_t tagged_pc = pc | SN_CTX_TAG(SN_OP_WRITE, 16);
    if (is_no_pair(addr)) {
        sn_race_range_any(addr, 16, tagged_pc, 1);
        return;
    }
    write_half(addr, tagged_pc, g);
    write_half(addr + 8, tagged_pc, g + 1);
}

/* What quick_at() did not do of a granule. */
static SN_NOINLINE void read_further(uintptr_t base, unsigned mask, uintptr_t tagged_pc,
                                     struct sn_granule *g, const struct seen *s)
{
    if (sn_word_is_fields(s->w))
        sn_quick_read_field(base, mask, tagged_pc, g, s->w);
    else if (sn_word_is_cell(s->w))
        sn_quick_read_list(base, mask, tagged_pc, g, s->w);
    else if (s->me && sn_word_is_set(s->second))
        read_join(base, tagged_pc, g, s->w, s->second, s->me);
    else if (s->me)
        read_words(base, tagged_pc, g, s->w, s->second, s->me);
    else
        sn_race_read_any(base, mask, tagged_pc, g);
}

static SN_NOINLINE void write_further(uintptr_t base, unsigned mask, uintptr_t tagged_pc,
                                      struct sn_granule *g, const struct seen *s)
{
    if (sn_word_is_cell(s->w))
        sn_quick_write_cell(base, mask, tagged_pc, g, s->w);
    else if (s->me)
        write_words(base, tagged_pc, g, s->w, s->second, s->me);
    else
        sn_race_write_any(base, mask, tagged_pc, g);
}

/* A few bytes on several granules, at least one of which has to be remembered: the place is looked
 * up once. False: nothing was done. */
static inline __attribute__((always_inline)) int span(uintptr_t addr, size_t size, uintptr_t tagged,
                                                      int write)
{
    uintptr_t bias = sn_shadow_bias(addr), base = addr & ~(uintptr_t)7;
    struct sn_thread *t = sn_race_hot.self;
    const struct sn_ctx_entry *place;
    if (!bias || !t || size > SN_SPAN_MAX ||
        (addr & (SN_REGION_BYTES - 1)) + size > SN_REGION_BYTES || !may_follow(t, write) ||
        !(place = sn_ctx_site_cached(t, tagged)))
        return 0;
    struct sn_granule *g = sn_granule_at(bias, addr);
    for (uint64_t bytes = sn_race_bytes(addr, size); bytes; bytes >>= 8, base += 8, g++) {
        unsigned mask = (uint8_t)bytes;
        struct seen s = {.w = __atomic_load_n(&g->w, __ATOMIC_RELAXED)};
        if (sn_race_has(&g->w, sn_race_hot.epoch, mask) ||
            (!write && sn_race_was_read(g, &sn_race_hot, mask)) ||
            (!sn_word_is_cell(s.w) && quick_at(place, base, mask, g, write, &s)))
            continue;
        if (write)
            write_further(base, mask, tagged, g, &s);
        else
            read_further(base, mask, tagged, g, &s);
    }
    return 1;
}

static SN_NOINLINE void read_span(uintptr_t addr, size_t size, uintptr_t pc)
{
    uintptr_t tagged_pc = pc | SN_CTX_TAG(SN_OP_READ, size);
    if (!span(addr, size, tagged_pc, 0) && size)
        sn_race_range_any(addr, size, tagged_pc, 0);
}

static SN_NOINLINE void write_span(uintptr_t addr, size_t size, uintptr_t pc)
{
    uintptr_t tagged_pc = pc | SN_CTX_TAG(SN_OP_WRITE, size);
    if (!span(addr, size, tagged_pc, 1) && size)
        sn_race_range_any(addr, size, tagged_pc, 1);
}

/* Strings that are read again and again. */
static inline int saw(uintptr_t addr, size_t size, int write)
{
    uintptr_t bias = sn_shadow_bias(addr);
    return bias && size <= SN_SPAN_MAX &&
           sn_race_saw_span(addr, size, sn_granule_at(bias, addr), write);
}

SN_NOINLINE void sn_race_read_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    if (!saw(addr, size, 0))
        read_span(addr, size, pc);
}

SN_NOINLINE void sn_race_write_range(uintptr_t addr, size_t size, uintptr_t pc)
{
    if (!saw(addr, size, 1))
        write_span(addr, size, pc);
}
