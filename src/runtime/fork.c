/*
 * fork.c: the child goes on being watched, in a run file of its own.
 *
 * By __register_atfork, which is what pthread_atfork calls: registered before any of the program's
 * handlers, snag's prepare handler is the last to run, and its child handler is the
 * first to run in the child, so the program's own handlers there (which give up the locks that
 * their prepare handlers took) are seen; and fork() need not be interposed, so every caller inside
 * libc counts too. _Fork() runs no handlers and is interposed, as is clone() (clone.c). vfork's
 * child shares the parent's memory until it calls exec: nothing may be changed there.
 */
#include <signal.h>

#include "core/small.h"
#include "runtime/deadlock.h"
#include "runtime/emit.h"
#include "runtime/misuse.h"
#include "runtime/process.h"
#include "runtime/real.h"

static int forking_tid;
static uint64_t
    mask; /* signals that the forking thread had blocked; belongs to who has stopped the others */
static bool has_mask;

static void set_mask(uint64_t to, uint64_t *was)
{
    sn_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &to, was, sizeof to);
}

/* Every other thread is outside the engine: the child gets a state that nobody was writing. A
 * signal handler that ran now would wait for the end of the fork that it interrupts, so none does.
 */
void sn_fork_begins(void)
{
    if (sn_ready) {
        uint64_t was;
        set_mask(~0ull, &was);
        sn_stop_others(sn_self);
        mask = was;
        has_mask = true;
    }
    forking_tid = sn_self ? sn_self->kernel_tid : 0;
}

/* The others go on, and then signals come. */
void sn_fork_parent(void)
{
    if (!has_mask)
        return;
    uint64_t to = mask;
    has_mask = false;
    sn_stop_end();
    set_mask(to, 0);
}

void sn_fork_child(void)
{
    struct sn_thread *t = sn_self;
    uint32_t nested = t ? t->in_hook : 0;
    sn_process_begins();
    sn_stop_end();
    if (t)
        t->in_hook = 1;
    sn_small_forked(t ? t->small : 0);
    sn_misuse_forked(forking_tid);
    sn_deadlock_forked(t);
    sn_runtime_forked(t);
    if (t)
        t->in_hook = nested;
    if (has_mask)
        set_mask(mask, 0);
    has_mask = false;
}

SN_EXPORT pid_t _Fork(void)
{
    sn_fork_begins();
    pid_t pid = sn_pass(_Fork)();
    if (pid == 0)
        sn_fork_child();
    else
        sn_fork_parent();
    return pid;
}

extern void *__dso_handle __attribute__((visibility("hidden")));

__attribute__((constructor)) static void watch_forks(void)
{
    static int begun;
    if (__atomic_exchange_n(&begun, 1, __ATOMIC_ACQ_REL))
        return;
    sn_stop_init();
    sn_pass(__register_atfork)(sn_fork_begins, sn_fork_parent, sn_fork_child, &__dso_handle);
}

/* An allocator may register its handlers before any constructor has run. Snag's come first all the
 * same: a handler that takes locks while the other threads are stopped would wait for them. */
SN_EXPORT int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                                void *module)
{
    watch_forks();
    return sn_pass(__register_atfork)(prepare, parent, child, module);
}
