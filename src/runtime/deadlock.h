/*
 * deadlock.h: the wait-for graph. A thread that is about to block without a time limit says for
 * what; if that closes a cycle, the finding is written and the process ends (option deadlock).
 */
#ifndef SN_RUNTIME_DEADLOCK_H
#define SN_RUNTIME_DEADLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sync.h"
#include "core/thread.h"

/* shared: wants to read only, so that only a writer is in its way. */
void sn_wait_lock(struct sn_thread *t, struct sn_sync *s, bool shared, uint32_t where);
void sn_wait_join(struct sn_thread *t, struct sn_thread *child, uint32_t where);
/* For a condition variable, semaphore or barrier, of which nobody is the owner. seen: s->given,
 * which counts signals and posts, read before the thread found out that it must wait. */
void sn_wait_message(struct sn_thread *t, struct sn_sync *s, uint32_t seen, uint32_t where);
/* For something that only another thread of the process can give, and that has no record. */
void sn_wait_unknown(struct sn_thread *t);
void sn_wait_end(struct sn_thread *t); /* nothing when it does not wait */
void sn_deadlock_forked(struct sn_thread *self);

#endif
