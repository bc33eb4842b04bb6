/* hang.h: the whole process waits for ever; told by deadlock.c and the thread hooks. */
#ifndef SN_RUNTIME_HANG_H
#define SN_RUNTIME_HANG_H

#include "core/thread.h"

void sn_hang_thread(int change); /* +1: a thread became known */
/* A wait was published; it is over. */
void sn_hang_wait_begins(struct sn_thread *me);
void sn_hang_wait_ended(void);
/* The thread is about to deliver END. */
void sn_hang_thread_ends(struct sn_thread *me);
void sn_hang_forked(const struct sn_thread *self);

#endif
