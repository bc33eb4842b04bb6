/*
 * cancel.c: cancelling threads. How a thread wants to be cancelled is noted: an engine that holds
 * threads must know whether one can be torn out of its hands.
 *
 * Asynchronous cancellation is a signal of glibc's own whose handler unwinds the thread from where
 * it is. Were that inside snag, a lock of snag's would stay taken for ever, so snag's entry stands
 * before that handler and puts it off as it does for the program's signals (signal.c).
 */
#include <pthread.h>

#include "runtime/emit.h"
#include "runtime/real.h"
#include "runtime/signals.h"

enum { CANCEL_SIGNAL = 32 }; /* glibc's SIGCANCEL */

/* As the kernel has it, for the raw system call. */
static struct action {
    sn_signal_handler *fn;
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
} theirs;

/* The mask is the interrupted code's again when this has returned: then the signal comes. */
static void send_again(int sig, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    sn_sys3(SYS_tgkill, sn_sys0(SYS_getpid), sn_sys0(SYS_gettid), sig);
}

static void entry(int sig, siginfo_t *info, void *context)
{
    struct sn_thread *t = sn_self;
    if (!sn_signal_inside(t) || !sn_signal_put_off(t, send_again, sig, info, context))
        theirs.fn(sig, info, context);
}

/* A thread of snag's own that lives until it is told to end. It comes to no hook, and is cancelled
 * only by name: unwinding it would load a library, and a scheduler would get to see all that. */
struct idler {
    int tid;  /* 0: it may be cancelled in earnest yet; release: pairs with await() */
    int told; /* release: pairs with idle() */
};

static void *idle(void *arg)
{
    struct idler *me = arg;
    sn_pass(pthread_setcancelstate)(PTHREAD_CANCEL_DISABLE, 0);
    __atomic_store_n(&me->tid, (int)sn_sys0(SYS_gettid), __ATOMIC_RELEASE);
    while (!__atomic_load_n(&me->told, __ATOMIC_ACQUIRE))
        sn_sys0(SYS_sched_yield);
    return 0;
}

/* By yielding: who sleeps here would be taken for one that waits for other threads. */
static int await(const struct idler *i)
{
    int tid;
    while (!(tid = __atomic_load_n(&i->tid, __ATOMIC_ACQUIRE)))
        sn_sys0(SYS_sched_yield);
    return tid;
}

/* glibc installs its handler when pthread_cancel() is first called for a thread that lives. */
static void make_them_install(void)
{
    pthread_t t;
    struct idler i = {0};
    if (sn_pass(pthread_create)(&t, 0, idle, &i))
        return;
    int tid = await(&i);
    sn_pass(pthread_cancel)(t);
    __atomic_store_n(&i.told, 1, __ATOMIC_RELEASE);
    while (sn_sys3(SYS_tgkill, sn_sys0(SYS_getpid), tid, 0) == 0)
        sn_sys0(SYS_sched_yield);
    sn_pass(pthread_join)(t, 0);
}

static void stand_before(void)
{
    struct action ours;
    make_them_install();
    if (sn_sys4(SYS_rt_sigaction, CANCEL_SIGNAL, 0, &ours, sizeof ours.mask) || !ours.fn)
        return;
    theirs = ours;
    ours.fn = entry;
    sn_sys4(SYS_rt_sigaction, CANCEL_SIGNAL, &ours, 0, sizeof ours.mask);
}

/* A thread that was cancelled may wake from a wait that nothing else would end (hang.c). */
SN_EXPORT int pthread_cancel(pthread_t handle)
{
    struct sn_thread *t = sn_hook_enter(SN_CALLER);
    if (!t)
        return sn_pass(pthread_cancel)(handle);
    struct sn_thread *other = sn_thread_by_pthread((uintptr_t)handle);
    int r;
    if (other)
        __atomic_store_n(&other->cancelled, 1, __ATOMIC_SEQ_CST);
    uint32_t number = other ? other->number : 0;
    SN_OUTSIDE(t, r, sn_real.pthread_cancel(handle)); /* of itself it may not come back */
    if (r == 0 && other)
        SN_EMIT(t, CANCEL, .value = number, .pc = SN_CALLER);
    sn_hook_leave(t);
    return r;
}

static void set_mode(uint32_t bit, bool on)
{
    struct sn_thread *t = sn_self;
    if (t)
        t->cancel_mode = on ? t->cancel_mode | bit : t->cancel_mode & ~bit;
}

SN_EXPORT int pthread_setcancelstate(int state, int *old)
{
    int r = sn_pass(pthread_setcancelstate)(state, old);
    if (r == 0)
        set_mode(SN_CANCEL_DISABLED, state == PTHREAD_CANCEL_DISABLE);
    return r;
}

/* From asynchronous on, the thread may end inside the call. */
SN_EXPORT int pthread_setcanceltype(int type, int *old)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (type == PTHREAD_CANCEL_ASYNCHRONOUS) {
        sn_pass(pthread_once)(&once, stand_before);
        set_mode(SN_CANCEL_ASYNCHRONOUS, true);
    }
    int r = sn_pass(pthread_setcanceltype)(type, old);
    if (r == 0 && type == PTHREAD_CANCEL_DEFERRED)
        set_mode(SN_CANCEL_ASYNCHRONOUS, false);
    return r;
}

/* Threads that compute until they are cancelled come by here. */
SN_EXPORT void pthread_testcancel(void)
{
    struct sn_thread *t = sn_engine_gates ? sn_hook_enter(SN_CALLER) : 0;
    struct sn_event ev = {.op = SN_EV_YIELD, .pc = SN_CALLER};
    if (t) {
        sn_gate(t, &ev);
        sn_hook_leave(t);
    }
    sn_pass(pthread_testcancel)();
}
