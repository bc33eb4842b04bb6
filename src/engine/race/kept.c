/* kept.c: reads of fields that threads keep for themselves. */
#include "kept.h"

#include "core/spin.h"
#include "race.h"

uint32_t sn_kept_most_slots = 32, sn_kept_few = SN_LONG_EPOCH;
struct sn_kept_turns sn_kept_turns = {1, 1};

/* Of each slot the last epoch in which its thread, or one that had it before, has written fields of
 * which reads are kept. */
static uint32_t slot_wrote[SN_MAX_SLOTS];

/* Who is gone has written, too. */
static int knows_writers(const struct sn_race_thread *r)
{
    for (uint32_t slot = 0, n = sn_clock_slots; slot < n; slot++)
        if (!sn_clock_knows(r, __atomic_load_n(&slot_wrote[slot], __ATOMIC_RELAXED)))
            return 0;
    return 1;
}

/* The first read of this epoch that is kept: said before it is. */
static SN_NOINLINE void begin_read(struct sn_race_thread *r)
{
    struct sn_set_cache *c = r->sets;
    c->kept_before = c->kept_epoch;
    __atomic_store_n(&c->kept_epoch, r->epoch, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sn_kept_turns.kept, 1, __ATOMIC_SEQ_CST);
    uint64_t turn = __atomic_load_n(&sn_kept_turns.wrote, __ATOMIC_ACQUIRE);
    if (knows_writers(r))
        c->wrote_known = turn;
    c->used = 1;
}

int sn_kept_begin_write(struct sn_race_thread *r)
{
    struct sn_set_cache *c = r->sets;
    uint64_t at = r->accesses + r->in_epoch;
    if (c->wrote_epoch == r->epoch)
        return 1;
    int few = at - c->wrote_at < sn_kept_few;
    c->wrote_at = at;
    if (few)
        return 0;
    c->wrote_epoch = r->epoch;
    __atomic_store_n(&slot_wrote[r->slot], r->epoch, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sn_kept_turns.wrote, 1, __ATOMIC_SEQ_CST);
    return 1;
}

static struct sn_granule *granule_of(uintptr_t base)
{
    uintptr_t bias = sn_shadow_bias(base);
    return bias ? sn_granule_at(bias, base) : 0;
}

/* The record is wanted for another granule, or the thread ends. */
static void evict(struct sn_race_thread *r, struct sn_kept *e)
{
    uintptr_t base = e->base;
    struct sn_granule *g = base ? granule_of(base) : 0;
    if (g && !sn_fields_take_back(r, g, e))
        sn_cell_of_fields(g, base);
    e->base = 0;
}

/* A record for the granule, whose name then says that there are some: so its writers tell of what
 * they do from now on. 0: none is to be had, or it has writes that the thread does not know. */
static int make(struct sn_race_thread *r, struct sn_granule *g, uintptr_t base, uint64_t *name)
{
    struct sn_kept *e = sn_kept_at(r->sets, base);
    if (e->base && sn_word_epoch(e->word) >= r->sets->kept_before)
        return 0;
    evict(r, e);
    uint32_t *lock = sn_fields_lock(*name);
    sn_spin_lock(lock);
    int yes = __atomic_load_n(&g->w, __ATOMIC_RELAXED) == *name;
    if (yes) {
        uint64_t kept = *name | SN_FIELDS_KEPT;
        __atomic_store_n(&g->w, kept, __ATOMIC_SEQ_CST); /* before the writes are looked at */
        if ((yes = sn_fields_knows_writes(r, kept))) {
            e->word = e->before = 0;
            __atomic_store_n(&e->base, base, __ATOMIC_RELEASE);
            *name = kept;
        } else {
            __atomic_store_n(&g->w, *name, __ATOMIC_RELEASE);
        }
    }
    sn_spin_unlock(lock);
    return yes;
}

/* Others read it too. Short epochs end before much is kept, and each would tell all others that it
 * has begun. */
static int pays(const struct sn_race_thread *r, uint64_t name, uint64_t read)
{
    return sn_clock_is_long(r) && r->in_epoch >= SN_LONG_EPOCH &&
           sn_clock_slots <= sn_kept_most_slots &&
           ((name & SN_FIELDS_KEPT) || sn_word_is_set(read) ||
            !sn_clock_knows(r, sn_word_epoch(read)));
}

int sn_kept_read(struct sn_thread *t, struct sn_granule *g, uintptr_t base, uint64_t name,
                 const struct sn_field *f, uint64_t read, uint64_t me)
{
    struct sn_race_thread *r = sn_race_of(t);
    struct sn_kept *e = sn_kept_at(r->sets, base);
    uint64_t w = __atomic_load_n(&f->w, __ATOMIC_ACQUIRE);
    if (((w ^ me) & 0xff) || !sn_clock_knows(r, sn_word_epoch(w)) || !pays(r, name, read) ||
        (e->base != base && !make(r, g, base, &name)))
        return 0;
    int newer = sn_word_epoch(e->word) != r->epoch;
    if (!newer && sn_word_covers(e->word, sn_word_mask(me)))
        return 1;
    if (r->sets->kept_epoch != r->epoch)
        begin_read(r);
    uint64_t now = newer ? me : sn_race_united(t, e->word, me);
    r->sets->used_again++; /* a set that need not be made */
    return now && sn_kept_put(e, now, newer) && __atomic_load_n(&g->w, __ATOMIC_ACQUIRE) == name;
}

/* One of its words has some of these bytes and is not known. */
static int clashes(const struct sn_race_thread *r, const struct sn_kept *e, unsigned mask)
{
    uint64_t words[2];
    for (unsigned n = sn_kept_words(e, words); n-- > 0;)
        if ((sn_word_mask(words[n]) & mask) && !sn_clock_knows(r, sn_word_epoch(words[n])))
            return 1;
    return 0;
}

int sn_kept_look(struct sn_race_thread *r, uintptr_t base, unsigned mask)
{
    uint64_t turn = __atomic_load_n(&sn_kept_turns.kept, __ATOMIC_ACQUIRE);
    int all = 1;
    if (r->sets->kept_known == turn)
        return 1;
    for (uint32_t slot = 0, n = sn_clock_slots; slot < n; slot++) {
        struct sn_set_cache *c = sn_slot_sets[slot];
        if (!c || sn_clock_knows(r, __atomic_load_n(&c->kept_epoch, __ATOMIC_RELAXED)))
            continue;
        const struct sn_kept *e = sn_kept_at(c, base);
        if (__atomic_load_n(&e->base, __ATOMIC_ACQUIRE) == base && clashes(r, e, mask))
            return 0;
        all = 0;
    }
    if (all)
        r->sets->kept_known = turn;
    return 1;
}

void sn_kept_give_up(uintptr_t base, void (*tell)(void *to, uint64_t word, unsigned kind), void *to)
{
    for (uint32_t slot = 0, n = sn_clock_slots; slot < n; slot++) {
        struct sn_set_cache *c = sn_slot_sets[slot];
        struct sn_kept *e = c ? sn_kept_at(c, base) : 0;
        uint64_t words[2];
        if (!e || __atomic_load_n(&e->base, __ATOMIC_RELAXED) != base)
            continue;
        for (unsigned k = tell ? sn_kept_words(e, words) : 0; k-- > 0;)
            tell(to, words[k], SN_PLAIN_READ);
        __atomic_store_n(&e->base, 0, __ATOMIC_RELEASE);
    }
}

void sn_kept_thread_gone(struct sn_race_thread *r)
{
    struct sn_set_cache *c = r->sets;
    for (struct sn_kept *e = c->kept; c->kept_epoch && e < c->kept + SN_KEPT; e++)
        if (e->base)
            evict(r, e);
    c->kept_epoch = c->kept_before = 0;
}

void sn_kept_forget_writers(void)
{
    __builtin_memset(slot_wrote, 0, sizeof slot_wrote);
}
