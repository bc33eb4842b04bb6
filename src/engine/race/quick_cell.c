/*
 * quick_cell.c: the common forms of accesses to granules that are more than two words (quick.h):
 * fields; what the thread keeps for itself; and a list, without its lock.
 */
#include "quick.h"

#include "cell.h"
#include "core/stop.h"
#include "fields.h"
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

/* Of a granule that has fields (fields.h), the one that is accessed, while it names no set. 0: it
 * takes more. */
static inline __attribute__((always_inline)) int into_field(unsigned mask, uintptr_t tagged_pc,
                                                            const struct sn_granule *g, int write)
{
    struct sn_thread *t = sn_race_hot.self;
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t name = __atomic_load_n(&g->w, __ATOMIC_RELAXED), me;
    struct sn_field *f = sn_word_is_fields(name) ? sn_field_of(name, mask) : 0;
    if (!f || __atomic_load_n(&g->r, __ATOMIC_RELAXED) ||
        SN_UNLIKELY(t->busy | (write ? r->ignore_writes : r->ignore_reads)))
        return 0;
    uint64_t w = __atomic_load_n(&f->w, __ATOMIC_ACQUIRE);
    uint64_t read = __atomic_load_n(&f->r, __ATOMIC_ACQUIRE);
    if (((w ^ mask) & 0xff) || sn_word_is_set(read) || !sn_clock_knows(r, sn_word_epoch(w)) ||
        !sn_clock_knows(r, sn_word_epoch(read)) || !(me = sn_quick_word(t, tagged_pc, mask)) ||
        sn_fields_may_go(r, name, me, write) ||
        !sn_field_swap(g, name, f, write ? w : read, me, write))
        return 0;
    r->in_epoch++;
    return 1;
}

/* All readers that a field has are known, as far as that takes one look. */
static inline int knows_readers(const struct sn_race_thread *r, uint64_t read)
{
    return sn_word_is_set(read) ? sn_set_known_at_once(r->sets, r->slot, read) != 0
                                : sn_clock_knows(r, sn_word_epoch(read));
}

/* A field that was read at this place had the same readers. */
static inline int is_again(const struct sn_thread *t, const struct sn_set_again *e, uint64_t place,
                           uint64_t read)
{
    return e->second == read && e->place == place && e->w == SN_AGAIN_FIELD &&
           e->context == sn_quick_context(t);
}

/* A field with any readers, as far as what they are was seen at another one. */
static inline __attribute__((always_inline)) int beside_readers(struct sn_thread *t, unsigned mask,
                                                                uintptr_t tagged_pc,
                                                                const struct sn_granule *g,
                                                                int write)
{
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t name = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
    uint64_t place = sn_quick_place(tagged_pc, mask), now;
    struct sn_field *f = sn_word_is_fields(name) ? sn_field_of(name, mask) : 0;
    if (!f || __atomic_load_n(&g->r, __ATOMIC_RELAXED))
        return 0;
    uint64_t w = __atomic_load_n(&f->w, __ATOMIC_ACQUIRE);
    uint64_t read = __atomic_load_n(&f->r, __ATOMIC_ACQUIRE);
    const struct sn_set_again *e = sn_set_again_at(r->sets, tagged_pc, mask);
    if (!sn_clock_knows(r, sn_word_epoch(w)))
        return 0;
    if (!write && is_again(t, e, place, read)) {
        now = e->now_second;
        r->sets->used_again++;
    } else if (!knows_readers(r, read) || !(now = sn_quick_word(t, tagged_pc, mask))) {
        return 0;
    }
    return !sn_fields_may_go(r, name, write ? now : mask, write) &&
           sn_field_swap(g, name, f, write ? w : read, now, write) &&
           sn_field_is_still(g, name, f, mask);
}

/* The same for a thread that is outside the engine. */
static inline __attribute__((always_inline)) int into_set(unsigned mask, uintptr_t tagged_pc,
                                                          const struct sn_granule *g, int write)
{
    struct sn_thread *t = sn_race_hot.self;
    struct sn_race_thread *r = sn_race_of(t);
    if (SN_UNLIKELY(t->busy | (write ? r->ignore_writes : r->ignore_reads)))
        return 0;
    t->busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    int done = SN_LIKELY(!__atomic_load_n(&sn_stop, __ATOMIC_RELAXED)) &&
               beside_readers(t, mask, tagged_pc, g, write);
    r->in_epoch += (uint32_t)done;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->busy = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (done && SN_UNLIKELY(t->sig_pending))
        sn_thread_on_signal(t);
    return done;
}

/* A read that joins others, and what becomes of them, which the next field's may. */
static int join_field(struct sn_thread *t, unsigned mask, uintptr_t tagged_pc,
                      const struct sn_granule *g)
{
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t name = __atomic_load_n(&g->w, __ATOMIC_RELAXED), me, now = 0;
    struct sn_field *f = sn_word_is_fields(name) ? sn_field_of(name, mask) : 0;
    if (!f || __atomic_load_n(&g->r, __ATOMIC_RELAXED))
        return 0;
    uint64_t read = __atomic_load_n(&f->r, __ATOMIC_RELAXED);
    if (sn_field_has(r, f, 0))
        return 1;
    if (!(me = sn_quick_word(t, tagged_pc, mask)) || !(now = sn_field_put(r, g, name, f, me, 0)))
        return 0;
    uint64_t place = sn_quick_place(tagged_pc, mask);
    *sn_set_again_at(r->sets, tagged_pc, mask) =
        (struct sn_set_again){place, sn_quick_context(t), SN_AGAIN_FIELD, read, 0, now};
    return 1;
}

static SN_NOINLINE void read_joining(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                     struct sn_granule *g)
{
    struct sn_thread *t = sn_self;
    int done = 0;
    if (!(t->busy | sn_race_of(t)->ignore_reads)) {
        sn_busy_enter(t);
        done = join_field(t, mask, tagged_pc, g);
        sn_race_of(t)->in_epoch += (uint32_t)done;
        sn_busy_leave(t);
    }
    if (!done)
        read_rest(addr, mask, tagged_pc, g);
}

static SN_NOINLINE void read_beside_readers(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                            struct sn_granule *g)
{
    if (!into_set(mask, tagged_pc, g, 0))
        read_joining(addr, mask, tagged_pc, g);
}

void sn_quick_read_field(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g)
{
    if (!into_field(mask, tagged_pc, g, 0))
        read_beside_readers(addr, mask, tagged_pc, g);
}

static SN_NOINLINE void write_beside_readers(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                             struct sn_granule *g)
{
    if (!into_set(mask, tagged_pc, g, 1))
        write_rest(addr, mask, tagged_pc, g);
}

static SN_NOINLINE void write_field(uintptr_t addr, unsigned mask, uintptr_t tagged_pc,
                                    struct sn_granule *g)
{
    if (!into_field(mask, tagged_pc, g, 1))
        write_beside_readers(addr, mask, tagged_pc, g);
}

/* Granules that are more than two words. */
void sn_quick_write_cell(uintptr_t addr, unsigned mask, uintptr_t tagged_pc, struct sn_granule *g,
                         uint64_t name)
{
    if (sn_word_is_fields(name))
        write_field(addr, mask, tagged_pc, g);
    else if (sn_race_hot.self->busy ||
             !sn_cell_has(sn_race_of(sn_race_hot.self), addr, mask, SN_PLAIN_WRITE))
        write_rest(addr, mask, tagged_pc, g);
}
