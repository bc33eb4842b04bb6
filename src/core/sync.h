/*
 * sync.h: synchronisation objects by address: mutexes, rwlocks, condition variables, barriers,
 * semaphores, once flags, atomics, and whatever is annotated.
 *
 * sn_sync_get() is lock-free when the object is known. A record lives until the object is destroyed
 * or its memory is given back (sn_sync_drop_range()), then it may be another object's: `id` tells.
 * Records come from a slab and are never unmapped.
 */
#ifndef SN_CORE_SYNC_H
#define SN_CORE_SYNC_H

#include <stddef.h>
#include <stdint.h>

#include "core/spin.h"

#define SN_SYNC_ENGINE_WORDS 16

enum sn_sync_kind {
    SN_SYNC_ANY,
    SN_SYNC_MUTEX,
    SN_SYNC_RWLOCK,
    SN_SYNC_LIBRARY, /* a lock that a library has made itself; perhaps with readers */
    SN_SYNC_SPIN,
    SN_SYNC_COND,
    SN_SYNC_BARRIER,
    SN_SYNC_SEM,
    SN_SYNC_ONCE,
    SN_SYNC_ATOMIC,
    SN_SYNC_READERS, /* the shared holders of a lock, where an engine keeps them apart */
};

/* What every operation touches comes first, in one cache line with the head of the engine's part:
 * the line goes from one processor to the other with the lock. */
struct sn_sync {
    union {
        uint32_t free_link; /* the slab's own */
        struct {
            uint8_t kind; /* enum sn_sync_kind */
            uint8_t type; /* a mutex's kind as glibc has it (mutex_state.h); the lock hooks' own */
            uint16_t flags;
        };
    };
    uint32_t guard;   /* lock for the engine's part, odd while it is held; it only grows, so that a
                         reader can tell that nobody came between: sn_sync_lock(), sn_sync_look() */
    uintptr_t addr;   /* 0: not in use */
    uint32_t owner;   /* 1 + number of the thread that holds it exclusively; atomic */
    uint32_t held_at; /* index in the owner's held array; owner thread only */
    uint64_t engine[SN_SYNC_ENGINE_WORDS];
    uint32_t id;      /* serial number, from 1; changes when the record gets another object */
    uint32_t next;    /* hash chain; guarded by the bucket's lock */
    uint32_t readers; /* shared holders; atomic */
    uint32_t given;   /* COND, SEM: signals, posts so far */
    uint32_t born;    /* an initialising call made it: 1 + forks so far (misuse_life.c); 0: none */
    uint32_t born_where, born_thread; /* of that call */
} __attribute__((aligned(64)));

/* The kinds that may have readers. */
static inline int sn_sync_is_rw(const struct sn_sync *s)
{
    return (unsigned)s->kind - SN_SYNC_RWLOCK <= SN_SYNC_LIBRARY - SN_SYNC_RWLOCK;
}

/* Null: out of capacity. Nobody need destroy a mutex of the stack, or one by a plain initialiser:
 * where another kind of object is used now, the record becomes one. */
struct sn_sync *sn_sync_get(uintptr_t addr, enum sn_sync_kind kind);
/* Has it the right kind for this? An atomic access may be one to a word of a lock. */
static inline int sn_sync_serves(const struct sn_sync *s, enum sn_sync_kind kind)
{
    return s->kind == kind ||
           ((kind == SN_SYNC_ATOMIC || kind == SN_SYNC_ANY) && s->kind != SN_SYNC_ANY);
}

struct sn_sync *sn_sync_find(uintptr_t addr);
/* Records ever made; counted when one can be found, and before it is used: who finds none and the
 * same number afterwards has not missed a release. */
extern uint32_t sn_sync_births SN_HIDDEN;
void sn_sync_drop(uintptr_t addr);
/* An object that a thread held exclusively when its memory was given back; addr 0: none. */
struct sn_sync_lost {
    uintptr_t addr;
    enum sn_sync_kind kind;
};
/* Cheap when the range has none. */
struct sn_sync_lost sn_sync_drop_range(uintptr_t addr, size_t size);
/* The engine is told before a record is dropped, so that it can give back what hangs on it. */
extern void (*sn_sync_on_drop)(struct sn_sync *s);

static inline void sn_sync_lock(struct sn_sync *s)
{
    if (__atomic_fetch_or(&s->guard, 1, __ATOMIC_ACQUIRE) & 1)
        sn_spin_wait(&s->guard);
}

static inline void sn_sync_unlock(struct sn_sync *s)
{
    __atomic_store_n(&s->guard, s->guard + 1, __ATOMIC_RELEASE); /* pairs with sn_sync_lock() */
}

/* For a look without the lock; what was seen counts if sn_sync_unchanged() says so afterwards. */
static inline uint32_t sn_sync_look(const struct sn_sync *s)
{
    return __atomic_load_n(&s->guard, __ATOMIC_ACQUIRE);
}

static inline int sn_sync_unchanged(const struct sn_sync *s, uint32_t look)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return !(look & 1) && __atomic_load_n(&s->guard, __ATOMIC_RELAXED) == look;
}

#endif
