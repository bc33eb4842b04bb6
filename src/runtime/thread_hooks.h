/* thread_hooks.h: what the thread hooks share: create, join, end, stacks. */
#ifndef SN_RUNTIME_THREAD_HOOKS_H
#define SN_RUNTIME_THREAD_HOOKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/thread.h"

/* The calling thread's; 0, 0 when not known. Call inside a hook. */
void sn_stack_bounds(uintptr_t *low, uintptr_t *high);
void sn_tls_bounds(uintptr_t *low, uintptr_t *high);

/* Inside a hook, in the thread itself: binds the record and finds out about the stack. */
void sn_thread_bind(struct sn_thread *t);
bool sn_attr_is_detached(const pthread_attr_t *attr);

/* At activation: which threads are there already. */
void sn_adopt_note_existing(void);
/* Inside a hook: from here on libc may make a thread that runs the program's code. */
void sn_adopt_expect(struct sn_thread *t, uintptr_t pc);
void sn_adopt_expect_here(uintptr_t pc); /* the same, as a hook of its own */

/* Delivers END for the calling thread after its last thread-specific destructor. */
void sn_thread_end_arm(struct sn_thread *t);
/* True once END was delivered: what runs later in this thread is glibc's own. */
bool sn_thread_is_over(void);

#endif
