/*
 * thread_join.c: join, detach and exit, POSIX and C11.
 *
 * The record is looked up before the real call, since afterwards the handle may be a new thread's.
 * A join is a cancellation point: the cleanup handler leaves the thread outside the hook and out of
 * the deadlock watch.
 */
#include "runtime/thread_hooks.h"

#include "runtime/deadlock.h"
#include "runtime/emit.h"
#include "runtime/misuse.h"
#include "runtime/real.h"

enum how { JOIN, TRY, TIMED, CLOCK, C11 };

struct join_call {
    enum how how;
    pthread_t handle;
    void **result;
    int *c11_result;
    clockid_t clock;
    const struct timespec *limit;
    uintptr_t pc;
    struct sn_thread *self, *child;
};

static int real_join(const struct join_call *c)
{
    switch (c->how) {
    case TRY:
        return sn_pass(pthread_tryjoin_np)(c->handle, c->result);
    case TIMED:
        return sn_pass(pthread_timedjoin_np)(c->handle, c->result, c->limit);
    case CLOCK:
        return sn_pass(pthread_clockjoin_np)(c->handle, c->result, c->clock, c->limit);
    case C11:
        return sn_pass(thrd_join)(c->handle, c->c11_result);
    default:
        return sn_pass(pthread_join)(c->handle, c->result);
    }
}

static void cancelled(void *p)
{
    const struct join_call *c = p;
    sn_wait_end(c->self);
    c->self->in_hook = 0;
}

static SN_NOINLINE int join_outside(struct join_call *c)
{
    volatile int r;
    pthread_cleanup_push(cancelled, c);
    SN_OUTSIDE(c->self, r, real_join(c));
    pthread_cleanup_pop(0);
    return r;
}

static void joined(const struct join_call *c, uint32_t number)
{
    struct sn_thread *t = c->self;
    SN_EMIT(t, JOIN, .value = number, .pc = c->pc);
    sn_thread_release(c->child);
}

/* r == 0 is success in both families (thrd_success is 0). */
static int join(struct join_call *c)
{
    struct sn_thread *t = sn_enter(c->pc);
    if (!t)
        return real_join(c);
    c->self = t;
    c->child = sn_thread_by_pthread((uintptr_t)c->handle);
    uint32_t number = c->child ? c->child->number : 0;
    struct sn_event ev = {.op = SN_EV_JOIN,
                          .addr = (uintptr_t)c->handle,
                          .size = (uint64_t)c->clock,
                          .value = number,
                          .pc = c->pc,
                          .arg = c->limit};
    if (c->how == TRY)
        ev.flags = SN_EF_TRY;
    else if (c->limit)
        ev.flags = SN_EF_TIMED;
    if (c->child && c->child != t && (c->how == JOIN || c->how == C11))
        sn_wait_join(t, c->child, sn_ctx_where(t, c->pc));
    int r = SN_GATED(t, &ev, join_outside(c));
    sn_wait_end(t);
    if (r == 0 && c->child && c->child->number == number)
        joined(c, number);
    else if (r != 0 && c->how == JOIN)
        sn_misuse_join(t, r, c->pc);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int pthread_join(pthread_t handle, void **result)
{
    return join(
        &(struct join_call){.how = JOIN, .handle = handle, .result = result, .pc = SN_CALLER});
}

SN_EXPORT int pthread_tryjoin_np(pthread_t handle, void **result)
{
    return join(
        &(struct join_call){.how = TRY, .handle = handle, .result = result, .pc = SN_CALLER});
}

SN_EXPORT int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *limit)
{
    return join(&(struct join_call){
        .how = TIMED, .handle = handle, .result = result, .limit = limit, .pc = SN_CALLER});
}

SN_EXPORT int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock,
                                   const struct timespec *limit)
{
    return join(&(struct join_call){.how = CLOCK,
                                    .handle = handle,
                                    .result = result,
                                    .clock = clock,
                                    .limit = limit,
                                    .pc = SN_CALLER});
}

SN_EXPORT int thrd_join(thrd_t handle, int *result)
{
    return join(
        &(struct join_call){.how = C11, .handle = handle, .c11_result = result, .pc = SN_CALLER});
}

static int detach(pthread_t handle, bool c11, uintptr_t pc)
{
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return c11 ? sn_pass(thrd_detach)(handle) : sn_pass(pthread_detach)(handle);
    struct sn_thread *child = sn_thread_by_pthread((uintptr_t)handle);
    int r = c11 ? sn_real.thrd_detach(handle) : sn_real.pthread_detach(handle);
    if (r == 0 && child) {
        SN_EMIT(t, DETACH, .value = child->number, .pc = pc);
        sn_thread_release(child);
    } else if (r != 0 && !c11) {
        sn_misuse_detach(t, r, pc);
    }
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int pthread_detach(pthread_t handle)
{
    return detach(handle, false, SN_CALLER);
}

SN_EXPORT int thrd_detach(thrd_t handle)
{
    return detach(handle, true, SN_CALLER);
}

/* Only the main thread's key is not armed yet: it has an end of its own only when it leaves so. */
static void arm_end(uintptr_t pc)
{
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return;
    sn_thread_end_arm(t);
    sn_hook_leave(t);
}

SN_EXPORT void pthread_exit(void *result)
{
    arm_end(SN_CALLER);
    sn_pass(pthread_exit)(result);
    __builtin_unreachable();
}

SN_EXPORT void thrd_exit(int result)
{
    arm_end(SN_CALLER);
    sn_pass(thrd_exit)(result);
    __builtin_unreachable();
}
