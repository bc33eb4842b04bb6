/*
 * mutex_state.h: what glibc keeps inside its locks. Statically initialised objects are never seen
 * by an init hook, so their type is read here; and a misuse is reported only when glibc's own state
 * and snag's records agree on it.
 */
#ifndef SN_RUNTIME_MUTEX_STATE_H
#define SN_RUNTIME_MUTEX_STATE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    SN_MUTEX_TYPE_MASK = 3,
    SN_MUTEX_ROBUST = 16,
    SN_MUTEX_PRIO_INHERIT = 32,
    SN_MUTEX_SHARED = 128,
    SN_MUTEX_ELISION = 256,
    SN_MUTEX_KNOWN = 0x3ff, /* every bit that glibc uses */
    SN_MUTEX_DESTROYED = -1,
};

static inline int sn_mutex_kind(const pthread_mutex_t *m)
{
    return __atomic_load_n(&m->__data.__kind, __ATOMIC_RELAXED);
}

static inline bool sn_mutex_recursive(const pthread_mutex_t *m)
{
    return (sn_mutex_kind(m) & SN_MUTEX_TYPE_MASK) == PTHREAD_MUTEX_RECURSIVE;
}

static inline bool sn_mutex_is_locked(const pthread_mutex_t *m)
{
    return __atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED) != 0;
}

/* Destroyed, or never initialised: glibc writes no such kind. */
static inline bool sn_mutex_is_none(const pthread_mutex_t *m)
{
    return sn_mutex_kind(m) & ~SN_MUTEX_KNOWN;
}

/* Destroying leaves the lock word, which is 0 by then, alone. */
static inline bool sn_mutex_is_destroyed(const pthread_mutex_t *m)
{
    return sn_mutex_kind(m) == SN_MUTEX_DESTROYED && !sn_mutex_is_locked(m);
}

/* Kernel thread id of the holder. */
static inline int sn_mutex_holder(const pthread_mutex_t *m)
{
    return __atomic_load_n(&m->__data.__owner, __ATOMIC_RELAXED);
}

/* Nothing can be said about these: another process may hold it, or the lock word is not used. */
static inline bool sn_mutex_opaque(const pthread_mutex_t *m)
{
    int kind = sn_mutex_kind(m);
    return sn_mutex_is_none(m) || (kind & (SN_MUTEX_SHARED | SN_MUTEX_ELISION));
}

static inline bool sn_rwlock_shared(const pthread_rwlock_t *l)
{
    return l->__data.__shared != 0;
}

/* Readers that hold it or wait for it. */
static inline unsigned sn_rwlock_readers(const pthread_rwlock_t *l)
{
    return __atomic_load_n(&l->__data.__readers, __ATOMIC_RELAXED) >> 3;
}

/* glibc's semaphore on 64 bits: value, waiters, 0 or 128 (shared), nothing. */
static inline bool sn_sem_is_none(const sem_t *sem)
{
    return ((const uint32_t *)(const void *)sem)[2] & ~128u;
}

/* glibc's barrier: in, round, count, 0 or 128 (shared), out. */
static inline bool sn_barrier_is_none(const pthread_barrier_t *b)
{
    const uint32_t *word = (const uint32_t *)(const void *)b;
    return (word[3] & ~128u) || !word[2];
}

static inline unsigned sn_cond_waiters(const pthread_cond_t *c)
{
    return __atomic_load_n(&c->__data.__wrefs, __ATOMIC_RELAXED) >> 3;
}

static inline bool sn_cond_monotonic(const pthread_cond_t *c)
{
    return __atomic_load_n(&c->__data.__wrefs, __ATOMIC_RELAXED) & 2;
}

/* glibc's barrier: in, round, count, 0 or 128 (shared), out. */
static inline bool sn_barrier_shared(const pthread_barrier_t *b)
{
    return ((const int *)b)[3] != 0;
}

static inline bool sn_cond_shared(const pthread_cond_t *c)
{
    return __atomic_load_n(&c->__data.__wrefs, __ATOMIC_RELAXED) & 1;
}

#endif
