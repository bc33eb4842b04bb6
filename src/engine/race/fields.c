/* fields.c: granules with fields: making, splitting and leaving them. */
#include "fields.h"

#include "cell.h"
#include "core/count.h"
#include "core/spin.h"
#include "field_form.h"
#include "kept.h"
#include "readset.h"

enum { LOCKS = 256 };

/* Guards the fields of the granules that fall to it: which they are, not the accesses. */
static struct {
    uint32_t lock;
    uint32_t pad[15];
} locks[LOCKS];

uint32_t *sn_fields_lock(uint64_t name)
{
    return &locks[(name >> (SN_FIELDS_AT + 6) ^ name >> (SN_FIELDS_AT + 14)) % LOCKS].lock;
}

/* A granule byte by byte; 0: none. */
struct spread {
    uint64_t w[8];   /* without their masks */
    uint64_t r[8];   /* sn_field_readers() */
    unsigned starts; /* a bit for each byte where a field begins */
};

static void spread_out(struct spread *s, uint64_t name)
{
    s->starts = 0;
    for (unsigned first = 0; first < 8; first += sn_field_step(name)) {
        const struct sn_field *f = sn_field_at(name, first);
        uint64_t w = __atomic_load_n(&f->w, __ATOMIC_RELAXED);
        uint64_t r = __atomic_load_n(&f->r, __ATOMIC_RELAXED);
        unsigned mask = sn_word_mask(w);
        s->starts |= mask & -mask;
        for (; mask; mask &= mask - 1) {
            s->w[__builtin_ctz(mask)] = w & ~0xffull;
            s->r[__builtin_ctz(mask)] = sn_field_readers(r);
        }
    }
}

/* Of two accesses of a byte and of one kind, one will do. What the thread knows while it is in an
 * epoch is known to all that know of the epoch. */
static int stands_for(const struct sn_race_thread *r, uint64_t has, uint64_t word)
{
    uint32_t epoch = sn_word_epoch(has), other = sn_word_epoch(word);
    if (epoch == r->epoch)
        return sn_clock_knows(r, other);
    return epoch >= other &&
           sn_batch_slot[epoch >> SN_BATCH_BITS] == sn_batch_slot[other >> SN_BATCH_BITS];
}

/* 0: there is another write that must be kept. */
static int add_write(const struct sn_race_thread *r, struct spread *s, uint64_t word)
{
    for (unsigned mask = sn_word_mask(word); mask; mask &= mask - 1) {
        uint64_t *has = &s->w[__builtin_ctz(mask)];
        if (*has && stands_for(r, *has, word))
            continue;
        if (*has && !stands_for(r, word, *has))
            return 0;
        *has = word & ~(0xffull | SN_WORD_WRITE);
    }
    return 1;
}

/* One more among the n words that must all be kept. */
static unsigned add_reader(const struct sn_race_thread *r, uint64_t *words, unsigned n,
                           uint64_t word)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < n; i++)
        if (stands_for(r, words[i], word))
            return n;
    for (unsigned i = 0; i < n; i++)
        if (!stands_for(r, word, words[i]))
            words[kept++] = words[i];
    return sn_set_insert(words, kept, word | 0xff);
}

/* The readers of a byte: those of the n words whose bit is set. 0: a set of them does not pay. */
static int read_by(struct sn_race_thread *r, uint64_t *readers, const uint64_t *words, uint64_t who)
{
    uint64_t list[SN_SET_MAX + 1];
    unsigned n = 0;
    *readers = 0;
    for (; who; who &= who - 1)
        n = add_reader(r, list, n, words[__builtin_ctzll(who)]);
    if (n > 1 && !sn_clock_is_long(r))
        return 0;
    return !n || (*readers = sn_set_of(r->sets, list, n)) != 0;
}

/* The reads among n words. 0: as above. */
static int add_reads(struct sn_race_thread *r, struct spread *s, const uint64_t *words, unsigned n)
{
    uint64_t last = 0;
    for (unsigned b = 0; b < 8; b++) {
        uint64_t who = 0;
        for (unsigned i = 0; i < n; i++)
            if (!sn_word_is_write(words[i]) && (words[i] >> b & 1))
                who |= 1ull << i;
        if (b && who == last)
            s->r[b] = s->r[b - 1];
        else if (!read_by(r, &s->r[b], words, who))
            return 0;
        last = who;
    }
    return 1;
}
_Static_assert(SN_SET_MAX < 64, "a bit for each of a set");

static void find_starts(struct spread *s)
{
    s->starts = 1;
    for (unsigned b = 1; b < 8; b++)
        if (s->w[b] != s->w[b - 1] || s->r[b] != s->r[b - 1])
            s->starts |= 1u << b;
}

/* Writes of the second word are older than the first word's (word.h). */
static int spread_words(struct sn_race_thread *r, struct spread *s, uint64_t w, uint64_t second)
{
    uint64_t more[SN_SET_MAX];
    unsigned n = sn_set_list(second, more, SN_SET_MAX);
    *s = (struct spread){0};
    if (!add_write(r, s, w))
        return 0;
    for (unsigned i = 0; i < n; i++)
        if (sn_word_is_write(more[i]) && !add_write(r, s, more[i] & ~(uint64_t)sn_word_mask(w)))
            return 0;
    if (!add_reads(r, s, more, n))
        return 0;
    find_starts(s);
    return 1;
}

static int knows_readers(struct sn_race_thread *r, uint64_t readers)
{
    return !readers || sn_set_known_bytes(r, readers);
}

/* What the read `me` makes of a field's readers. 0: they need a list. */
static uint64_t after_read(struct sn_race_thread *r, uint64_t readers, uint64_t me)
{
    return knows_readers(r, readers) ? me | 0xff : sn_set_add_read(r, readers, me | 0xff);
}

/* The access itself. 0: it conflicts, or there are reads to keep that need a list. */
static int apply(struct sn_race_thread *r, struct spread *s, uint64_t me, int write)
{
    unsigned mask = sn_word_mask(me);
    for (unsigned m = mask; m; m &= m - 1) {
        unsigned b = (unsigned)__builtin_ctz(m);
        if (!sn_clock_knows(r, sn_word_epoch(s->w[b])) || (write && !knows_readers(r, s->r[b])))
            return 0;
        if (write)
            s->w[b] = me & ~0xffull;
        else if (!(s->r[b] = after_read(r, s->r[b], me)))
            return 0;
    }
    s->starts |= mask & ~(mask << 1);        /* where it begins */
    s->starts |= ~mask & (mask << 1) & 0xff; /* where it has ended */
    return 1;
}

static void put_back(uint64_t name, const struct spread *s)
{
    for (unsigned b = 0; b < 8; b += sn_field_step(name)) {
        unsigned ends = (s->starts | 0x100) & ~0u << b << 1;
        unsigned mask = (ends & -ends) - (1u << b);
        if (s->starts >> b & 1)
            sn_field_set(sn_field_at(name, b), s->w[b] | mask, sn_field_read(s->r[b], mask));
        else
            sn_field_set(sn_field_at(name, b), 0, 0);
    }
}

/* What the name of fields says of their sets. */
static uint64_t sets_of(const struct spread *s)
{
    for (unsigned b = 0; b < 8; b++)
        if (sn_word_is_set(s->r[b]))
            return SN_FIELDS_SETS;
    return 0;
}

/* Fields in fresh memory; 0: there is none. */
static uint64_t make(const struct spread *s)
{
    unsigned kind = sn_field_kind(s->starts);
    void *p = sn_field_memory_take(kind);
    uint64_t name = (uint64_t)(uintptr_t)p << SN_FIELDS_AT | SN_WORD_FIELDS | kind | sets_of(s);
    if (!p)
        return 0;
    put_back(name, s);
    return name;
}

uint64_t sn_fields_of(struct sn_race_thread *r, const uint64_t *words, unsigned n)
{
    struct spread s = {0};
    for (unsigned i = 0; i < n; i++) {
        for (unsigned mask = sn_word_is_write(words[i]) ? sn_word_mask(words[i]) : 0; mask;
             mask &= mask - 1) {
            uint64_t *has = &s.w[__builtin_ctz(mask)];
            if (*has)
                return 0;
            *has = words[i] & ~(0xffull | SN_WORD_WRITE);
        }
    }
    if (!add_reads(r, &s, words, n))
        return 0;
    find_starts(&s);
    return make(&s);
}

/* A write to all bytes of fields that begin anywhere: messages that lie end to end, the next of
 * which ends elsewhere. Members of a struct stay, since they would be made again. */
static inline int is_over_odd(uint64_t name, uint64_t me, int write)
{
    return write && sn_word_mask(me) == 0xff && (name & SN_FIELDS_WIDE);
}

/* Every byte has one history, which two words can tell. Reads before a write of the thread's own
 * count no more; those that threads keep do otherwise. */
static int is_one(struct sn_race_thread *r, struct spread *s, uint64_t name, uintptr_t base)
{
    int own = sn_word_epoch(s->w[0]) == r->epoch;
    if ((name & SN_FIELDS_KEPT) && !(own && sn_kept_look(r, base, 0xff)))
        return 0;
    for (unsigned b = 0; b < 8; b++)
        if (s->w[b] != s->w[0] || (own ? !knows_readers(r, s->r[b]) : s->r[b] != s->r[0]))
            return 0;
    if (own)
        s->r[0] = 0;
    return 1;
}

static void leave(struct sn_granule *g, uintptr_t addr, uint64_t name, const struct spread *s)
{
    if (name & SN_FIELDS_KEPT)
        sn_kept_give_up(addr, 0, 0);
    __atomic_store_n(&g->r, s->r[0], __ATOMIC_RELEASE);
    __atomic_store_n(&g->w, s->w[0] ? s->w[0] | 0xff : 0, __ATOMIC_RELEASE);
    sn_field_give_back(name);
    sn_shadow_cells_add(addr, -1);
}

enum { AGAIN = -1 }; /* another thread has changed the granule meanwhile */

/* The words become fields. */
static int expand(struct sn_race_thread *r, struct sn_granule *g, uintptr_t addr, uint64_t w,
                  uint64_t me, int write)
{
    struct spread s;
    uint64_t second = __atomic_load_n(&g->r, __ATOMIC_RELAXED);
    uint64_t name = sn_field_around(r, w, second, me, write);
    if (!name &&
        (!spread_words(r, &s, w, second) || !apply(r, &s, me, write) || !(name = make(&s))))
        return 0;
    if (!__atomic_compare_exchange_n(&g->w, &w, name, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        sn_field_give_back(name);
        return AGAIN;
    }
    __atomic_compare_exchange_n(&g->r, &second, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    sn_shadow_cells_add(addr, 1);
    sn_count(CELLS);
    return 1;
}

uint64_t sn_field_put(struct sn_race_thread *r, const struct sn_granule *g, uint64_t name,
                      struct sn_field *f, uint64_t me, int write, uint64_t *was)
{
    uint64_t w = __atomic_load_n(&f->w, __ATOMIC_ACQUIRE);
    uint64_t read = __atomic_load_n(&f->r, __ATOMIC_ACQUIRE), now = me;
    *was = write ? w : read;
    if (((w ^ me) & 0xff) || !sn_clock_knows(r, sn_word_epoch(w)) ||
        __atomic_load_n(&g->w, __ATOMIC_RELAXED) != name)
        return 0;
    if (write ? !knows_readers(r, read) : !(now = after_read(r, sn_field_readers(read), me)))
        return 0;
    now = sn_field_read(now, sn_word_mask(me));
    return sn_field_swap(g, name, f, *was, now, write) &&
                   sn_field_is_still(g, name, f, sn_word_mask(me))
               ? now
               : 0;
}

/* Several fields at once, each as a whole, without the lock. */
static int put_all(struct sn_race_thread *r, const struct sn_granule *g, uint64_t name, uint64_t me,
                   int write)
{
    unsigned rest = sn_word_mask(me);
    uint64_t was;
    while (rest) {
        unsigned byte = (unsigned)__builtin_ctz(rest);
        struct sn_field *f = sn_field_at(name, byte);
        unsigned mask = sn_word_mask(__atomic_load_n(&f->w, __ATOMIC_RELAXED));
        if (!(mask >> byte & 1) || (mask & ~rest) ||
            (!sn_field_has(r, f, write) &&
             !sn_field_put(r, g, name, f, (me & ~0xffull) | mask, write, &was)))
            return 0;
        rest &= ~mask;
    }
    return 1;
}

/* A part of a field, or all of them, in one step. 0: it takes more. */
static int change_part(struct sn_race_thread *r, struct sn_granule *g, uintptr_t addr,
                       uint64_t name, uint64_t me, int write)
{
    uint64_t was;
    struct sn_field *f;
    if (!is_over_odd(name, me, write))
        return (f = sn_field_cut(name, sn_word_mask(me))) != 0 &&
               sn_field_put(r, g, name, f, me, write, &was) != 0;
    if ((name & SN_FIELDS_KEPT) || !sn_field_all_known(r, name))
        return 0;
    __atomic_store_n(&g->r, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&g->w, me, __ATOMIC_RELEASE);
    sn_field_give_back(name);
    sn_shadow_cells_add(addr, -1);
    return 1;
}

/* The fields may be others afterwards, or none. */
static int change(struct sn_race_thread *r, struct sn_granule *g, uintptr_t addr, uint64_t name,
                  uint64_t me, int write)
{
    struct spread s;
    uint64_t wider;
    spread_out(&s, name);
    if (!apply(r, &s, me, write))
        return 0;
    if ((sn_clock_is_long(r) || is_over_odd(name, me, write)) && is_one(r, &s, name, addr)) {
        leave(g, addr, name, &s);
    } else if (sn_field_has_room(name, s.starts)) {
        if (sets_of(&s) & ~name)
            __atomic_store_n(&g->w, name | SN_FIELDS_SETS, __ATOMIC_RELEASE);
        put_back(name, &s);
    } else {
        if (!(wider = make(&s)))
            return 0;
        __atomic_store_n(&g->w, wider | (name & SN_FIELDS_KEPT), __ATOMIC_RELEASE);
        sn_field_give_back(name);
    }
    return 1;
}

static int access_once(struct sn_race_thread *r, struct sn_granule *g, uintptr_t addr, uint64_t me,
                       int write)
{
    uint64_t name = __atomic_load_n(&g->w, __ATOMIC_ACQUIRE);
    if (!sn_word_is_cell(name))
        return expand(r, g, addr, name, me, write);
    if (!sn_word_is_fields(name) || __atomic_load_n(&g->r, __ATOMIC_RELAXED))
        return 0;
    if (write && (name & SN_FIELDS_KEPT)) {
        if (!sn_kept_look(r, addr, sn_word_mask(me)))
            return 0;
        if (!sn_kept_begin_write(r))
            return sn_fields_stop_keeping(r, g, addr, name) ||
                           __atomic_load_n(&g->w, __ATOMIC_RELAXED) != name
                       ? AGAIN
                       : 0;
    }
    if (sn_fields_have(r, g, name, sn_word_mask(me), write))
        return 1;
    uint64_t last = me;
    if (!write)
        last = __atomic_load_n(&sn_field_at(name, (unsigned)__builtin_ctz(sn_word_mask(me)))->w,
                               __ATOMIC_RELAXED);
    int goes = sn_fields_may_go(r, name, sn_word_mask(me), last);
    if (!goes && !is_over_odd(name, me, write) && put_all(r, g, name, me, write))
        return 1;
    uint32_t *lock = sn_fields_lock(name);
    sn_spin_lock(lock);
    int done = AGAIN;
    if (__atomic_load_n(&g->w, __ATOMIC_RELAXED) == name)
        done = (!goes && change_part(r, g, addr, name, me, write)) ||
               change(r, g, addr, name, me, write);
    sn_spin_unlock(lock);
    return done;
}

int sn_fields_access(struct sn_race_thread *r, struct sn_granule *g, uintptr_t addr, uint64_t me,
                     int write)
{
    int done;
    while ((done = access_once(r, g, addr, me, write)) == AGAIN)
        ;
    return done;
}

/* One more reader of a byte, whose read may be an older one. 0: they need a list. */
static int add_older(struct sn_race_thread *r, uint64_t *readers, uint64_t word)
{
    uint64_t list[SN_SET_MAX + 1];
    unsigned n = add_reader(r, list, sn_set_list(*readers, list, SN_SET_MAX), word);
    return (*readers = sn_set_of(r->sets, list, n)) != 0;
}

/* The reads of a record come to the bytes, as they were before. 0: as above. */
static int add_kept(struct sn_race_thread *r, struct spread *s, const struct sn_kept *e)
{
    uint64_t words[2], old = 0;
    unsigned n = sn_kept_words(e, words), last = 0;
    for (unsigned b = 0; b < 8; b++) {
        uint64_t had = s->r[b];
        unsigned who = 0;
        for (unsigned i = 0; i < n; i++)
            who |= (unsigned)(words[i] >> b & 1) << i;
        if (b && had == old && who == last)
            s->r[b] = s->r[b - 1];
        else
            for (unsigned i = 0; i < n; i++)
                if ((who >> i & 1) && !add_older(r, &s->r[b], words[i]))
                    return 0;
        if (b && s->r[b] != s->r[b - 1])
            s->starts |= 1u << b;
        old = had;
        last = who;
    }
    return 1;
}

/* The fields have these readers from now on, and what the name says otherwise is to be as in
 * `says`. 0: there is no room. */
static int put_readers(struct sn_granule *g, uint64_t name, uint64_t says, const struct spread *s)
{
    if (!sn_field_has_room(name, s->starts))
        return 0;
    says |= sets_of(s);
    if (says != name)
        __atomic_store_n(&g->w, says, __ATOMIC_RELEASE);
    put_back(name, s);
    return 1;
}

static int take_back(struct sn_race_thread *r, struct sn_granule *g, uint64_t name,
                     const struct sn_kept *e)
{
    struct spread s;
    spread_out(&s, name);
    return add_kept(r, &s, e) && put_readers(g, name, name, &s);
}

int sn_fields_stop_keeping(struct sn_race_thread *r, struct sn_granule *g, uintptr_t base,
                           uint64_t name)
{
    struct spread s;
    uint32_t *lock = sn_fields_lock(name);
    sn_spin_lock(lock);
    int done = __atomic_load_n(&g->w, __ATOMIC_RELAXED) == name;
    spread_out(&s, name);
    for (uint32_t slot = 0, n = sn_clock_slots; done && slot < n; slot++) {
        const struct sn_kept *e = sn_slot_sets[slot] ? sn_kept_at(sn_slot_sets[slot], base) : 0;
        if (e && __atomic_load_n(&e->base, __ATOMIC_ACQUIRE) == base)
            done = add_kept(r, &s, e);
    }
    done = done && put_readers(g, name, name & ~(uint64_t)SN_FIELDS_KEPT, &s);
    if (done)
        sn_kept_give_up(base, 0, 0);
    sn_spin_unlock(lock);
    return done;
}

int sn_fields_knows_writes(const struct sn_race_thread *r, uint64_t name)
{
    for (unsigned b = 0; b < 8; b += sn_field_step(name))
        if (!sn_clock_knows(
                r, sn_word_epoch(__atomic_load_n(&sn_field_at(name, b)->w, __ATOMIC_SEQ_CST))))
            return 0;
    return 1;
}

int sn_fields_take_back(struct sn_race_thread *r, struct sn_granule *g, const struct sn_kept *e)
{
    uint64_t name = __atomic_load_n(&g->w, __ATOMIC_ACQUIRE);
    int done = !sn_word_is_fields(name);
    while (!done) {
        uint32_t *lock = sn_fields_lock(name);
        uint64_t was = name;
        sn_spin_lock(lock);
        name = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
        int same = name == was;
        int kept = !same || !e->base || take_back(r, g, name, e);
        sn_spin_unlock(lock);
        if (!kept)
            return 0;
        done = same || !sn_word_is_fields(name);
    }
    return 1;
}

static void tell_field(const struct sn_field *f,
                       void (*tell)(void *to, uint64_t word, unsigned kind), void *to)
{
    uint64_t w = __atomic_load_n(&f->w, __ATOMIC_RELAXED), reads[SN_SET_MAX];
    unsigned n = sn_set_list(__atomic_load_n(&f->r, __ATOMIC_RELAXED), reads, SN_SET_MAX);
    if (sn_word_epoch(w))
        tell(to, w, SN_PLAIN_WRITE);
    for (unsigned i = 0; i < n; i++)
        tell(to, sn_field_read(reads[i], sn_word_mask(w)), SN_PLAIN_READ);
}

int sn_fields_dissolve(struct sn_granule *g, uintptr_t base, uint64_t name, uint64_t instead,
                       void (*tell)(void *to, uint64_t word, unsigned kind), void *to)
{
    uint32_t *lock = sn_fields_lock(name);
    sn_spin_lock(lock);
    int yes = __atomic_load_n(&g->w, __ATOMIC_RELAXED) == name;
    for (unsigned b = 0; yes && tell && b < 8; b += sn_field_step(name))
        tell_field(sn_field_at(name, b), tell, to);
    if (yes && (name & SN_FIELDS_KEPT))
        sn_kept_give_up(base, tell, to);
    if (yes) {
        __atomic_store_n(&g->w, instead, __ATOMIC_RELEASE);
        sn_field_give_back(name);
    }
    sn_spin_unlock(lock);
    return yes;
}

void sn_fields_each_set(uint64_t name, void (*fn)(uint64_t set))
{
    for (unsigned b = 0; b < 8; b += sn_field_step(name)) {
        uint64_t r = __atomic_load_n(&sn_field_at(name, b)->r, __ATOMIC_RELAXED);
        if (sn_word_is_set(r))
            fn(r);
    }
}
