/*
 * fact.c: what is known of an object beyond its history: marks, whether it is frozen, who owns it,
 * an open span. A table of fixed size; an object's place in it is taken by compare-and-swap and
 * never given back, and every fact has a lock of its own, so that threads with objects of their own
 * do not meet here.
 *
 * Compiled with -mgeneral-regs-only.
 */
#include "object.h"

#include "core/spin.h"

struct sn_fact sn_facts[SN_FACTS];

struct sn_fact *sn_fact_make(uint64_t key)
{
    uint32_t i = (uint32_t)(key >> (64 - SN_FACT_BITS));
    for (unsigned tries = 0; tries < SN_FACT_TRIES; tries++, i++) {
        struct sn_fact *f = &sn_facts[i & (SN_FACTS - 1)];
        uint64_t have = __atomic_load_n(&f->key, __ATOMIC_ACQUIRE);
        if (!have && __atomic_compare_exchange_n(&f->key, &have, key, false, __ATOMIC_ACQ_REL,
                                                 __ATOMIC_ACQUIRE))
            return f;
        if (have == key)
            return f;
    }
    return 0;
}

void sn_fact_mark(uint64_t key, unsigned mode)
{
    struct sn_fact *f = sn_fact_make(key);
    if (f)
        __atomic_fetch_or(&f->marks, 1ull << (mode & 63), __ATOMIC_RELAXED);
    sn_mode_known[mode % SN_MAX_MODES] = SN_MODE_PER_OBJECT;
}

void sn_fact_freeze(uint64_t key)
{
    struct sn_fact *f = sn_fact_make(key);
    if (f && !__atomic_load_n(&f->frozen, __ATOMIC_RELAXED))
        __atomic_store_n(&f->frozen, 1, __ATOMIC_RELAXED);
}

bool sn_fact_is_frozen(uint64_t key)
{
    const struct sn_fact *f = sn_fact_find(key);
    return f && __atomic_load_n(&f->frozen, __ATOMIC_RELAXED);
}

static void set_who(struct sn_broken *to, struct sn_broken who)
{
    to->where = who.where;
    to->point = who.point;
    __atomic_store_n(&to->thread, who.thread, __ATOMIC_RELAXED); /* read by needs_fact() */
}

static void clear(struct sn_fact *f)
{
    __atomic_store_n(&f->marks, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&f->frozen, 0, __ATOMIC_RELAXED);
    f->open = 0;
    set_who(&f->span, (struct sn_broken){0, 0, 0});
}

void sn_fact_own(uint64_t key, struct sn_broken owner)
{
    struct sn_fact *f = sn_fact_make(key);
    if (!f)
        return;
    sn_spin_lock(&f->lock);
    clear(f);
    set_who(&f->owner, owner);
    sn_spin_unlock(&f->lock);
}

void sn_fact_forget(uint64_t key)
{
    struct sn_fact *f = (struct sn_fact *)sn_fact_find(key);
    if (!f)
        return;
    sn_spin_lock(&f->lock);
    clear(f);
    set_who(&f->owner, (struct sn_broken){0, 0, 0});
    sn_spin_unlock(&f->lock);
}

struct sn_broken sn_fact_owner(uint64_t key)
{
    struct sn_fact *f = (struct sn_fact *)sn_fact_find(key);
    struct sn_broken who = {0, 0, 0};
    if (!f)
        return who;
    sn_spin_lock(&f->lock);
    who = f->owner;
    sn_spin_unlock(&f->lock);
    return who;
}

struct sn_broken sn_fact_span(uint64_t key)
{
    struct sn_fact *f = (struct sn_fact *)sn_fact_find(key);
    struct sn_broken who = {0, 0, 0};
    if (!f)
        return who;
    sn_spin_lock(&f->lock);
    if (f->open)
        who = f->span;
    sn_spin_unlock(&f->lock);
    return who;
}

void sn_fact_begin(uint64_t key, struct sn_broken who)
{
    struct sn_fact *f = sn_fact_make(key);
    if (!f)
        return;
    sn_spin_lock(&f->lock);
    f->open = 1;
    set_who(&f->span, who);
    sn_spin_unlock(&f->lock);
}

void sn_fact_end(uint64_t key)
{
    struct sn_fact *f = (struct sn_fact *)sn_fact_find(key);
    if (!f)
        return;
    sn_spin_lock(&f->lock);
    f->open = 0;
    sn_spin_unlock(&f->lock);
}
