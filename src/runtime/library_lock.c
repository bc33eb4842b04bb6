/*
 * library_lock.c: locks that libraries make themselves. Owner, held array and events are those of
 * mutex.c. A thread is taken to wait for the lock only when it comes to a futex inside the
 * library's function (futex.c): before that nobody knows whether it has to.
 */
#include "runtime/library.h"

#include "core/ctx_cache.h"
#include "core/runfile.h"
#include "core/sync_cache.h"
#include "runtime/deadlock.h"
#include "runtime/emit.h"
#include "runtime/lock_event.h"
#include "runtime/locks.h"

static __thread struct {
    struct sn_sync *lock; /* null: none */
    uintptr_t pc;
    bool shared;
    bool after_wait; /* it is taken again after a condition's wait */
} wanted __attribute__((tls_model("initial-exec")));

static struct sn_sync *record(struct sn_thread *t, uintptr_t lock)
{
    return sn_sync_of(t, lock, SN_SYNC_LIBRARY);
}

static bool shared(const struct sn_lib_lock *l)
{
    return l->how & SN_HOW_SHARED;
}

void sn_lib_locks(struct sn_thread *t, const struct sn_lib_lock *l)
{
    struct sn_event ev = {.op = shared(l) ? SN_EV_RDLOCK : SN_EV_LOCK,
                          .flags = l->how & SN_HOW_TRY ? SN_EF_TRY : 0,
                          .addr = l->lock,
                          .pc = l->pc,
                          .sync = record(t, l->lock)};
    sn_gate(t, &ev);
    wanted.lock = l->how & SN_HOW_TRY ? 0 : ev.sync;
    wanted.pc = l->pc;
    wanted.shared = shared(l);
    wanted.after_wait = false;
}

void sn_lib_not_locked(void)
{
    wanted.lock = 0;
}

static void took(struct sn_thread *t, struct sn_sync *s, const struct sn_lib_lock *l, uint8_t flags)
{
    struct sn_taking how = {.where = sn_ctx_site(t, l->pc | SN_CTX_TAG(SN_OP_LOCK, 0)),
                            .flags = flags,
                            .shared = shared(l),
                            .cond = l->cond,
                            .pc = l->pc};
    int token = sn_engine_takes(t);
    if (how.shared)
        __atomic_fetch_add(&s->readers, 1, __ATOMIC_RELAXED);
    else
        __atomic_store_n(&s->owner, t->number + 1, __ATOMIC_RELEASE); /* pairs with deadlock.c */
    sn_held_push(t, s, how.where, how.shared);
    sn_engine_took(t, s, how, token);
}

static struct sn_held *held(struct sn_thread *t, const struct sn_sync *s, bool shared)
{
    return shared || sn_owns(t, s) ? sn_held_find(t, s) : 0;
}

void sn_lib_locked(struct sn_thread *t, const struct sn_lib_lock *l)
{
    struct sn_sync *s = record(t, l->lock);
    wanted.lock = 0;
    if (!s)
        return;
    struct sn_held *h = held(t, s, shared(l));
    if (h && l->how & (SN_HOW_RECURSIVE | SN_HOW_SHARED)) {
        h->depth++;
        return;
    }
    if (h) /* it has been initialised anew by assignment */
        sn_held_remove(t, h);
    took(t, s, l, l->how & SN_HOW_TRY ? SN_EF_TRY : 0);
}

static void gives(struct sn_thread *t, struct sn_sync *s, struct sn_held *h,
                  const struct sn_lib_lock *l, uint8_t flags)
{
    struct sn_taking how = {.flags = flags, .shared = h->shared, .cond = l->cond, .pc = l->pc};
    int token = sn_engine_gives(t, s, how);
    if (h->shared)
        __atomic_fetch_sub(&s->readers, 1, __ATOMIC_RELAXED);
    else
        __atomic_store_n(&s->owner, 0, __ATOMIC_RELEASE); /* pairs with deadlock.c */
    sn_engine_gave(t, h, token);
    sn_held_remove(t, h);
}

/* Taken out of snag's sight, or by another thread: what came before still happens before the next
 * lock. */
static void gives_unknown(struct sn_thread *t, struct sn_sync *s, const struct sn_lib_lock *l)
{
    s->flags |= SN_LOCK_FOREIGN;
    SN_EMIT(t, RELEASE_MERGE, .addr = l->lock, .pc = l->pc, .sync = s);
}

void sn_lib_unlocks(struct sn_thread *t, const struct sn_lib_lock *l)
{
    struct sn_sync *s = record(t, l->lock);
    struct sn_held *h = s ? held(t, s, l->how & (SN_HOW_SHARED | SN_HOW_ANY)) : 0;
    if (h && h->depth)
        h->depth--;
    else if (h)
        gives(t, s, h, l, 0);
    else if (s)
        gives_unknown(t, s, l);
}

void sn_lib_unlocked(struct sn_thread *t, const struct sn_lib_lock *l)
{
    struct sn_event ev = {.op = shared(l) ? SN_EV_RDUNLOCK : SN_EV_UNLOCK,
                          .addr = l->lock,
                          .pc = l->pc,
                          .sync = sn_sync_find(l->lock)}; /* its memory may be given back already */
    sn_gate(t, &ev);
}

/* The lock is given up as it is held, and taken again so. */
uint8_t sn_lib_waits(struct sn_thread *t, const struct sn_lib_lock *l)
{
    struct sn_sync *s = record(t, l->lock);
    struct sn_held *h = s ? sn_held_find(t, s) : 0;
    uint8_t gave = !h || h->depth ? SN_LIB_NOTHING : h->shared ? SN_LIB_SHARED : SN_LIB_EXCLUSIVE;
    if (gave)
        gives(t, s, h, l, SN_EF_COND);
    wanted.lock = s;
    wanted.pc = l->pc;
    wanted.shared = gave == SN_LIB_SHARED;
    wanted.after_wait = true;
    return gave;
}

void sn_lib_waited(struct sn_thread *t, const struct sn_lib_lock *l, uint8_t gave)
{
    struct sn_sync *s = gave ? record(t, l->lock) : 0;
    struct sn_lib_lock how = *l;
    how.how = gave == SN_LIB_SHARED ? SN_HOW_SHARED : 0;
    wanted.lock = 0;
    if (s)
        took(t, s, &how, SN_EF_COND);
    if (l->cond)
        SN_EMIT(t, COND_WAKE, .addr = l->cond, .value = l->lock, .pc = l->pc);
}

struct sn_sync *sn_lib_wanted(uintptr_t word, bool at_word)
{
    enum { LOCK_BYTES = 8 };
    struct sn_sync *s = wanted.lock;
    bool there = s && word - s->addr < LOCK_BYTES;
    return there || (s && !at_word && !wanted.after_wait) ? s : 0;
}

uintptr_t sn_lib_wanted_at(void)
{
    return wanted.pc;
}

bool sn_lib_wait_begins(struct sn_thread *t, uintptr_t word)
{
    struct sn_sync *s = sn_lib_wanted(word, false);
    if (s)
        sn_wait_lock(t, s, wanted.shared, sn_ctx_where(t, wanted.pc));
    return s != 0;
}
