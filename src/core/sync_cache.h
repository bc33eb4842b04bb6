/*
 * sync_cache.h: a thread's few most recent objects, in front of the table of sync.h. An entry is
 * good if its record still has the address: records are never unmapped.
 */
#ifndef SN_CORE_SYNC_CACHE_H
#define SN_CORE_SYNC_CACHE_H

#include "core/sync.h"
#include "core/thread.h"

static inline struct sn_sync **sn_sync_cached(struct sn_thread *t, uintptr_t addr)
{
    return &t->syncs[(addr ^ addr >> 3 ^ addr >> 9) & (SN_SYNC_CACHE - 1)];
}

/* sn_sync_find() */
static inline struct sn_sync *sn_sync_known(struct sn_thread *t, uintptr_t addr)
{
    struct sn_sync **c = sn_sync_cached(t, addr), *s = *c;
    if (SN_LIKELY(s && __atomic_load_n(&s->addr, __ATOMIC_ACQUIRE) == addr))
        return s;
    s = sn_sync_find(addr);
    if (s)
        *c = s;
    return s;
}

/* sn_sync_get() */
static inline struct sn_sync *sn_sync_of(struct sn_thread *t, uintptr_t addr,
                                         enum sn_sync_kind kind)
{
    struct sn_sync **c = sn_sync_cached(t, addr), *s = *c;
    if (SN_LIKELY(s && __atomic_load_n(&s->addr, __ATOMIC_ACQUIRE) == addr &&
                  s->kind != SN_SYNC_ANY))
        return s;
    s = sn_sync_get(addr, kind);
    if (s)
        *c = s;
    return s;
}

#endif
