/*
 * misuse.h: operations on synchronisation objects that POSIX leaves undefined, told by the hooks.
 * Each function decides and, if it is a misuse beyond doubt, writes the finding. None of them
 * changes what the program sees.
 */
#ifndef SN_RUNTIME_MISUSE_H
#define SN_RUNTIME_MISUSE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "core/sync.h"
#include "core/thread.h"

/* The calling thread does not hold m by snag's records and is about to unlock it. */
void sn_misuse_unlock(struct sn_thread *t, struct sn_sync *s, pthread_mutex_t *m, uintptr_t pc);
/* A lock operation returned an error; limit: what it was called with, or null. */
void sn_misuse_lock_failed(struct sn_thread *t, pthread_mutex_t *m, int error,
                           const struct timespec *limit, uintptr_t pc);
/* A timed wait returned EINVAL: was it the time? */
void sn_misuse_limit(struct sn_thread *t, const struct timespec *limit, uintptr_t pc);
/* m is about to be initialised: is it locked, or initialised already? */
void sn_misuse_init_mutex(struct sn_thread *t, pthread_mutex_t *m, uintptr_t pc);
/* m is about to be destroyed; true: glibc will refuse. */
bool sn_misuse_destroy_mutex(struct sn_thread *t, pthread_mutex_t *m, uintptr_t pc);
/* pthread_join and pthread_detach returned an error. */
void sn_misuse_join(struct sn_thread *t, int error, uintptr_t pc);
void sn_misuse_detach(struct sn_thread *t, int error, uintptr_t pc);
/* The thread's last event: does it still hold a lock that nobody can release any more? */
void sn_misuse_thread_end(struct sn_thread *t);

/* An rwlock that the thread does not hold is about to be unlocked; one is about to be destroyed. */
void sn_misuse_rwlock_unlock(struct sn_thread *t, pthread_rwlock_t *l, uintptr_t pc);
void sn_misuse_rwlock_destroy(struct sn_thread *t, struct sn_sync *s, pthread_rwlock_t *l,
                              uintptr_t pc);
/* A spin lock that the thread does not hold is about to be unlocked. */
void sn_misuse_spin_unlock(struct sn_thread *t, pthread_spinlock_t *l, uintptr_t pc);
/* A wait is about to begin. */
void sn_misuse_cond_wait(struct sn_thread *t, pthread_mutex_t *m, uintptr_t pc);
void sn_misuse_cond_two_mutexes(struct sn_thread *t, pthread_cond_t *c, uintptr_t pc);
void sn_misuse_cond_destroy(struct sn_thread *t, struct sn_sync *s, pthread_cond_t *c,
                            uintptr_t pc);
void sn_misuse_sem_destroy(struct sn_thread *t, sem_t *sem, uintptr_t pc);
void sn_misuse_barrier_destroy(struct sn_thread *t, struct sn_sync *s, uintptr_t pc);
/* Before any use of a semaphore or a barrier: is there one? */
void sn_misuse_sem(struct sn_thread *t, const sem_t *sem, uintptr_t pc);
void sn_misuse_barrier(struct sn_thread *t, const pthread_barrier_t *b, uintptr_t pc);
void sn_misuse_barrier_count(struct sn_thread *t, unsigned count, uintptr_t pc);
void sn_misuse_sem_value(struct sn_thread *t, sem_t *sem, int error, uintptr_t pc);

/* misuse_life.c: the life of an object. Before and after the call that initialises one; and memory
 * was given back in which a lock was held. */
void sn_misuse_init(struct sn_thread *t, uintptr_t addr, enum sn_sync_kind kind, uintptr_t pc);
void sn_misuse_born(struct sn_thread *t, struct sn_sync *s, uintptr_t pc);
void sn_misuse_freed(struct sn_thread *t, struct sn_sync_lost lost, uintptr_t pc);
bool sn_misuse_on_a_stack(uintptr_t addr);

/* In a fork's child: the id that the forking thread had in the parent. */
void sn_misuse_forked(int parent_tid);
void sn_misuse_life_forked(void);
bool sn_misuse_was_forker(int tid); /* that id: what it held, this process's thread holds */
/* Writes the finding; every decision above ends here. */
void sn_misuse_report(struct sn_thread *t, const char *text, uintptr_t addr, size_t size,
                      uintptr_t pc);

#endif
