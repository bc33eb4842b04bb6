/* thread_cancel.c: pthread_cancel: a scheduler must let a thread go that waits in its hands. */
#include "runtime/emit.h"
#include "runtime/real.h"

SN_EXPORT int pthread_cancel(pthread_t handle)
{
    struct sn_thread *t = sn_engine_gates ? sn_enter(SN_CALLER) : 0;
    if (!t)
        return sn_pass(pthread_cancel)(handle);
    struct sn_thread *other = sn_thread_by_pthread((uintptr_t)handle);
    int r = sn_real.pthread_cancel(handle);
    if (r == 0 && other)
        SN_EMIT(t, CANCEL, .value = other->number, .pc = SN_CALLER);
    sn_hook_leave(t);
    return r;
}
