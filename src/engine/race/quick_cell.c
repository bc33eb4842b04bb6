/*
 * quick_cell.c: the common forms of accesses to granules that are more than two words (quick.h):
 * fields; what the thread keeps for itself; and a list, without its lock.
 */
#include "quick.h"

#include "cell.h"
#include "core/stop.h"
#include "fast/fast.h"
#include "fields.h"
#include "kept.h"
#include "private.h"
#include "race.h"

static SN_NOINLINE int quick_cell(struct sn_thread *t, uintptr_t addr, unsigned mask,
                                  uintptr_t tagged_pc, uint64_t name, unsigned kind)
{
    struct sn_race_thread *r = sn_race_of(t);
    uintptr_t base = addr & ~(uintptr_t)7;
    uint64_t me = sn_quick_word(t, tagged_pc, mask);
    if (!me)
        return 0;
    sn_busy_enter(t);
    int done = (kind != SN_PLAIN_WRITE && sn_private_try(r, name, base, me, kind)) ||
               sn_cell_quick(r, name, base, me, kind);
    r->in_epoch += (uint32_t)done;
    sn_busy_leave(t);
    return done;
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

/* A read of a granule with a list, of which the thread keeps nothing like it. */
static SN_NOINLINE void read_unkept(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                    struct sn_granule *g)
{
    struct sn_thread *t = sn_self;
    if (__atomic_load_n(&g->r, __ATOMIC_RELAXED) || t->busy ||
        !sn_cell_has(sn_race_of(t), addr, mask, SN_PLAIN_READ))
        read_rest(addr, mask, tagged_pc, g);
    else if (SN_UNLIKELY(t->sig_pending))
        sn_thread_on_signal(t);
}

/* A read of a granule whose reads the thread keeps for itself. It mostly had one of the same bytes
 * before: what held for that holds for this. Two fields have a word each. */
void sn_quick_read_list(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g,
                        uint64_t name)
{
    struct sn_thread *t = sn_race_hot.self;
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_private *e = sn_private_at(r->sets, addr);
    if (t->busy | r->ignore_reads) {
        read_rest(addr, mask, tagged_pc, g);
        return;
    }
    t->busy = 1; /* keeps signal handlers away from e; whoever stops all threads need not wait */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    const struct sn_ctx_entry *place = sn_ctx_site_cached(t, tagged_pc);
    if (SN_UNLIKELY(e->name != name))
        e++;
    unsigned i = sn_word_mask(e->word[0]) != mask;
    int kept = e->name == name && !__atomic_load_n(&g->r, __ATOMIC_RELAXED) &&
               sn_word_mask(e->word[i]) == mask && e->kind[i] == SN_PLAIN_READ &&
               !sn_clock_is_long(r) && place;
    if (SN_LIKELY(kept)) {
        __atomic_store_n(&e->word[i], sn_quick_at(t, place, mask), __ATOMIC_RELAXED);
        r->in_epoch++;
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->busy = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (SN_UNLIKELY(!kept))
        read_unkept(addr, mask, tagged_pc, g);
    else if (SN_UNLIKELY(t->sig_pending))
        sn_thread_on_signal(t);
}

/* All readers that a field has are known, as far as that takes one look. */
static inline int knows_readers(const struct sn_race_thread *r, uint64_t read)
{
    return sn_word_is_set(read) ? sn_set_known_at_once(r->sets, r->slot, read) != 0
                                : sn_clock_knows(r, sn_word_epoch(read));
}

/* Of a granule that has fields (fields.h), the one that is accessed, whose last accesses are known.
 * A set of readers is looked at again when it is known to be so: its number may have become
 * another's (readset.h). 0: it takes more. */
static inline __attribute__((always_inline)) int into_field(unsigned mask, uintptr_t tagged_pc,
                                                            const struct sn_granule *g,
                                                            uint64_t name, struct sn_field *f,
                                                            int write)
{
    struct sn_thread *t = sn_race_hot.self;
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t w = __atomic_load_n(&f->w, __ATOMIC_ACQUIRE), me;
    uint64_t read = __atomic_load_n(&f->r, __ATOMIC_ACQUIRE);
    if (!write && (!(uint8_t)read || !sn_clock_knows(r, sn_word_epoch(read))))
        return 0;
    if (((w ^ mask) & 0xff) || __atomic_load_n(&g->r, __ATOMIC_RELAXED) ||
        SN_UNLIKELY(t->busy | (write ? r->ignore_writes : r->ignore_reads)) ||
        !sn_clock_knows(r, sn_word_epoch(w)) || (write && !knows_readers(r, read)) ||
        (write && !sn_look_is(&f->r, read)) || !(me = sn_quick_word(t, tagged_pc, mask)) ||
        (write && (name & SN_FIELDS_KEPT) && !sn_kept_may_write(r)) ||
        sn_fields_may_go(r, name, mask, write ? me : w) ||
        !sn_field_swap(g, name, f, write ? w : read, me, write) ||
        (write && !sn_look_is(&g->w, name))) /* reads may be kept now */
        return 0;
    r->in_epoch++;
    return 1;
}

/* A read that joins others, and what becomes of them, which the next field's may. */
static int join_field(struct sn_thread *t, uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                      struct sn_granule *g)
{
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t name = __atomic_load_n(&g->w, __ATOMIC_RELAXED), me, now, read;
    struct sn_field *f = sn_word_is_fields(name) ? sn_field_of(name, mask) : 0;
    if (!f || __atomic_load_n(&g->r, __ATOMIC_RELAXED))
        return 0;
    if (sn_field_has(r, f, 0))
        return 1;
    if (!(me = sn_quick_word(t, tagged_pc, mask)))
        return 0;
    read = __atomic_load_n(&f->r, __ATOMIC_RELAXED);
    if (sn_kept_read(t, g, addr & ~(uintptr_t)7, name, f, read, me))
        return 1;
    name = __atomic_load_n(&g->w, __ATOMIC_RELAXED); /* it may say now that reads are kept */
    if (!sn_word_is_fields(name) || !(now = sn_field_put(r, g, name, f, me, 0, &read)))
        return 0;
    *sn_field_again_at(r->sets, read) = (struct sn_field_again){
        SN_CTX_PC(tagged_pc), sn_quick_context(t), read, sn_field_readers(now)};
    return 1;
}

static SN_NOINLINE void read_joining(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                     struct sn_granule *g)
{
    struct sn_thread *t = sn_self;
    int done = 0;
    if (!(t->busy | sn_race_of(t)->ignore_reads)) {
        sn_busy_enter(t);
        done = join_field(t, addr, mask, tagged_pc, g);
        sn_race_of(t)->in_epoch += (uint32_t)done;
        sn_busy_leave(t);
    }
    if (!done)
        read_rest(addr, mask, tagged_pc, g);
}

/* The name is that of the fields at that address, and says that (SN_FIELDS_SETS, SN_FIELDS_KEPT).
 */
static inline int is_name_of(uint64_t name, uintptr_t at, uint64_t says)
{
    uint64_t any = SN_FIELDS_WIDE | SN_FIELDS_PAIR | ((SN_FIELDS_SETS | SN_FIELDS_KEPT) & ~says);
    return !((name ^ ((uint64_t)at << SN_FIELDS_AT | SN_WORD_FIELDS | says)) & ~any);
}

/* The read of the field f as the one before it at this place, of a field that had the same readers.
 * 0: there was none, or it takes more. */
static inline __attribute__((always_inline)) int like_before(struct sn_thread *t, uintptr_t pc,
                                                             const struct sn_granule *g,
                                                             struct sn_field *f, uintptr_t at,
                                                             unsigned mask)
{
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t name = __atomic_load_n(&g->w, __ATOMIC_ACQUIRE);
    if (!is_name_of(name, at, SN_FIELDS_SETS) ||
        !sn_clock_knows(r, __atomic_load_n((const uint32_t *)&f->w + 1, __ATOMIC_RELAXED)))
        return 0;
    uint64_t read = __atomic_load_n(&f->r, __ATOMIC_ACQUIRE);
    const struct sn_field_again *e = sn_field_again_at(r->sets, read);
    __asm__("" : "+r"(e)); /* in one register, not two */
    if (SN_UNLIKELY(__atomic_load_n(&sn_stop, __ATOMIC_RELAXED)) || e->read != read ||
        e->pc != pc || e->context != sn_quick_context(t) || !sn_look_mask(&f->w, mask) ||
        !sn_look_is(&g->r, 0) || !sn_look_is(&g->w, name) ||
        !__atomic_compare_exchange_n(&f->r, &read, sn_field_read(e->now, mask), 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED) ||
        !sn_look_mask(&f->w, mask) || !sn_look_is(&g->w, name))
        return 0;
    r->sets->used_again++;
    r->in_epoch++;
    return 1;
}

/* like_before() for a thread that is outside the engine. */
static inline __attribute__((always_inline)) int read_again(struct sn_thread *t, uintptr_t pc,
                                                            const struct sn_granule *g,
                                                            struct sn_field *f, uintptr_t at,
                                                            unsigned mask)
{
    if (SN_UNLIKELY(t->busy | sn_race_of(t)->ignore_reads))
        return 0;
    t->busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    int done = like_before(t, pc, g, f, at, mask);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->busy = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return done;
}

/* Of 1, 2 or 4 bytes. */
static inline unsigned size_of(unsigned mask)
{
    unsigned bits = mask >> __builtin_ctz(mask);
    return 1u + (bits > 1) + 2 * (bits > 3);
}

/* What such an access at pc is known by. */
static inline uintptr_t tagged(uintptr_t pc, unsigned mask, int write)
{
    unsigned bits = mask >> __builtin_ctz(mask);
    uint64_t more = (bits > 1) + (bits > 3); /* the size as a power of two */
    return (pc | (write ? SN_CTX_TAG(SN_OP_WRITE, 1) : SN_CTX_TAG(SN_OP_READ, 1))) +
           more * (SN_CTX_TAG(0, 2) - SN_CTX_TAG(0, 1));
}

/* The last read is known, as far as can be seen; not a set's. */
static inline __attribute__((always_inline)) int follows_read(struct sn_thread *t,
                                                              const struct sn_field *f)
{
    uint64_t read = __atomic_load_n(&f->r, __ATOMIC_RELAXED);
    return (uint8_t)read && sn_clock_knows(sn_race_of(t), sn_word_epoch(read));
}

static SN_NOINLINE void read_after(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                   struct sn_granule *g, uint64_t name, struct sn_field *f)
{
    if (!into_field(mask, tagged_pc, g, name, f, 0))
        read_joining(addr, mask, tagged_pc, g);
}

/* The granule has fields, and reads of them are kept (kept.h). */
static inline int is_kept(uint64_t name)
{
    return (name & (SN_FIELDS_KEPT | SN_WORD_FIELDS | 0xff)) == (SN_FIELDS_KEPT | SN_WORD_FIELDS);
}

/* The last write of the bytes is known. */
static inline int knows_write(const struct sn_race_thread *r, uint64_t name, unsigned mask)
{
    const struct sn_field *f;
    return sn_kept_knows_writes(r->sets) ||
           ((f = sn_field_of(name, mask)) &&
            sn_clock_knows(r, sn_word_epoch(__atomic_load_n(&f->w, __ATOMIC_ACQUIRE))));
}

/* A read of a granule of which the thread keeps what it reads, in an epoch in which it has kept
 * some already; and what becomes of that, which the next granule's may. 0: it takes more. */
static int keep(struct sn_thread *t, uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                const struct sn_granule *g)
{
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_kept *e = sn_kept_at(r->sets, addr);
    uint64_t name = __atomic_load_n(&g->w, __ATOMIC_ACQUIRE),
             me = sn_quick_word(t, tagged_pc, mask);
    uint64_t word = e->word, now = me;
    if (!me || !is_kept(name) || e->base != (addr & ~(uintptr_t)7) ||
        r->sets->kept_epoch != r->epoch || !knows_write(r, name, mask))
        return 0;
    int newer = sn_word_epoch(word) != r->epoch;
    if (!newer)
        now = sn_word_covers(word, mask) ? word : sn_quick_united(t, word, me);
    if (!now || !sn_kept_put(e, now, newer) || !sn_look_is(&g->w, name))
        return 0;
    uint64_t at = sn_quick_place(SN_CTX_PC(tagged_pc), mask);
    *sn_kept_again_at(r->sets, at) = (struct sn_kept_again){at, sn_quick_context(t), word, now};
    r->in_epoch++;
    r->sets->used_again++; /* a set that need not be made */
    return 1;
}

/* The same as the one before it at this place, of a granule of which the thread had kept the same.
 * 0: there was none, or it takes more. */
static inline __attribute__((always_inline)) int keep_again(struct sn_thread *t, uintptr_t addr,
                                                            uintptr_t pc,
                                                            const struct sn_granule *g,
                                                            unsigned mask)
{
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_set_cache *sets = r->sets;
    struct sn_kept *e = sn_kept_at(sets, addr);
    __asm__("" : "+r"(e)); /* in one register, not two */
    if (SN_UNLIKELY(t->busy | r->ignore_reads))
        return 0;
    t->busy = 1; /* keeps signal handlers away from e; whoever stops all threads need not wait */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    const struct sn_kept_again *a = sn_kept_again_at(sets, sn_quick_place(pc, mask));
    __asm__("" : "+r"(a));
    int done = e->base == (addr & ~(uintptr_t)7) && a->word == e->word &&
               a->place == sn_quick_place(pc, mask) && a->context == sn_quick_context(t) &&
               sn_kept_knows_writes(sets) && sn_kept_put(e, a->now, (a->now ^ a->word) >> 32 != 0);
    if (SN_LIKELY(done)) {
        sets->used_again++;
        r->in_epoch++;
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->busy = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return done && SN_LIKELY(is_kept(__atomic_load_n(&g->w, __ATOMIC_RELAXED)));
}

static SN_NOINLINE void read_unkept_field(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                          struct sn_granule *g)
{
    struct sn_thread *t = sn_race_hot.self;
    uint64_t name = __atomic_load_n(&g->w, __ATOMIC_ACQUIRE);
    struct sn_field *f = sn_word_is_fields(name) ? sn_field_of(name, mask) : 0;
    if (f && sn_field_has(sn_race_of(t), f, 0))
        return;
    if (f && follows_read(t, f))
        read_after(addr, mask, tagged_pc, g, name, f);
    else if (!f || !read_again(t, SN_CTX_PC(tagged_pc), g, f, name >> SN_FIELDS_AT, mask))
        read_joining(addr, mask, tagged_pc, g);
    else if (SN_UNLIKELY(t->sig_pending))
        sn_thread_on_signal(t);
}

static SN_NOINLINE void read_kept(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                  struct sn_granule *g)
{
    struct sn_thread *t = sn_race_hot.self;
    int done = 0;
    if (SN_UNLIKELY(!t)) {
        sn_race_read_range(addr, (size_t)__builtin_popcount(mask), SN_CTX_PC(tagged_pc));
        return;
    }
    if (!(t->busy | sn_race_of(t)->ignore_reads)) {
        sn_busy_enter(t);
        done = keep(t, addr, mask, tagged_pc, g);
        sn_busy_leave(t);
    }
    if (done)
        return;
    if (sn_clock_is_long(sn_race_of(t)))
        read_joining(addr, mask, tagged_pc, g);
    else
        read_unkept_field(addr, mask, tagged_pc, g);
}

static SN_NOINLINE void read_of_kept(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                     struct sn_granule *g)
{
    struct sn_thread *t = sn_race_hot.self;
    if (!keep_again(t, addr, SN_CTX_PC(tagged_pc), g, mask))
        read_kept(addr, mask, tagged_pc, g);
    else if (SN_UNLIKELY(t->sig_pending))
        sn_thread_on_signal(t);
}

/* Bytes that are no field of their own. */
static SN_NOINLINE void read_within(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                    struct sn_granule *g, uint64_t name)
{
    if (!sn_fields_have(sn_race_of(sn_race_hot.self), g, name, mask, 0))
        read_joining(addr, mask, tagged_pc, g);
}

void sn_quick_read_field(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g,
                         uint64_t name)
{
    struct sn_thread *t = sn_race_hot.self;
    struct sn_field *f = sn_field_at(name, (unsigned)__builtin_ctz(mask));
    if (name & SN_FIELDS_KEPT)
        read_of_kept(addr, mask, tagged_pc, g);
    else if (!sn_look_mask(&f->w, mask))
        read_within(addr, mask, tagged_pc, g, name);
    else if (follows_read(t, f))
        read_after(addr, mask, tagged_pc, g, name, f);
    else if (!read_again(t, SN_CTX_PC(tagged_pc), g, f, name >> SN_FIELDS_AT, mask))
        read_joining(addr, mask, tagged_pc, g);
    else if (SN_UNLIKELY(t->sig_pending))
        sn_thread_on_signal(t);
}

static SN_NOINLINE void write_field(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                    struct sn_granule *g, uint64_t name, struct sn_field *f)
{
    if (!into_field(mask, tagged_pc, g, name, f, 1))
        write_rest(addr, mask, tagged_pc, g);
}

/* The last read is known, or it takes more than to do as before. */
static SN_NOINLINE void read_found(uintptr_t addr, uintptr_t pc, struct sn_granule *g,
                                   struct sn_field *f, uintptr_t at, unsigned mask)
{
    uint64_t name = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
    uintptr_t tagged_pc = tagged(pc, mask, 0);
    if (SN_UNLIKELY(!sn_race_hot.self))
        sn_race_read_range(addr, size_of(mask), pc);
    else if (!is_name_of(name, at, 0) || !into_field(mask, tagged_pc, g, name, f, 0))
        read_joining(addr, mask, tagged_pc, g);
}

/* For src/fast. */
SN_EXPORT void snag_read_field(uintptr_t addr, uintptr_t pc, struct sn_granule *g,
                               struct sn_field *f, uintptr_t at, unsigned mask)
{
    struct sn_thread *t = sn_race_hot.self;
    if (SN_UNLIKELY(!t) || follows_read(t, f) || !read_again(t, pc, g, f, at, mask))
        read_found(addr, pc, g, f, at, mask);
    else if (SN_UNLIKELY(t->sig_pending))
        sn_thread_on_signal(t);
}

SN_EXPORT void snag_read_kept(uintptr_t addr, uintptr_t pc, struct sn_granule *g, unsigned mask)
{
    struct sn_thread *t = sn_race_hot.self;
    if (SN_UNLIKELY(!t || !keep_again(t, addr, pc, g, mask)))
        read_kept(addr, mask, tagged(pc, mask, 0), g);
    else if (SN_UNLIKELY(t->sig_pending))
        sn_thread_on_signal(t);
}

SN_EXPORT void snag_write_field(uintptr_t addr, uintptr_t pc, struct sn_granule *g,
                                struct sn_field *f, uintptr_t at, unsigned mask)
{
    uint64_t name = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
    if (SN_UNLIKELY(!sn_race_hot.self))
        sn_race_write_range(addr, size_of(mask), pc);
    else if (SN_LIKELY(is_name_of(name, at, 0)))
        write_field(addr, mask, tagged(pc, mask, 1), g, name, f);
    else
        write_rest(addr, mask, tagged(pc, mask, 1), g);
}

/* Granules that are more than two words. */
void sn_quick_write_cell(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g,
                         uint64_t name)
{
    if (sn_word_is_fields(name))
        write_field(addr, mask, tagged_pc, g, name,
                    sn_field_at(name, (unsigned)__builtin_ctz(mask)));
    else if (sn_race_hot.self->busy ||
             !sn_cell_has(sn_race_of(sn_race_hot.self), addr, mask, SN_PLAIN_WRITE))
        write_rest(addr, mask, tagged_pc, g);
}
