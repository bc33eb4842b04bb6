/*
 * quick.c: accesses that the first look did not find, in their common forms: without a race, and
 * changing nothing but the granule's two words or what the thread keeps for itself. Each step
 * is a tail call behind the one before, so that the first ones need no registers saved: the words
 * alone; fields; what the thread keeps of a granule with a cell; parts of granules, and cells. What
 * is left is the engine's (access.c).
 */
#include "access.h"

#include "cell.h"
#include "clock.h"
#include "core/ctx_cache.h"
#include "core/stop.h"
#include "fields.h"
#include "private.h"
#include "race.h"
#include "readset.h"

/* Empty, or one access that is known and covered. */
static inline int makes_room(const struct sn_race_thread *r, uint64_t old, unsigned mask)
{
    return !old ||
           ((uint8_t)old && !(sn_word_mask(old) & ~mask) && sn_clock_knows(r, sn_word_epoch(old)));
}

/* The bytes of a second word all of whose accesses are known, as far as that takes one look; 0:
 * none such. */
static inline unsigned known_bytes(const struct sn_race_thread *r, uint64_t second)
{
    uint32_t id = sn_word_epoch(second);
    const struct sn_set_known *k = &r->sets->known[id % SN_SET_KNOWN];
    if ((uint8_t)second)
        return sn_clock_knows(r, id) ? sn_word_mask(second) : 0;
    return k->set == id ? k->mask : 0;
}

/* See read_first(): soon after it was let go, a thread may be the first together with another. */
static inline int is_first(const struct sn_race_thread *r, const struct sn_granule *g,
                           uintptr_t addr, uint64_t w, uint64_t second)
{
    return SN_UNLIKELY(!(w | second)) && (r->in_epoch < 4 || !sn_shadow_is_touched(g, addr));
}

/* The word of this access, if the thread's cache has its place; 0: it does not. */
static inline uint64_t quick_word(struct sn_thread *t, uintptr_t tagged_pc, unsigned mask)
{
    uint32_t ctx = t->sp[-1].ctx; /* 0: not worked out yet, or outside of all calls: not there */
    const struct sn_ctx_entry *e = sn_ctx_slot(t, ctx, tagged_pc);
    if (SN_UNLIKELY(e->pc != tagged_pc || e->parent != ctx))
        return 0;
    return sn_race_me(sn_race_of(t)) | (uint64_t)e->node << 8 | mask;
}

/* united() of two words of this epoch, if the thread's cache has the place of both; else 0. */
static inline uint64_t quick_united(struct sn_thread *t, uint64_t old, uint64_t me)
{
    if (!((old ^ me) & ~0xffull))
        return old | me;
    uint32_t both = sn_ctx_both_cached(t, sn_word_where(old), sn_word_where(me), sn_word_mask(me));
    return both ? sn_word(sn_word_epoch(me), both, sn_word_mask(old) | sn_word_mask(me)) : 0;
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
    int done = (kind != SN_PLAIN_WRITE && sn_private_try(r, name, base, me, kind)) ||
               sn_cell_quick(r, name, base, me, kind);
    r->in_epoch += (uint32_t)done;
    sn_busy_leave(t);
    return done;
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
    *now = own ? quick_united(t, s->w, s->me) : s->me;
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
    return !own || (*now = quick_united(t, s->second, s->me));
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
static inline __attribute__((always_inline)) int quick(uintptr_t addr, unsigned mask,
                                                       uintptr_t tagged_pc, struct sn_granule *g,
                                                       int write, struct seen *s)
{
    struct sn_thread *t = sn_race_hot.self;
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t me;
    s->me = 0;
    if (SN_UNLIKELY(t->busy | (write ? r->ignore_writes : r->ignore_reads)) ||
        !(me = quick_word(t, tagged_pc, mask)) ||
        SN_UNLIKELY(is_first(r, g, addr, s->w, s->second)))
        return 0;
    s->me = me;
    uint64_t old = write ? s->w : s->second;
    if (!makes_room(r, old, mask)) {
        if ((old ^ me) & ~0xffull)
            return 0;
        me |= old;
    }
    if (write ? !makes_room(r, s->second, mask)
              : sn_word_is_write(old) || !sn_clock_knows(r, sn_word_epoch(s->w)))
        return 0;
    return put(t, g, s->w, me, write, write && s->second);
}

/* Nobody came between: another thread, or renewal (epoch.h), for which this one may have waited. */
static inline int is_still(const struct sn_granule *g, uint64_t w, uint64_t second)
{
    return __atomic_load_n(&g->w, __ATOMIC_RELAXED) == w &&
           __atomic_load_n(&g->r, __ATOMIC_RELAXED) == second;
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
static inline int write_part(struct sn_thread *t, struct sn_granule *g, const struct seen *s)
{
    struct sn_race_thread *r = sn_race_of(t);
    int own = sn_word_epoch(s->w) == sn_word_epoch(s->me);
    uint64_t now = own ? quick_united(t, s->w, s->me) : s->me, second = s->second;
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
    int may = !sn_word_is_write(s->second) || sn_set_known_bytes(r, s->second);
    uint64_t now = may ? sn_set_step(r->sets, s->second, s->me) : 0;
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

/* What tells a join from others: see struct sn_set_join. */
static inline uint64_t join_place(uintptr_t tagged_pc, unsigned mask)
{
    return tagged_pc | (uint64_t)mask << 48;
}

static inline uint64_t join_context(const struct sn_thread *t, const struct sn_race_thread *r)
{
    return sn_race_me(r) | t->sp[-1].ctx;
}

/* A read that joins those of other threads, for the first time in this epoch at this place. */
static SN_NOINLINE void join_set(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                 struct sn_granule *g)
{
    struct sn_thread *t = sn_race_hot.self;
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t me;
    int done = 0;
    if ((t->busy | r->ignore_reads) || !(me = quick_word(t, tagged_pc, mask))) {
        sn_race_read_any(addr, mask, tagged_pc, g);
        return;
    }
    sn_busy_enter(t);
    uint64_t w = __atomic_load_n(&g->w, __ATOMIC_RELAXED), now;
    uint64_t second = __atomic_load_n(&g->r, __ATOMIC_RELAXED);
    if (second && !sn_word_is_cell(w) && sn_clock_knows(r, sn_word_epoch(w)) &&
        (!sn_word_is_write(second) || sn_set_known_bytes(r, second)) &&
        (now = sn_set_step(r->sets, second, me)) && is_still(g, w, second)) {
        __atomic_store_n(&g->r, now, __ATOMIC_RELAXED);
        r->in_epoch++;
        uint64_t place = join_place(tagged_pc, mask);
        *sn_set_join_at(r->sets, place) =
            (struct sn_set_join){place, join_context(t, r), w, second, now};
        done = 1;
    }
    sn_busy_leave(t);
    if (!done)
        sn_race_read_any(addr, mask, tagged_pc, g);
}

/* The same, of a neighbour: rounds between barriers begin so for all that is read in them. It
 * leaves the engine before it asks for more. */
static SN_NOINLINE void read_set(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                 struct sn_granule *g)
{
    struct sn_thread *t = sn_race_hot.self;
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t place = join_place(tagged_pc, mask);
    const struct sn_set_join *e = sn_set_join_at(r->sets, place);
    if (SN_UNLIKELY((t->busy | r->ignore_reads) || e->place != place ||
                    e->context != join_context(t, r))) {
        join_set(addr, mask, tagged_pc, g);
        return;
    }
    t->busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    int done = !__atomic_load_n(&sn_stop, __ATOMIC_RELAXED) && is_still(g, e->w, e->second);
    if (done) {
        __atomic_store_n(&g->r, e->now, __ATOMIC_RELAXED);
        r->sets->used_again++;
        r->in_epoch++;
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->busy = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (SN_UNLIKELY(!done))
        join_set(addr, mask, tagged_pc, g);
    else if (SN_UNLIKELY(t->sig_pending))
        sn_thread_on_signal(t);
}

static SN_NOINLINE void write_words(uintptr_t addr, uintptr_t tagged_pc, struct sn_granule *g,
                                    uint64_t w, uint64_t second, uint64_t me)
{
    struct sn_thread *t = sn_self;
    const struct seen s = {w, second, me};
    uint64_t now;
    int gone;
    if (quick_write(t, &s, &now, &gone) && put(t, g, w, now, 1, gone))
        return;
    if (!write_part(t, g, &s))
        sn_race_write_any(addr, sn_word_mask(me), tagged_pc, g);
}

/* The access after all that is cheaper. */
static inline __attribute__((always_inline)) void
rest(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g, int write)
{
    struct sn_thread *t = sn_self;
    uint64_t w = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
    int may = !(t->busy | (write ? sn_race_of(t)->ignore_writes : sn_race_of(t)->ignore_reads));
    if (may && sn_word_is_list(w) && !__atomic_load_n(&g->r, __ATOMIC_RELAXED) &&
        quick_cell(t, addr, mask, tagged_pc, w, write ? SN_PLAIN_WRITE : SN_PLAIN_READ))
        return;
    if (write)
        sn_race_write_any(addr, mask, tagged_pc, g);
    else
        sn_race_read_any(addr, mask, tagged_pc, g);
}

static SN_NOINLINE void read_rest(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                  struct sn_granule *g)
{
    rest(addr, mask, tagged_pc, g, 0);
}

static SN_NOINLINE void write_rest(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                   struct sn_granule *g)
{
    rest(addr, mask, tagged_pc, g, 1);
}

/* A read of a granule whose reads the thread keeps for itself. It mostly had one of the same bytes
 * before: what held for that holds for this. Two fields have a word each. */
static SN_NOINLINE void read_more(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                  struct sn_granule *g, uint64_t name)
{
    struct sn_thread *t = sn_self;
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t me;
    struct sn_private *e = sn_private_at(r->sets, addr);
    if (__atomic_load_n(&g->r, __ATOMIC_RELAXED) || (t->busy | r->ignore_reads) ||
        !(me = quick_word(t, tagged_pc, mask))) {
        read_rest(addr, mask, tagged_pc, g);
        return;
    }
    e += e->name != name;
    if (e->name != name) {
        if (!sn_cell_has(r, addr, mask, SN_PLAIN_READ))
            read_rest(addr, mask, tagged_pc, g);
        return;
    }
    t->busy = 1; /* keeps signal handlers away from e; whoever stops all threads need not wait */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    unsigned i = sn_word_mask(e->word[0]) != mask;
    int kept = e->name == name && sn_word_mask(e->word[i]) == mask && e->kind[i] == SN_PLAIN_READ &&
               !sn_clock_is_long(r);
    if (kept) {
        __atomic_store_n(&e->word[i], me, __ATOMIC_RELAXED);
        r->in_epoch++;
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->busy = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (SN_UNLIKELY(!kept))
        read_rest(addr, mask, tagged_pc, g);
    else if (SN_UNLIKELY(t->sig_pending))
        sn_thread_on_signal(t);
}

/* Of a granule that has fields (fields.h), the one that is accessed. 0: it takes more. */
static inline __attribute__((always_inline)) int into_field(unsigned mask, uintptr_t tagged_pc,
                                                            const struct sn_granule *g, int write)
{
    struct sn_thread *t = sn_race_hot.self;
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t name = __atomic_load_n(&g->w, __ATOMIC_RELAXED), me;
    struct sn_field *f = sn_word_is_fields(name) ? sn_field_of(name, mask) : 0;
    if (f && sn_field_has(f, r->epoch, write))
        return 1;
    if (!f || __atomic_load_n(&g->r, __ATOMIC_RELAXED) ||
        SN_UNLIKELY(t->busy | (write ? r->ignore_writes : r->ignore_reads)) ||
        !(me = quick_word(t, tagged_pc, mask)) || sn_fields_may_go(r, name, me, write) ||
        !sn_field_put(r, g, name, f, me, write))
        return 0;
    r->in_epoch++;
    return 1;
}

static SN_NOINLINE void read_field(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                   struct sn_granule *g)
{
    if (!into_field(mask, tagged_pc, g, 0))
        read_rest(addr, mask, tagged_pc, g);
}

static SN_NOINLINE void write_field(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                    struct sn_granule *g)
{
    if (!into_field(mask, tagged_pc, g, 1))
        write_rest(addr, mask, tagged_pc, g);
}

/* Granules that are more than two words. */
static SN_NOINLINE void read_cell(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                  struct sn_granule *g, uint64_t name)
{
    if (sn_word_is_fields(name))
        read_field(addr, mask, tagged_pc, g);
    else
        read_more(addr, mask, tagged_pc, g, name);
}

static SN_NOINLINE void write_cell(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                   struct sn_granule *g, uint64_t name)
{
    if (sn_word_is_fields(name))
        write_field(addr, mask, tagged_pc, g);
    else if (sn_race_hot.self->busy ||
             !sn_cell_has(sn_race_of(sn_race_hot.self), addr, mask, SN_PLAIN_WRITE))
        write_rest(addr, mask, tagged_pc, g);
}

static inline __attribute__((always_inline)) void
read_one(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g)
{
    struct seen s = {.w = __atomic_load_n(&g->w, __ATOMIC_RELAXED),
                     .second = __atomic_load_n(&g->r, __ATOMIC_RELAXED)};
    if (sn_word_is_cell(s.w))
        read_cell(addr, mask, tagged_pc, g, s.w);
    else if (sn_word_is_set(s.second))
        read_set(addr, mask, tagged_pc, g);
    else if (quick(addr, mask, tagged_pc, g, 0, &s))
        return;
    else if (s.me && s.second && (s.second ^ s.me) >> 32)
        read_set(addr, mask, tagged_pc, g);
    else if (s.me)
        read_words(addr, tagged_pc, g, s.w, s.second, s.me);
    else
        sn_race_read_any(addr, mask, tagged_pc, g);
}

static inline __attribute__((always_inline)) void
write_one(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g)
{
    struct seen s = {.w = __atomic_load_n(&g->w, __ATOMIC_RELAXED),
                     .second = __atomic_load_n(&g->r, __ATOMIC_RELAXED)};
    if (sn_word_is_cell(s.w))
        write_cell(addr, mask, tagged_pc, g, s.w);
    else if (quick(addr, mask, tagged_pc, g, 1, &s))
        return;
    else if (s.me)
        write_words(addr, tagged_pc, g, s.w, s.second, s.me);
    else
        sn_race_write_any(addr, mask, tagged_pc, g);
}

/* snag_*: for src/fast. */
#define SIZED(size)                                                                                \
    SN_NOINLINE void sn_race_read##size(uintptr_t addr, uintptr_t pc, struct sn_granule *g)        \
    {                                                                                              \
        uintptr_t tagged = pc | SN_CTX_TAG(SN_OP_READ, size);                                      \
        unsigned mask = sn_race_mask(addr, size);                                                  \
        if (SN_UNLIKELY((addr & (size - 1)) || !sn_race_hot.self))                                 \
            sn_race_read_range(addr, size, pc);                                                    \
        else                                                                                       \
            read_one(addr, mask, tagged, g);                                                       \
    }                                                                                              \
    SN_NOINLINE void sn_race_write##size(uintptr_t addr, uintptr_t pc, struct sn_granule *g)       \
    {                                                                                              \
        uintptr_t tagged = pc | SN_CTX_TAG(SN_OP_WRITE, size);                                     \
        unsigned mask = sn_race_mask(addr, size);                                                  \
        if (SN_UNLIKELY((addr & (size - 1)) || !sn_race_hot.self))                                 \
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

/* Two granules, at least one of which has to be remembered. The second may be in another region. */
#define TWO(what, write)                                                                           \
    SN_NOINLINE void sn_race_##what##16(uintptr_t addr, uintptr_t pc, struct sn_granule * g)       \
    {                                                                                              \
        uintptr_t tagged = pc | SN_CTX_TAG((write) ? SN_OP_WRITE : SN_OP_READ, 16);                \
        if (SN_UNLIKELY(!sn_race_hot.self || !(~addr & (SN_REGION_BYTES - 8)))) {                  \
            sn_race_##what##_range(addr, 16, pc);                                                  \
            return;                                                                                \
        }                                                                                          \
        for (struct sn_granule *end = g + 2; g < end; g++, addr += 8)                              \
            if (!sn_race_has(&g->w, sn_race_hot.epoch, 0xff) &&                                    \
                ((write) || !sn_race_was_read(g, &sn_race_hot, 0xff)))                             \
                what##_one(addr, 0xff, tagged, g);                                                 \
    }

TWO(read, 0)
TWO(write, 1)

/* A few bytes on several granules, at least one of which has to be remembered. False: nothing was
 * done. */
static inline __attribute__((always_inline)) int span(uintptr_t addr, size_t size, uintptr_t tagged,
                                                      int write)
{
    uintptr_t bias = sn_shadow_bias(addr), base = addr & ~(uintptr_t)7;
    if (!bias || !sn_race_hot.self || size > SN_SPAN_MAX ||
        (addr & (SN_REGION_BYTES - 1)) + size > SN_REGION_BYTES)
        return 0;
    struct sn_granule *g = sn_granule_at(bias, addr);
    for (uint32_t bytes = sn_race_bytes(addr, size); bytes; bytes >>= 8, base += 8, g++) {
        unsigned mask = (uint8_t)bytes;
        if (sn_race_has(&g->w, sn_race_hot.epoch, mask) ||
            (!write && sn_race_was_read(g, &sn_race_hot, mask)))
            continue;
        if (write)
            write_one(base, mask, tagged, g);
        else
            read_one(base, mask, tagged, g);
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
