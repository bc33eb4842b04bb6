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

static const struct sn_broken nobody;

/* Locked; null: nothing is known of the object. */
static struct sn_fact *take(struct sn_fact *f)
{
    if (f)
        sn_spin_lock(&f->lock);
    return f;
}

static void clear(struct sn_fact *f)
{
    __atomic_store_n(&f->marks, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&f->frozen, 0, __ATOMIC_RELAXED);
    f->who[SN_FACT_OWNER] = f->who[SN_FACT_SPAN] = nobody;
}

void sn_fact_forget(uint64_t key)
{
    struct sn_fact *f = take((struct sn_fact *)sn_fact_find(key));
    if (!f)
        return;
    clear(f);
    sn_spin_unlock(&f->lock);
}

void sn_fact_own(uint64_t key, struct sn_broken owner)
{
    struct sn_fact *f = take(sn_fact_make(key));
    if (!f)
        return;
    clear(f);
    f->who[SN_FACT_OWNER] = owner;
    sn_spin_unlock(&f->lock);
}

void sn_fact_span(uint64_t key, struct sn_broken by)
{
    struct sn_fact *f = take(by.thread ? sn_fact_make(key) : (struct sn_fact *)sn_fact_find(key));
    if (!f)
        return;
    f->who[SN_FACT_SPAN] = by;
    sn_spin_unlock(&f->lock);
}

struct sn_broken sn_fact_who(uint64_t key, enum sn_fact_role role)
{
    struct sn_fact *f = take((struct sn_fact *)sn_fact_find(key));
    if (!f)
        return nobody;
    struct sn_broken who = f->who[role];
    sn_spin_unlock(&f->lock);
    return who;
}
