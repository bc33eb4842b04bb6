/*
 * thread_end.c: the last moment of a thread.
 *
 * END comes after the program's thread-specific destructors: a key of snag's own re-arms its value
 * in every round but the last. That covers return, pthread_exit and cancellation alike. Destructors
 * that still run in the last round after snag's are not seen; glibc gives a program four rounds,
 * and C++ thread_local destructors run before the first.
 */
#include "runtime/thread_hooks.h"

#include <limits.h>
#include <signal.h>

#include "core/small.h"
#include "runtime/deadlock.h"
#include "runtime/emit.h"
#include "runtime/hang.h"
#include "runtime/locks.h"
#include "runtime/misuse.h"
#include "runtime/mutex_state.h"
#include "runtime/real.h"
#include "runtime/signals.h"

static pthread_key_t end_key SN_HOT;
static int key_state SN_HOT; /* 0 none, 1 being made, 2 made, 3 there is no key left */
static __thread unsigned char rounds, over;

/* The kernel hands these to the next who locks, and all that the thread did comes before. */
static void give_robust(struct sn_thread *t)
{
    for (uint32_t i = t->nheld; i-- > 0;) {
        struct sn_held *h = &t->held[i];
        if (h->id == h->lock->id && (h->lock->type & SN_MUTEX_ROBUST) && sn_owns(t, h->lock))
            sn_lock_gives(t, h->lock, h, SN_EF_OWNER_DIED, t->pc);
    }
}

/* No signal comes to this thread any more: it could be put off only to a hook's end that never is.
 * glibc blocks them itself a moment later. */
static void block_signals(void)
{
    uint64_t all = ~(3ull << 31); /* but for glibc's own two, by which threads tell each other */
    sn_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &all, 0, sizeof all);
}

static void finish(struct sn_thread *t)
{
    block_signals();
    sn_hook_resume(t);
    over = 1;
    sn_wait_end(t);
    sn_misuse_thread_end(t);
    give_robust(t);
    sn_hang_thread_ends(t);
    SN_EMIT(t, END, .pc = t->pc);
    if (t->small)
        sn_small_end(t->small);
    t->small = 0;
    sn_signal_thread_end();
    sn_thread_finish(t);
}

/* Whatever calls were open are gone now: unwinding in C does not pop them. */
static void close_calls(struct sn_thread *t)
{
    t->sp = t->frames;
    sn_thread_has_calls(t);
}

static void on_round(void *p)
{
    struct sn_thread *t = sn_self;
    if (!t)
        return;
    if (rounds == 0)
        close_calls(t);
    if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(end_key, p) == 0)
        return;
    finish(t);
}

static bool make_key(void)
{
    int none = 0;
    if (__atomic_compare_exchange_n(&key_state, &none, 1, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        __atomic_store_n(&key_state, pthread_key_create(&end_key, on_round) == 0 ? 2 : 3,
                         __ATOMIC_RELEASE);
    while (__atomic_load_n(&key_state, __ATOMIC_ACQUIRE) == 1)
        sn_cpu_relax();
    return key_state == 2;
}

void sn_thread_end_arm(struct sn_thread *t)
{
    if (make_key())
        pthread_setspecific(end_key, t);
}

bool sn_thread_is_over(void)
{
    return over;
}
