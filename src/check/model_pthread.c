/*
 * model_pthread.c: threads: pthread and C11 creation, joining, cancellation, thread-specific data.
 * Locks are in model_lock.c, the end of a thread in exit.c.
 */
#include <errno.h>

#include "check/issue.h"
#include "check/lib.h"
#include "check/strategy.h"
#include "check/sync.h"

enum { C11_SUCCESS, C11_BUSY, C11_ERROR, C11_NOMEM, C11_TIMEDOUT }; /* glibc's thrd_… */

struct sn_task *sn_start_thread(struct sn_vm *vm, struct sn_task *t, struct sn_reg func,
                                const struct sn_reg *args, unsigned nargs)
{
    uint32_t f = func.u & SN_VAGUE ? SN_NONE : sn_func_at(vm->code, func.v);
    if (f == SN_NONE || vm->code->func[f].entry == SN_NONE) {
        sn_vague(vm, t); /* an uninterpreted start is ignored */
        return NULL;
    }
    struct sn_reg copy[8];
    nargs = nargs < 8 ? nargs : 8;
    for (unsigned k = 0; k < nargs; k++)
        copy[k] = args[k];
    struct sn_task *made = sn_task_new(vm, t, f, copy, nargs);
    if (made != NULL) {
        made->joinable = true;
        sn_push_continuation(made, sn_thread_returned, SN_NONE);
    }
    return made;
}

/* The new thread may run before its creator does anything more. */
enum sn_result sn_after_start(struct sn_call *c)
{
    return c->vm->strategy->point(c->vm, c->vm->strategy, c->t) ? SN_YIELD : SN_DONE;
}

struct sn_task *sn_task_of_handle(struct sn_vm *vm, uint64_t handle)
{
    return handle >= 1 && handle <= vm->ntask ? vm->task[handle - 1] : NULL;
}

#define ATTR_DETACHED 0x5e7ac4ed /* what the model leaves in a pthread_attr_t */

/* pthread_create(thread, attr, start, arg); thrd_create(thread, start, arg) has extra 1. */
static enum sn_result m_create(struct sn_call *c)
{
    bool c11 = sn_model_of(c)->extra != 0;
    struct sn_reg attr = c11 ? (struct sn_reg){0, 0} : sn_arg(c, 1);
    struct sn_reg func = sn_arg(c, c11 ? 1 : 2), arg = sn_arg(c, c11 ? 2 : 3), out = sn_arg(c, 0);
    struct sn_reg handle = {c->vm->ntask + 1, 0};
    bool detached = attr.u == 0 && attr.v != 0 && sn_peek(c->vm, attr.v, 4) == ATTR_DETACHED;
    if (!(out.u & SN_VAGUE) && sn_usable(c->vm, c->t, out, 8, true))
        sn_poke(c->vm, out.v, 8, handle.v);
    struct sn_task *made = sn_start_thread(c->vm, c->t, func, &arg, 1);
    if (made == NULL && c->vm->stop_reason != NULL)
        return SN_END;
    if (made != NULL)
        made->detached = detached;
    sn_return(c, 0);
    return sn_after_start(c);
}

static enum sn_result join_result(struct sn_call *c, struct sn_task *target, bool c11)
{
    struct sn_reg out = sn_arg(c, 1);
    sn_vsync_acquire(c->vm, c->t, &target->clock);
    target->joined = true;
    if (out.v != 0 || out.u != 0) {
        struct sn_reg v = target->result;
        sn_store_slow(c->vm, c->t, out, c11 ? 4 : 8, SN_ACC_WRITE, v);
    }
    return sn_return(c, 0);
}

static void bad_join(struct sn_call *c, const char *title)
{
    sn_issue_misuse(c->vm, c->t, title, sn_model_of(c)->name, 0, NULL, NULL);
}

static enum sn_result m_join(struct sn_call *c)
{
    struct sn_reg handle = sn_arg(c, 0);
    enum sn_result r;
    bool c11 = sn_model_of(c)->extra == 1, try = sn_model_of(c)->extra == 2;
    if (sn_cancel_now(c->vm, c->t, &r))
        return r;
    struct sn_task *target = handle.u & SN_VAGUE ? NULL : sn_task_of_handle(c->vm, handle.v);
    if (target == NULL) {
        sn_vague(c->vm, c->t); /* an uninterpreted join is ignored */
        return sn_return(c, 0);
    }
    if (target == c->t) {
        bad_join(c, "thread joins itself");
        return sn_return(c, EDEADLK);
    }
    if (target->joined || target->detached) {
        bad_join(c, target->joined ? "thread is joined twice" : "detached thread is joined");
        return sn_return(c, EINVAL);
    }
    if (target->state == SN_EXITED)
        return join_result(c, target, c11);
    if (try)
        return sn_return(c, EBUSY);
    sn_task_block(c->vm, c->t, SN_WAIT_JOIN, NULL, target->id);
    sn_deadlock_check(c->vm, c->t);
    return SN_BLOCK;
}

static enum sn_result m_detach(struct sn_call *c)
{
    struct sn_reg handle = sn_arg(c, 0);
    struct sn_task *target = handle.u & SN_VAGUE ? NULL : sn_task_of_handle(c->vm, handle.v);
    if (target != NULL && (target->joined || target->detached))
        bad_join(c, target->joined ? "joined thread is detached" : "thread is detached twice");
    if (target != NULL)
        target->detached = true;
    return sn_return(c, 0);
}

static enum sn_result m_self(struct sn_call *c) { return sn_return(c, SN_HANDLE(c->t)); }

static enum sn_result m_equal(struct sn_call *c)
{
    struct sn_reg a = sn_arg(c, 0), b = sn_arg(c, 1);
    c->ret = (struct sn_reg){a.v == b.v, a.u | b.u};
    return SN_DONE;
}

static enum sn_result m_cancel(struct sn_call *c)
{
    struct sn_reg handle = sn_arg(c, 0);
    struct sn_task *target = handle.u & SN_VAGUE ? NULL : sn_task_of_handle(c->vm, handle.v);
    if (target == NULL || target->state == SN_EXITED)
        return sn_return(c, 0);
    target->cancel_pending = true;
    bool at_cancellation_point = target->wait == SN_WAIT_COND || target->wait == SN_WAIT_JOIN ||
                                 target->wait == SN_WAIT_SEM || target->wait == SN_WAIT_EVENT;
    if (target->state == SN_BLOCKED && at_cancellation_point && !target->cancel_off)
        sn_task_wake(c->vm, target);
    return sn_return(c, 0);
}

static enum sn_result m_setcancelstate(struct sn_call *c)
{
    struct sn_reg state = sn_arg(c, 0), old = sn_arg(c, 1);
    if (old.v != 0)
        sn_store_slow(c->vm, c->t, old, 4, SN_ACC_WRITE, (struct sn_reg){c->t->cancel_off, 0});
    c->t->cancel_off = state.v != 0;
    return sn_return(c, 0);
}

static enum sn_result m_testcancel(struct sn_call *c)
{
    enum sn_result r;
    return sn_cancel_now(c->vm, c->t, &r) ? r : SN_DONE;
}

static enum sn_result m_setdetachstate(struct sn_call *c)
{
    struct sn_reg attr = sn_arg(c, 0);
    if (attr.u == 0)
        sn_poke(c->vm, attr.v, 4, sn_arg(c, 1).v == 1 ? ATTR_DETACHED : 0);
    return sn_return(c, 0);
}

static enum sn_result m_attr_init(struct sn_call *c)
{
    struct sn_reg attr = sn_arg(c, 0);
    if (attr.u == 0)
        sn_poke(c->vm, attr.v, 4, 0);
    return sn_return(c, 0);
}

static enum sn_result m_yield(struct sn_call *c)
{
    sn_return(c, 0);
    return SN_YIELD;
}

static enum sn_result m_zero(struct sn_call *c) { return sn_return(c, 0); }

/* --- thread-specific data --- */

static enum sn_result m_key_create(struct sn_call *c)
{
    struct sn_reg out = sn_arg(c, 0), dtor = sn_arg(c, 1);
    for (unsigned k = 0; k < SN_KEYS_MAX; k++) {
        struct sn_key *key = &c->vm->lib->key[k];
        if (key->used)
            continue;
        *key = (struct sn_key){true, dtor.u & SN_VAGUE ? 0 : dtor.v};
        sn_store_slow(c->vm, c->t, out, 4, SN_ACC_WRITE, (struct sn_reg){k, 0});
        return sn_return(c, 0);
    }
    return sn_return(c, sn_model_of(c)->extra ? C11_ERROR : EAGAIN);
}

static enum sn_result m_key_delete(struct sn_call *c)
{
    struct sn_reg k = sn_arg(c, 0);
    if (k.u == 0 && k.v < SN_KEYS_MAX)
        c->vm->lib->key[k.v].used = false;
    return sn_return(c, 0);
}

static enum sn_result m_setspecific(struct sn_call *c)
{
    struct sn_reg k = sn_arg(c, 0), v = sn_arg(c, 1);
    struct sn_task *t = c->t;
    if (k.u & SN_VAGUE || k.v >= SN_KEYS_MAX)
        return sn_return(c, 0);
    if (t->tsd == NULL) {
        t->tsd = sn_run_arena_take(&c->vm->arena, SN_KEYS_MAX * sizeof *t->tsd);
        t->ntsd = SN_KEYS_MAX;
    }
    t->tsd[k.v] = (struct sn_tsd){v.v, v.u};
    return sn_return(c, 0);
}

static enum sn_result m_getspecific(struct sn_call *c)
{
    struct sn_reg k = sn_arg(c, 0);
    if (k.u & SN_VAGUE)
        c->ret = (struct sn_reg){0, SN_UNKNOWN};
    else if (k.v < c->t->ntsd)
        c->ret = (struct sn_reg){c->t->tsd[k.v].value, c->t->tsd[k.v].taint};
    return SN_DONE;
}

static const struct sn_model models[] = {
    {"pthread_create", m_create, SN_MODEL_POINT | SN_MODEL_LOCAL, 0},
    {"thrd_create", m_create, SN_MODEL_POINT | SN_MODEL_LOCAL, 1},
    {"pthread_join", m_join, SN_MODEL_POINT | SN_MODEL_LOCAL, 0},
    {"pthread_timedjoin_np", m_join, SN_MODEL_POINT | SN_MODEL_LOCAL, 0},
    {"pthread_tryjoin_np", m_join, SN_MODEL_POINT | SN_MODEL_ANY, 2},
    {"thrd_join", m_join, SN_MODEL_POINT | SN_MODEL_LOCAL, 1},
    {"pthread_detach", m_detach, 0, 0},
    {"thrd_detach", m_detach, 0, 0},
    {"pthread_self", m_self, 0, 0},
    {"thrd_current", m_self, 0, 0},
    {"gettid", m_self, 0, 0},
    {"pthread_equal", m_equal, 0, 0},
    {"thrd_equal", m_equal, 0, 0},
    {"pthread_cancel", m_cancel, SN_MODEL_POINT | SN_MODEL_ANY, 0},
    {"pthread_setcancelstate", m_setcancelstate, 0, 0},
    {"pthread_setcanceltype", m_zero, 0, 0},
    {"pthread_testcancel", m_testcancel, SN_MODEL_POINT | SN_MODEL_LOCAL, 0},
    {"pthread_attr_init", m_attr_init, 0, 0},
    {"pthread_attr_setdetachstate", m_setdetachstate, 0, 0},
    {"pthread_attr_destroy", m_zero, 0, 0},
    {"pthread_attr_setstacksize", m_zero, 0, 0},
    {"pthread_attr_setstack", m_zero, 0, 0},
    {"pthread_attr_setguardsize", m_zero, 0, 0},
    {"pthread_attr_setscope", m_zero, 0, 0},
    {"pthread_attr_setschedpolicy", m_zero, 0, 0},
    {"pthread_attr_setschedparam", m_zero, 0, 0},
    {"pthread_attr_setinheritsched", m_zero, 0, 0},
    {"pthread_attr_setaffinity_np", m_zero, 0, 0},
    {"pthread_setname_np", m_zero, 0, 0},
    {"pthread_setaffinity_np", m_zero, 0, 0},
    {"pthread_setschedparam", m_zero, 0, 0},
    {"pthread_setschedprio", m_zero, 0, 0},
    {"pthread_setconcurrency", m_zero, 0, 0},
    {"pthread_atfork", m_zero, 0, 0},
    {"sched_setaffinity", m_zero, 0, 0},
    {"pthread_yield", m_yield, SN_MODEL_POINT | SN_MODEL_LOCAL, 0},
    {"sched_yield", m_yield, SN_MODEL_POINT | SN_MODEL_LOCAL, 0},
    {"thrd_yield", m_yield, SN_MODEL_POINT | SN_MODEL_LOCAL, 0},
    {"pthread_key_create", m_key_create, 0, 0},
    {"tss_create", m_key_create, 0, 1},
    {"pthread_key_delete", m_key_delete, 0, 0},
    {"tss_delete", m_key_delete, 0, 0},
    {"pthread_setspecific", m_setspecific, 0, 0},
    {"tss_set", m_setspecific, 0, 0},
    {"pthread_getspecific", m_getspecific, 0, 0},
    {"tss_get", m_getspecific, 0, 0},
};
const struct sn_model_table sn_models_pthread = {models, sizeof models / sizeof *models};
