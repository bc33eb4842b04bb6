/*
 * cancel.c: cancelling threads. How a thread wants to be cancelled is noted: an engine that holds
 * threads must know whether one can be torn out of its hands.
 */
#include <pthread.h>

#include "runtime/emit.h"
#include "runtime/real.h"

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
    if (type == PTHREAD_CANCEL_ASYNCHRONOUS)
        set_mode(SN_CANCEL_ASYNCHRONOUS, true);
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
