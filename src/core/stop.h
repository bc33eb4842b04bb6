/*
 * stop.h: entering and leaving the engine on a thread, and keeping all other threads out of it.
 *
 * A thread says that it is inside by a plain store (in_hook, busy); whoever wants to stop the
 * others sets sn_stop, makes every processor pass a memory barrier (membarrier(2)), and waits until
 * nobody is inside. So the barrier is paid by fork and not by every access. Afterwards no lock of
 * snag's is held and no record is half-written.
 */
#ifndef SN_CORE_STOP_H
#define SN_CORE_STOP_H

#include <stdint.h>

#include "core/count.h"
#include "core/sys.h"
#include "core/thread.h"

extern uint32_t sn_stop SN_HIDDEN; /* 1: threads that are outside stay outside; atomic */

/* Before other threads exist: makes membarrier ready. */
void sn_stop_init(void);
/* Waits until no thread but `self` (may be null) is inside, at most a second. */
void sn_stop_others(struct sn_thread *self);
/* The same unless somebody else is stopping threads; 0: that, or some are still inside. Then nobody
 * is stopped. */
int sn_stop_try(struct sn_thread *self);
void sn_stop_end(void);
/* A thread that has just set *inside, while others are stopped: takes it back until they go on. */
void sn_stop_wait(uint32_t *inside);

/* Runs what a signal put off while the thread was inside; set by the runtime. */
extern void (*sn_thread_on_signal)(struct sn_thread *t);
/* In the signal's handler, when it is put off; the engine's, null: it does not want to know. */
extern void (*sn_thread_on_put_off)(struct sn_thread *t);

/* The caller has seen that t->busy is 0. */
static inline void sn_busy_enter(struct sn_thread *t)
{
    t->busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (SN_UNLIKELY(__atomic_load_n(&sn_stop, __ATOMIC_RELAXED)) && !t->in_hook)
        sn_stop_wait(&t->busy);
}

/* False when a signal handler has interrupted the engine itself. */
static inline int sn_busy_try(struct sn_thread *t)
{
    if (SN_UNLIKELY(t->busy)) {
        sn_count(LOST_NESTED);
        return 0;
    }
    sn_busy_enter(t);
    return 1;
}

/* First it is left, then the signal is looked for: one that comes in between runs at once. */
static inline void sn_busy_leave(struct sn_thread *t)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->busy = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (SN_UNLIKELY(t->sig_pending))
        sn_thread_on_signal(t);
}

#endif
