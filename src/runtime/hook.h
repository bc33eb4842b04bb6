/*
 * hook.h: the one shape of every interposer.
 *
 *     SN_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
 *     {
 *         struct sn_thread *t = sn_hook_enter(SN_CALLER);
 *         if (!t)
 *             return sn_real.pthread_mutex_lock(m);
 *         … gate, the real call, event …
 *         sn_hook_leave(t);
 *         return r;
 *     }
 *
 * Ground rules for everything in runtime/ and engine/:
 *  - no malloc, no stdio, no libc lock; memory comes from core/slab.h and sn_map();
 *  - system calls go through core/sys.h, so errno is not touched between the real call and return;
 *  - no lock of snag's is held across a real call that may block;
 *  - a hook that finds itself inside another hook (a signal handler that interrupted one, a libc
 *    function that calls another interposed one) passes through: sn_hook_enter() gives null;
 *  - before the runtime is ready, and while it is dormant (nothing in the process is
 *    instrumented and the engine needs instrumentation), hooks pass through.
 */
#ifndef SN_RUNTIME_HOOK_H
#define SN_RUNTIME_HOOK_H

#include "core/ctx.h"
#include "core/engine.h"
#include "core/stop.h"
#include "core/sys.h"
#include "core/thread.h"

#define SN_CALLER ((uintptr_t)__builtin_return_address(0))

extern const char *sn_run_dir; /* SNAG_RUN_DIR; null: snag does not run this program */
extern int sn_ready SN_HIDDEN; /* 1: runtime initialised and engine active. Read-mostly. */

/* Inside again, or for the first time in a new thread; waits while a fork keeps threads outside. */
static inline void sn_hook_resume(struct sn_thread *t)
{
    t->in_hook = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (SN_UNLIKELY(__atomic_load_n(&sn_stop, __ATOMIC_RELAXED)))
        sn_stop_wait(&t->in_hook);
}

static inline struct sn_thread *sn_hook_enter(uintptr_t pc)
{
    struct sn_thread *t = sn_self;
    if (!t || !sn_ready || t->in_hook)
        return 0;
    sn_hook_resume(t);
    t->pc = pc;
    return t;
}

/* Runs the signal handler that was put off while the thread was in a hook (signal.c). */
void sn_signal_run_pending(struct sn_thread *t);

/* First the hook ends, then the signal is looked for: one that comes in between runs at once. */
static inline void sn_hook_leave(struct sn_thread *t)
{
    t->in_hook = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (SN_UNLIKELY(t->sig_pending))
        sn_signal_run_pending(t);
}

/* For the time of a real call that runs the program's own code (thread start routines, qsort-like
 * callbacks, a blocking call in which signal handlers run): hooks are live inside. */
static inline void sn_hook_suspend(struct sn_thread *t)
{
    sn_hook_leave(t);
}

static inline enum sn_gate_answer sn_gate(struct sn_thread *t, struct sn_event *ev)
{
    return sn_engine_gates ? sn_engine_gate(t, ev) : SN_GO;
}

/* Called by the ELF constructor and by __tsan_init, whichever comes first; idempotent. */
void sn_runtime_init(void);
/* __tsan_init: a module is instrumented; engines that need instrumentation become active. */
void sn_runtime_instrumented(void);
/* In a fork's child, by the fork hook: run file, modules, threads, engine. */
void sn_runtime_forked(struct sn_thread *self);
/* Regular end of the process (destructor, _exit hook): flush, mark the run file. */
void sn_runtime_exit(void);
/* snag ends the process (a deadlock): marks the run file SN_RUN_STOPPED, then exit_group. */
void sn_runtime_stop(int status) __attribute__((noreturn));

#endif
