/* model_wait.c: semaphores, barriers, once, and latches made of them. */
#include <errno.h>

#include "check/issue.h"
#include "check/lib.h"
#include "check/sync.h"

enum { TRY = 1, TIMED = 2 };

static struct sn_vsync *object_of(struct sn_call *c, enum sn_vsync_kind kind)
{
    struct sn_reg addr = sn_arg(c, 0);
    if (addr.u & SN_VAGUE) {
        sn_vague(c->vm, c->t);
        return NULL;
    }
    return sn_usable(c->vm, c->t, addr, 4, false) ? sn_vsync_at(c->vm, addr.v, kind) : NULL;
}

/* Library functions that report errors through errno. */
static enum sn_result failed(struct sn_call *c, int error)
{
    if (c->t->errno_addr != 0)
        sn_poke(c->vm, c->t->errno_addr, 4, (uint64_t)error);
    return sn_return(c, UINT32_MAX);
}

/* --- semaphores --- */

static enum sn_result m_sem_init(struct sn_call *c)
{
    struct sn_vsync *s = object_of(c, SN_VSYNC_SEM);
    if (s != NULL)
        s->value = (int64_t)(uint32_t)sn_arg(c, 2).v;
    return sn_return(c, 0);
}

static enum sn_result m_sem_wait(struct sn_call *c)
{
    struct sn_vsync *s = object_of(c, SN_VSYNC_SEM);
    int64_t how = sn_model_of(c)->extra;
    enum sn_result r;
    if (s == NULL)
        return sn_return(c, 0);
    if (sn_cancel_now(c->vm, c->t, &r))
        return r;
    if (s->value > 0) {
        s->value--;
        sn_vsync_acquire(c->vm, c->t, &s->clock);
        return sn_return(c, 0);
    }
    if (how & TRY)
        return failed(c, EAGAIN);
    if (c->t->timed_out)
        return failed(c, ETIMEDOUT);
    c->t->timed = how & TIMED;
    sn_task_block(c->vm, c->t, SN_WAIT_SEM, s, 0);
    return SN_BLOCK;
}

static enum sn_result m_sem_post(struct sn_call *c)
{
    struct sn_vsync *s = object_of(c, SN_VSYNC_SEM);
    if (s == NULL)
        return sn_return(c, 0);
    s->value++;
    sn_vsync_release(c->vm, c->t, &s->clock);
    sn_wake_all(c->vm, s);
    return sn_return(c, 0);
}

static enum sn_result m_sem_getvalue(struct sn_call *c)
{
    struct sn_vsync *s = object_of(c, SN_VSYNC_SEM);
    if (s != NULL)
        sn_store_slow(c->vm, c->t, sn_arg(c, 1), 4, SN_ACC_WRITE, (struct sn_reg){(uint32_t)s->value, 0});
    return sn_return(c, 0);
}

static enum sn_result m_sem_destroy(struct sn_call *c)
{
    struct sn_vsync *s = object_of(c, SN_VSYNC_SEM);
    if (s != NULL && sn_pick_waiter(c->vm, s, SN_WAIT_SEM) != NULL)
        sn_issue_misuse(c->vm, c->t, "semaphore is destroyed while a thread waits on it", sn_model_of(c)->name,
                        s->addr, NULL, NULL);
    return sn_return(c, 0);
}

/* sem_open(name, flags, mode, value): one semaphore per name. */
static enum sn_result m_sem_open(struct sn_call *c)
{
    struct sn_text name = sn_text_at(c->vm, c->t, sn_arg(c, 0), 255, false);
    if (!name.ok)
        return sn_return_input(c, 64);
    struct sn_libstate *lib = c->vm->lib;
    for (size_t k = 0; k < lib->nnamed; k++)
        if (lib->named_length[k] == name.n && sn_same_text(c->vm, lib->named[k], name.addr, name.n))
            return sn_return(c, lib->named_object[k]);
    uint32_t at = sn_simmem_take(&c->vm->mem, 32, 16, 0);
    if (at == 0 || lib->nnamed == SN_NAMED_MAX)
        return sn_return(c, 0);
    lib->named[lib->nnamed] = name.addr;
    lib->named_length[lib->nnamed] = name.n;
    lib->named_object[lib->nnamed++] = at;
    sn_vsync_at(c->vm, at, SN_VSYNC_SEM)->value = c->nargs > 3 ? (int64_t)(uint32_t)sn_arg(c, 3).v : 0;
    return sn_return(c, at);
}

/* --- barriers --- */

static enum sn_result m_barrier_init(struct sn_call *c)
{
    struct sn_vsync *s = object_of(c, SN_VSYNC_BARRIER);
    struct sn_reg n = sn_arg(c, 2);
    if (s != NULL) {
        s->value = n.u & SN_VAGUE ? 0 : (int64_t)(uint32_t)n.v;
        s->arrived = 0;
    }
    return sn_return(c, 0);
}

/* Everything before the barrier, in whichever thread, happens before everything behind it. The
 * clock of the arrivals becomes the clock that those who leave take over. */
enum sn_result sn_barrier_pass(struct sn_call *c, struct sn_vsync *s)
{
    struct sn_task *t = c->t;
    if (t->phase == 1 && t->scratch == s->generation) { /* woken too early: wait on */
        sn_task_block(c->vm, t, SN_WAIT_BARRIER, s, 0);
        return SN_BLOCK;
    }
    if (t->phase == 1) {
        sn_vsync_acquire(c->vm, t, &s->read_clock);
        return sn_return(c, 0);
    }
    sn_vsync_release(c->vm, t, &s->clock);
    if (++s->arrived < s->value) {
        t->phase = 1;
        t->scratch = s->generation;
        sn_task_block(c->vm, t, SN_WAIT_BARRIER, s, 0);
        return SN_BLOCK;
    }
    s->arrived = 0;
    s->generation++;
    sn_vclock_copy(&c->vm->arena, &s->read_clock, &s->clock);
    s->clock.n = 0;
    sn_vsync_acquire(c->vm, t, &s->read_clock);
    sn_wake_all(c->vm, s);
    return sn_return(c, UINT32_MAX); /* PTHREAD_BARRIER_SERIAL_THREAD */
}

static enum sn_result m_barrier_wait(struct sn_call *c)
{
    struct sn_vsync *s = object_of(c, SN_VSYNC_BARRIER);
    if (s != NULL && s->value > 0)
        return sn_barrier_pass(c, s);
    sn_vague(c->vm, c->t);
    return sn_return(c, 0);
}

static enum sn_result m_barrier_destroy(struct sn_call *c)
{
    struct sn_vsync *s = object_of(c, SN_VSYNC_BARRIER);
    if (s != NULL && s->arrived > 0)
        sn_issue_misuse(c->vm, c->t, "barrier is destroyed while threads wait at it", sn_model_of(c)->name,
                        s->addr, NULL, NULL);
    return sn_return(c, 0);
}

/* --- once --- */

enum { ONCE_NEW, ONCE_RUNNING, ONCE_DONE };

static enum sn_result once_returned(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k,
                                    struct sn_reg result)
{
    (void)result;
    struct sn_vsync *s = sn_vsync_at(vm, k->n[0], SN_VSYNC_ONCE);
    s->value = ONCE_DONE;
    s->owner = -1;
    sn_vsync_publish(vm, t, &s->clock);
    sn_wake_all(vm, s);
    t->phase = 0;
    k->result = (struct sn_reg){0, 0};
    return SN_DONE;
}

static enum sn_result m_once(struct sn_call *c)
{
    struct sn_vsync *s = object_of(c, SN_VSYNC_ONCE);
    struct sn_reg func = sn_arg(c, 1);
    if (s == NULL || func.u & SN_VAGUE)
        return sn_return(c, 0);
    if (s->value == ONCE_DONE) {
        sn_vsync_acquire(c->vm, c->t, &s->clock);
        return sn_return(c, 0);
    }
    if (s->value == ONCE_RUNNING) {
        sn_task_block(c->vm, c->t, SN_WAIT_ONCE, s, 0);
        sn_deadlock_check(c->vm, c->t);
        return SN_BLOCK;
    }
    s->value = ONCE_RUNNING;
    s->owner = (int32_t)c->t->id;
    sn_push_continuation(c->t, once_returned, c->dst)->n[0] = s->addr;
    return sn_call_back(c->vm, c->t, func.v, NULL, 0);
}

static enum sn_result m_zero(struct sn_call *c) { return sn_return(c, 0); }

#define P SN_MODEL_POINT
static const struct sn_model models[] = {
    {"sem_init", m_sem_init, 0, 0},
    {"sem_destroy", m_sem_destroy, P, 0},
    {"sem_wait", m_sem_wait, P, 0},
    {"sem_trywait", m_sem_wait, P, TRY},
    {"sem_timedwait", m_sem_wait, P, TIMED},
    {"sem_clockwait", m_sem_wait, P, TIMED},
    {"sem_post", m_sem_post, P, 0},
    {"sem_getvalue", m_sem_getvalue, P, 0},
    {"sem_open", m_sem_open, P, 0},
    {"sem_close", m_zero, 0, 0},
    {"sem_unlink", m_zero, 0, 0},
    {"pthread_barrier_init", m_barrier_init, 0, 0},
    {"pthread_barrier_wait", m_barrier_wait, P, 0},
    {"pthread_barrier_destroy", m_barrier_destroy, P, 0},
    {"pthread_barrierattr_init", m_zero, 0, 0},
    {"pthread_barrierattr_destroy", m_zero, 0, 0},
    {"pthread_barrierattr_setpshared", m_zero, 0, 0},
    {"pthread_once", m_once, P, 0},
    {"call_once", m_once, P, 0},
};
const struct sn_model_table sn_models_wait = {models, sizeof models / sizeof *models};
