/*
 * mutex_state.h: what glibc keeps inside its locks. Statically initialised objects are never seen
 * by an init hook, so their type is read here; and a misuse is reported only when glibc's own state
 * and snag's records agree on it.
 */
#ifndef SN_RUNTIME_MUTEX_STATE_H
#define SN_RUNTIME_MUTEX_STATE_H

#include <pthread.h>
#include <stdbool.h>

enum {
    SN_MUTEX_TYPE_MASK = 3,
    SN_MUTEX_ROBUST = 16,
    SN_MUTEX_PRIO_INHERIT = 32,
    SN_MUTEX_SHARED = 128,
    SN_MUTEX_ELISION = 256,
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

/* Kernel thread id of the holder. */
static inline int sn_mutex_holder(const pthread_mutex_t *m)
{
    return __atomic_load_n(&m->__data.__owner, __ATOMIC_RELAXED);
}

/* Nothing can be said about these: another process may hold it, or the lock word is not used. */
static inline bool sn_mutex_opaque(const pthread_mutex_t *m)
{
    int kind = sn_mutex_kind(m);
    return kind == SN_MUTEX_DESTROYED || (kind & (SN_MUTEX_SHARED | SN_MUTEX_ELISION));
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

static inline unsigned sn_cond_waiters(const pthread_cond_t *c)
{
    return __atomic_load_n(&c->__data.__wrefs, __ATOMIC_RELAXED) >> 3;
}

static inline bool sn_cond_monotonic(const pthread_cond_t *c)
{
    return __atomic_load_n(&c->__data.__wrefs, __ATOMIC_RELAXED) & 2;
}

static inline bool sn_cond_shared(const pthread_cond_t *c)
{
    return __atomic_load_n(&c->__data.__wrefs, __ATOMIC_RELAXED) & 1;
}

#endif
