/*
 * misuse_messages.c: misuse of rwlocks, spin locks, condition variables, semaphores and barriers.
 * The same rule as in misuse.c: snag's record and the object's own state must agree.
 */
#include "runtime/misuse.h"

#include <errno.h>

#include "runtime/hook.h"
#include "runtime/locks.h"
#include "runtime/mutex_state.h"

void sn_misuse_rwlock_unlock(struct sn_thread *t, pthread_rwlock_t *l, uintptr_t pc)
{
    if (sn_rwlock_shared(l))
        return;
    int writer = __atomic_load_n(&l->__data.__cur_writer, __ATOMIC_RELAXED);
    if (writer && writer != t->kernel_tid && !sn_misuse_was_forker(writer))
        sn_misuse_report(t, "unlock of an rwlock that another thread holds for writing",
                         (uintptr_t)l, sizeof *l, pc);
    else if (!writer && !sn_rwlock_readers(l))
        sn_misuse_report(t, "unlock of an rwlock that is not locked", (uintptr_t)l, sizeof *l, pc);
}

void sn_misuse_rwlock_destroy(struct sn_thread *t, struct sn_sync *s, pthread_rwlock_t *l,
                              uintptr_t pc)
{
    if (s->kind != SN_SYNC_RWLOCK || sn_rwlock_shared(l))
        return;
    bool written = s->owner && l->__data.__cur_writer;
    bool read = sn_lock_is_read(s);
    if (written || read)
        sn_misuse_report(t, "destruction of an rwlock that is locked", (uintptr_t)l, sizeof *l, pc);
}

/* glibc's spin lock is 1 when it is free. */
void sn_misuse_spin_unlock(struct sn_thread *t, pthread_spinlock_t *l, uintptr_t pc)
{
    if (*l == 1)
        sn_misuse_report(t, "unlock of a spin lock that is not locked", (uintptr_t)l, sizeof *l,
                         pc);
}

void sn_misuse_cond_wait(struct sn_thread *t, pthread_mutex_t *m, uintptr_t pc)
{
    struct sn_sync *s = sn_sync_find((uintptr_t)m);
    if ((s && sn_owns(t, s)) || sn_mutex_opaque(m))
        return;
    int holder = sn_mutex_holder(m);
    if (sn_mutex_is_locked(m) &&
        (!holder || holder == t->kernel_tid || sn_misuse_was_forker(holder)))
        return;
    sn_misuse_report(t, "wait on a condition variable with a mutex that the thread does not hold",
                     (uintptr_t)m, sizeof *m, pc);
}

void sn_misuse_cond_two_mutexes(struct sn_thread *t, pthread_cond_t *c, uintptr_t pc)
{
    if (!sn_cond_shared(c))
        sn_misuse_report(t, "waits on one condition variable with two mutexes at once",
                         (uintptr_t)c, sizeof *c, pc);
}

/* Destroying right after a broadcast is allowed: the woken waiters do not count. */
void sn_misuse_cond_destroy(struct sn_thread *t, struct sn_sync *s, pthread_cond_t *c, uintptr_t pc)
{
    sn_sync_lock(s);
    bool waited = s->readers && !(s->flags & SN_COND_WOKEN);
    sn_sync_unlock(s);
    if (waited && sn_cond_waiters(c) && !sn_cond_shared(c))
        sn_misuse_report(t, "destruction of a condition variable that threads wait on",
                         (uintptr_t)c, sizeof *c, pc);
}

/* glibc's semaphore on 64 bits: value in the low half, waiters in the high half. */
void sn_misuse_sem_destroy(struct sn_thread *t, sem_t *sem, uintptr_t pc)
{
    uint64_t word = __atomic_load_n((uint64_t *)(void *)sem, __ATOMIC_RELAXED);
    if ((uint32_t)word == 0 && word >> 32)
        sn_misuse_report(t, "destruction of a semaphore that threads wait on", (uintptr_t)sem,
                         sizeof *sem, pc);
}

void sn_misuse_sem(struct sn_thread *t, const sem_t *sem, uintptr_t pc)
{
    if (SN_UNLIKELY(sn_sem_is_none(sem)))
        sn_misuse_report(t, "use of a semaphore that was never initialised", (uintptr_t)sem,
                         sizeof *sem, pc);
}

void sn_misuse_sem_value(struct sn_thread *t, sem_t *sem, int error, uintptr_t pc)
{
    if (error == EINVAL)
        sn_misuse_report(t, "a semaphore that begins above SEM_VALUE_MAX", (uintptr_t)sem,
                         sizeof *sem, pc);
    else if (error == EOVERFLOW)
        sn_misuse_report(t, "a post that brings a semaphore above SEM_VALUE_MAX", (uintptr_t)sem,
                         sizeof *sem, pc);
}

void sn_misuse_barrier(struct sn_thread *t, const pthread_barrier_t *b, uintptr_t pc)
{
    if (SN_UNLIKELY(sn_barrier_is_none(b)))
        sn_misuse_report(t, "use of a barrier that was never initialised", (uintptr_t)b, sizeof *b,
                         pc);
}

void sn_misuse_barrier_count(struct sn_thread *t, unsigned count, uintptr_t pc)
{
    if (!count)
        sn_misuse_report(t, "a barrier for no thread at all", 0, 0, pc);
}

void sn_misuse_barrier_destroy(struct sn_thread *t, struct sn_sync *s, uintptr_t pc)
{
    uint32_t count = s->held_at, entered = __atomic_load_n(&s->readers, __ATOMIC_RELAXED);
    if (s->kind == SN_SYNC_BARRIER && count && entered % count)
        sn_misuse_report(t, "destruction of a barrier that threads wait at", s->addr,
                         sizeof(pthread_barrier_t), pc);
}
