/*
 * sync_cache.h: a thread's few most recent objects, in front of the table of sync.h. An entry is
 * good if its record still has the address: records are never unmapped.
 */
#ifndef SN_CORE_SYNC_CACHE_H
#define SN_CORE_SYNC_CACHE_H

#include "core/sync.h"
#include "core/thread.h"

static inline struct sn_sync_entry *sn_sync_cached(struct sn_thread *t, uintptr_t addr)
{
    return &t->syncs[(addr ^ addr >> 3 ^ addr >> 9) & (SN_SYNC_CACHE - 1)];
}

/* The record that had this address last time; it is not looked at, since another processor may be
 * about to change it. Null: not remembered. To be asked sn_sync_is() before it is used. */
static inline struct sn_sync *sn_sync_guess(struct sn_thread *t, uintptr_t addr)
{
    const struct sn_sync_entry *e = sn_sync_cached(t, addr);
    return SN_LIKELY(e->addr == addr) ? e->sync : 0;
}

static inline int sn_sync_is(const struct sn_sync *s, uintptr_t addr)
{
    return SN_LIKELY(s && __atomic_load_n(&s->addr, __ATOMIC_ACQUIRE) == addr);
}

static inline struct sn_sync *sn_sync_remember(struct sn_thread *t, uintptr_t addr,
                                               struct sn_sync *s)
{
    if (s)
        *sn_sync_cached(t, addr) = (struct sn_sync_entry){addr, s};
    return s;
}

/* Counters and the like never get a record, and that is remembered as well. */
static inline uintptr_t *sn_sync_none(struct sn_thread *t, uintptr_t addr)
{
    return &t->no_sync[(addr >> 2 ^ addr >> 8) & (SN_NO_SYNC - 1)];
}

static inline int sn_sync_is_none(struct sn_thread *t, uintptr_t addr)
{
    return *sn_sync_none(t, addr) == addr &&
           t->no_sync_births == __atomic_load_n(&sn_sync_births, __ATOMIC_ACQUIRE);
}

/* sn_sync_find() */
struct sn_sync *sn_sync_known_slowly(struct sn_thread *t, uintptr_t addr);

static inline struct sn_sync *sn_sync_known(struct sn_thread *t, uintptr_t addr)
{
    struct sn_sync *s = sn_sync_guess(t, addr);
    return sn_sync_is(s, addr) ? s : sn_sync_known_slowly(t, addr);
}

/* sn_sync_get(), when this is what sn_sync_guess() said. */
static inline struct sn_sync *sn_sync_check(struct sn_thread *t, struct sn_sync *guess,
                                            uintptr_t addr, enum sn_sync_kind kind)
{
    return sn_sync_is(guess, addr) && SN_LIKELY(sn_sync_serves(guess, kind))
               ? guess
               : sn_sync_remember(t, addr, sn_sync_get(addr, kind));
}

/* sn_sync_get() */
static inline struct sn_sync *sn_sync_of(struct sn_thread *t, uintptr_t addr,
                                         enum sn_sync_kind kind)
{
    return sn_sync_check(t, sn_sync_guess(t, addr), addr, kind);
}

#endif
