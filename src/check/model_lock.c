/*
 * model_lock.c: mutexes, spin locks, read-write locks and condition variables, of pthread and C11.
 * Semaphores, barriers and once are in model_wait.c.
 *
 * A call on an uninterpreted lock is ignored (the paper's section 3.5). The lock's first byte counts
 * as read atomically by every use and as written by init and destroy, so that using a lock that
 * somebody else initialises or destroys at the same time is a race.
 */
#include <errno.h>

#include "check/history.h"
#include "check/issue.h"
#include "check/lib.h"
#include "check/sync.h"

enum { C11 = 1, TRY = 2, TIMED = 4, SHARED = 8, SPIN = 16, BROADCAST = 32, RWLOCK = 64, RECURSIVE = 128 };
enum { C11_BUSY = 1, C11_ERROR = 2, C11_TIMEDOUT = 4 };

static int64_t how(const struct sn_call *c) { return sn_model_of(c)->extra; }

static enum sn_result fail(struct sn_call *c, int error)
{
    if (how(c) & C11)
        error = error == EBUSY ? C11_BUSY : error == ETIMEDOUT ? C11_TIMEDOUT : C11_ERROR;
    return sn_return(c, (uint64_t)(uint32_t)error);
}

/* glibc keeps a mutex's type at this place; a static initialiser sets it. */
#define KIND_OFFSET 16
#define ATTR_MARK 0x5e7a0000u /* what the models leave in a pthread_mutexattr_t, with the type */
#define ATTR_ROBUST 0x100u

static enum sn_mutex_type static_type(const struct sn_vm *vm, uint64_t addr)
{
    bool plain = sn_range_ok(&vm->mem, addr, KIND_OFFSET + 4) &&
                 sn_range_tags(&vm->mem, addr, KIND_OFFSET + 4) == 0;
    uint64_t kind = plain ? sn_peek(vm, addr + KIND_OFFSET, 4) & 3 : 0;
    return kind == 1 ? SN_MUTEX_RECURSIVE : kind == 2 ? SN_MUTEX_CHECKED : SN_MUTEX_NORMAL;
}

static void lock_byte(struct sn_vm *vm, struct sn_task *t, uint64_t addr, bool write)
{
    if (vm->concurrent)
        sn_vhistory_access(vm, t, addr, 1, write ? SN_ACC_WRITE : SN_ACC_ATOMIC);
}

/* The lock that argument k names; null when the call is to be ignored. */
static struct sn_vsync *lock_of(struct sn_call *c, unsigned k, enum sn_vsync_kind kind)
{
    struct sn_reg addr = sn_arg(c, k);
    if (addr.u & SN_VAGUE || !sn_usable(c->vm, c->t, addr, 4, false)) {
        if (addr.u & SN_VAGUE)
            sn_vague(c->vm, c->t);
        return NULL;
    }
    struct sn_vsync *s = sn_vsync_find(c->vm, addr.v, kind);
    if (s == NULL) {
        s = sn_vsync_at(c->vm, addr.v, kind);
        if (kind == SN_VSYNC_MUTEX && how(c) & RECURSIVE)
            s->type = SN_MUTEX_RECURSIVE;
        else if (kind == SN_VSYNC_MUTEX && !(how(c) & SPIN))
            s->type = static_type(c->vm, addr.v);
    }
    if (c->t->phase == 0)
        lock_byte(c->vm, c->t, addr.v, false);
    if (s->destroyed) {
        sn_issue_misuse(c->vm, c->t, "use of a destroyed lock", sn_model_of(c)->name, addr.v, &s->gone, "destroyed here");
        s->destroyed = false;
    }
    return s;
}

static enum sn_vsync_kind kind_of(const struct sn_call *c) { return how(c) & RWLOCK ? SN_VSYNC_RWLOCK : SN_VSYNC_MUTEX; }

/* --- init and destroy --- */

static void reset_lock(struct sn_vsync *s)
{
    s->owner = -1;
    s->depth = s->nreader = 0;
    s->destroyed = s->robust = false;
    s->value = 0;
    s->type = SN_MUTEX_NORMAL;
}

static void apply_attributes(struct sn_call *c, struct sn_vsync *s)
{
    struct sn_reg attr = sn_arg(c, 1);
    if (how(c) & RECURSIVE) {
        s->type = SN_MUTEX_RECURSIVE;
        return;
    }
    if (how(c) & C11) { /* mtx_init(mutex, type) */
        s->type = attr.v & 1 ? SN_MUTEX_RECURSIVE : SN_MUTEX_NORMAL;
        return;
    }
    if (how(c) & (SPIN | RWLOCK) || attr.u != 0 || attr.v == 0)
        return;
    uint64_t mark = sn_peek(c->vm, attr.v, 4);
    if ((mark & 0xffff0000u) != ATTR_MARK)
        return;
    s->type = (mark & 3) == 1 ? SN_MUTEX_RECURSIVE : (mark & 3) == 2 ? SN_MUTEX_CHECKED : SN_MUTEX_NORMAL;
    s->robust = mark & ATTR_ROBUST;
}

static enum sn_result m_init(struct sn_call *c)
{
    struct sn_reg addr = sn_arg(c, 0);
    if (addr.u & SN_VAGUE || !sn_usable(c->vm, c->t, addr, 4, true))
        return sn_return(c, 0);
    struct sn_vsync *s = sn_vsync_at(c->vm, addr.v, kind_of(c));
    if (s->owner >= 0 || s->nreader > 0)
        sn_issue_misuse(c->vm, c->t, "lock is initialised while it is held", sn_model_of(c)->name, addr.v, &s->taken, "locked here");
    lock_byte(c->vm, c->t, addr.v, true);
    reset_lock(s);
    apply_attributes(c, s);
    sn_poke(c->vm, addr.v, 4, 0);
    return sn_return(c, 0);
}

static enum sn_result m_destroy(struct sn_call *c)
{
    struct sn_reg addr = sn_arg(c, 0);
    if (addr.u & SN_VAGUE || !sn_usable(c->vm, c->t, addr, 4, true))
        return sn_return(c, 0);
    struct sn_vsync *s = sn_vsync_at(c->vm, addr.v, kind_of(c));
    const char *name = sn_model_of(c)->name;
    lock_byte(c->vm, c->t, addr.v, true);
    if (s->destroyed)
        sn_issue_misuse(c->vm, c->t, "lock is destroyed twice", name, addr.v, &s->gone, "destroyed here");
    else if (s->owner >= 0 || s->nreader > 0)
        sn_issue_misuse(c->vm, c->t, "lock is destroyed while it is held", name, addr.v, &s->taken, "locked here");
    s->destroyed = true;
    s->gone = sn_task_place(c->t);
    return sn_return(c, 0);
}

static enum sn_result m_mutexattr_init(struct sn_call *c)
{
    if (sn_arg(c, 0).u == 0)
        sn_poke(c->vm, sn_arg(c, 0).v, 4, ATTR_MARK);
    return sn_return(c, 0);
}

static enum sn_result m_mutexattr_set(struct sn_call *c)
{
    struct sn_reg attr = sn_arg(c, 0), v = sn_arg(c, 1);
    if (attr.u != 0)
        return sn_return(c, 0);
    uint64_t mark = sn_peek(c->vm, attr.v, 4);
    mark = (mark & 0xffff0000u) == ATTR_MARK ? mark : ATTR_MARK;
    if (how(c) == 0)
        mark = (mark & ~3ull) | (v.v & 3);
    else if (v.v == 1)
        mark |= ATTR_ROBUST;
    sn_poke(c->vm, attr.v, 4, mark);
    return sn_return(c, 0);
}

/* --- lock and unlock --- */

static enum sn_result taken(struct sn_call *c, struct sn_vsync *s)
{
    bool died = s->robust && s->value == 1;
    sn_lock_take(c->vm, c->t, s, how(c) & SHARED);
    s->value = 0;
    return sn_return(c, died ? EOWNERDEAD : 0);
}

static enum sn_result again(struct sn_call *c, struct sn_vsync *s)
{
    if (s->type == SN_MUTEX_RECURSIVE) {
        s->depth++;
        return sn_return(c, 0);
    }
    if (how(c) & TRY)
        return fail(c, EBUSY);
    if (s->type == SN_MUTEX_CHECKED)
        return fail(c, EDEADLK);
    if (how(c) & TIMED) /* a read-write lock of glibc sees it at once, a mutex waits in vain */
        return fail(c, how(c) & RWLOCK ? EDEADLK : ETIMEDOUT);
    return sn_lock_wait(c->vm, c->t, s); /* for itself */
}

static enum sn_result m_lock(struct sn_call *c)
{
    struct sn_vsync *s = lock_of(c, 0, kind_of(c));
    if (s == NULL)
        return sn_return(c, 0);
    if (s->owner == (int32_t)c->t->id)
        return again(c, s);
    if (sn_lock_free_for(s, c->t, how(c) & SHARED))
        return taken(c, s);
    if (how(c) & TRY)
        return fail(c, EBUSY);
    if (c->t->timed_out)
        return fail(c, ETIMEDOUT);
    c->t->timed = how(c) & TIMED;
    return sn_lock_wait(c->vm, c->t, s);
}

static void bad_unlock(struct sn_call *c, struct sn_vsync *s)
{
    bool foreign = s->owner >= 0 || s->nreader > 0;
    if (s->type == SN_MUTEX_CHECKED)
        return; /* asks for the error code */
    sn_issue_misuse(c->vm, c->t, foreign ? "unlock by a thread that does not hold the lock"
                                         : "unlock of a lock that nobody holds",
                    sn_model_of(c)->name, s->addr, foreign ? &s->taken : NULL, "locked here");
}

static enum sn_result m_unlock(struct sn_call *c)
{
    struct sn_vsync *s = lock_of(c, 0, kind_of(c));
    if (s == NULL)
        return sn_return(c, 0);
    if (!sn_held_by(s, c->t)) {
        bad_unlock(c, s);
        return fail(c, EPERM);
    }
    if (s->owner == (int32_t)c->t->id && s->depth > 1) {
        s->depth--;
        return sn_return(c, 0);
    }
    sn_lock_give(c->vm, c->t, s);
    return sn_return(c, 0);
}

/* --- condition variables --- */

static enum sn_result take_back(struct sn_call *c, struct sn_vsync *m)
{
    if (!sn_lock_free_for(m, c->t, false))
        return sn_lock_wait(c->vm, c->t, m);
    uint32_t depth = (uint32_t)c->t->scratch;
    bool late = c->t->timed_out;
    sn_lock_take(c->vm, c->t, m, false);
    m->depth = depth;
    enum sn_result r;
    if (sn_cancel_now(c->vm, c->t, &r))
        return r;
    return late ? fail(c, ETIMEDOUT) : sn_return(c, 0);
}

/* First the mutex is given up and the task waits; woken or timed out, it takes the mutex again. */
static enum sn_result m_cond_wait(struct sn_call *c)
{
    struct sn_vsync *cond = lock_of(c, 0, SN_VSYNC_COND), *m = lock_of(c, 1, SN_VSYNC_MUTEX);
    struct sn_task *t = c->t;
    if (cond == NULL || m == NULL)
        return sn_return(c, 0);
    if (t->phase == 1) {
        t->timed = false;
        return take_back(c, m);
    }
    enum sn_result r;
    if (sn_cancel_now(c->vm, t, &r))
        return r;
    if (m->owner != (int32_t)t->id) {
        sn_issue_misuse(c->vm, t, "condition wait without holding the mutex", sn_model_of(c)->name, m->addr, NULL, NULL);
        if (sn_lock_free_for(m, t, false)) /* what really happens: it comes back with the mutex */
            sn_lock_take(c->vm, t, m, false);
        return fail(c, EPERM);
    }
    for (size_t k = 0; k < c->vm->ntask; k++) {
        const struct sn_task *w = c->vm->task[k];
        if (w->state == SN_BLOCKED && w->wait == SN_WAIT_COND && w->wait_sync == cond && w->cond_mutex != m->addr)
            sn_issue_misuse(c->vm, t, "threads wait on one condition variable with different mutexes",
                            sn_model_of(c)->name, cond->addr, NULL, NULL);
    }
    t->cond_mutex = m->addr;
    t->scratch = m->depth;
    t->phase = 1;
    t->timed = how(c) & TIMED;
    sn_lock_give(c->vm, t, m);
    sn_task_block(c->vm, t, SN_WAIT_COND, cond, 0);
    return SN_BLOCK;
}

static enum sn_result m_cond_signal(struct sn_call *c)
{
    struct sn_vsync *cond = lock_of(c, 0, SN_VSYNC_COND);
    if (cond == NULL)
        return sn_return(c, 0);
    struct sn_task *w = sn_pick_waiter(c->vm, cond, SN_WAIT_COND);
    while (w != NULL) {
        sn_task_wake(c->vm, w);
        w->timed = false;
        w = how(c) & BROADCAST ? sn_pick_waiter(c->vm, cond, SN_WAIT_COND) : NULL;
    }
    return sn_return(c, 0);
}

static enum sn_result m_cond_init(struct sn_call *c)
{
    struct sn_reg addr = sn_arg(c, 0);
    if (addr.u & SN_VAGUE || !sn_usable(c->vm, c->t, addr, 4, true))
        return sn_return(c, 0);
    lock_byte(c->vm, c->t, addr.v, true);
    sn_vsync_at(c->vm, addr.v, SN_VSYNC_COND)->destroyed = false;
    sn_poke(c->vm, addr.v, 4, 0);
    return sn_return(c, 0);
}

static enum sn_result m_cond_destroy(struct sn_call *c)
{
    struct sn_reg addr = sn_arg(c, 0);
    if (addr.u & SN_VAGUE || !sn_usable(c->vm, c->t, addr, 4, true))
        return sn_return(c, 0);
    struct sn_vsync *s = sn_vsync_at(c->vm, addr.v, SN_VSYNC_COND);
    lock_byte(c->vm, c->t, addr.v, true);
    if (sn_pick_waiter(c->vm, s, SN_WAIT_COND) != NULL)
        sn_issue_misuse(c->vm, c->t, "condition variable is destroyed while a thread waits on it",
                        sn_model_of(c)->name, addr.v, NULL, NULL);
    s->destroyed = true;
    s->gone = sn_task_place(c->t);
    return sn_return(c, 0);
}

/* std::condition_variable::wait(this, unique_lock &): the lock's first word is the mutex. */
static enum sn_result m_cxx_wait(struct sn_call *c)
{
    struct sn_reg guard = sn_arg(c, 1);
    struct sn_reg args[2] = {sn_arg(c, 0), {sn_peek(c->vm, guard.v, 8), guard.u}};
    struct sn_call inner = *c;
    inner.arg = args;
    inner.nargs = 2;
    enum sn_result r = m_cond_wait(&inner);
    c->ret = inner.ret;
    return r;
}

/* GLib's functions that say TRUE where the others say 0. */
static enum sn_result say_true(struct sn_call *c, enum sn_result r)
{
    if (r == SN_DONE)
        c->ret = (struct sn_reg){c->ret.v == 0, c->ret.u};
    return r;
}

static enum sn_result m_glib_trylock(struct sn_call *c) { return say_true(c, m_lock(c)); }
static enum sn_result m_glib_wait_until(struct sn_call *c) { return say_true(c, m_cond_wait(c)); }

static enum sn_result m_zero(struct sn_call *c) { return sn_return(c, 0); }

#define P SN_MODEL_POINT
static const struct sn_model models[] = {
    {"pthread_mutex_init", m_init, 0, 0},
    {"pthread_mutex_destroy", m_destroy, P, 0},
    {"pthread_mutex_lock", m_lock, P, 0},
    {"pthread_mutex_trylock", m_lock, P, TRY},
    {"pthread_mutex_timedlock", m_lock, P, TIMED},
    {"pthread_mutex_clocklock", m_lock, P, TIMED},
    {"pthread_mutex_unlock", m_unlock, P, 0},
    {"pthread_mutex_consistent", m_zero, 0, 0},
    {"pthread_mutexattr_init", m_mutexattr_init, 0, 0},
    {"pthread_mutexattr_settype", m_mutexattr_set, 0, 0},
    {"pthread_mutexattr_setrobust", m_mutexattr_set, 0, 1},
    {"pthread_mutexattr_setpshared", m_zero, 0, 0},
    {"pthread_mutexattr_setprotocol", m_zero, 0, 0},
    {"pthread_mutexattr_setprioceiling", m_zero, 0, 0},
    {"pthread_mutexattr_destroy", m_zero, 0, 0},
    {"pthread_spin_init", m_init, 0, SPIN},
    {"pthread_spin_destroy", m_destroy, P, SPIN},
    {"pthread_spin_lock", m_lock, P, SPIN},
    {"pthread_spin_trylock", m_lock, P, SPIN | TRY},
    {"pthread_spin_unlock", m_unlock, P, SPIN},
    {"pthread_rwlock_init", m_init, 0, RWLOCK},
    {"pthread_rwlock_destroy", m_destroy, P, RWLOCK},
    {"pthread_rwlock_rdlock", m_lock, P | SN_MODEL_SHARED, RWLOCK | SHARED},
    {"pthread_rwlock_wrlock", m_lock, P, RWLOCK},
    {"pthread_rwlock_tryrdlock", m_lock, P | SN_MODEL_SHARED, RWLOCK | SHARED | TRY},
    {"pthread_rwlock_trywrlock", m_lock, P, RWLOCK | TRY},
    {"pthread_rwlock_timedrdlock", m_lock, P | SN_MODEL_SHARED, RWLOCK | SHARED | TIMED},
    {"pthread_rwlock_timedwrlock", m_lock, P, RWLOCK | TIMED},
    {"pthread_rwlock_clockrdlock", m_lock, P | SN_MODEL_SHARED, RWLOCK | SHARED | TIMED},
    {"pthread_rwlock_clockwrlock", m_lock, P, RWLOCK | TIMED},
    {"pthread_rwlock_unlock", m_unlock, P, RWLOCK},
    {"pthread_rwlockattr_init", m_zero, 0, 0},
    {"pthread_rwlockattr_destroy", m_zero, 0, 0},
    {"pthread_rwlockattr_setkind_np", m_zero, 0, 0},
    {"pthread_rwlockattr_setpshared", m_zero, 0, 0},
    {"pthread_cond_init", m_cond_init, 0, 0},
    {"pthread_cond_destroy", m_cond_destroy, P, 0},
    {"pthread_cond_wait", m_cond_wait, P | SN_MODEL_BOTH, 0},
    {"pthread_cond_timedwait", m_cond_wait, P | SN_MODEL_BOTH, TIMED},
    {"pthread_cond_clockwait", m_cond_wait, P | SN_MODEL_BOTH, TIMED},
    {"pthread_cond_signal", m_cond_signal, P, 0},
    {"pthread_cond_broadcast", m_cond_signal, P, BROADCAST},
    {"pthread_condattr_init", m_zero, 0, 0},
    {"pthread_condattr_destroy", m_zero, 0, 0},
    {"pthread_condattr_setclock", m_zero, 0, 0},
    {"pthread_condattr_setpshared", m_zero, 0, 0},
    {"mtx_init", m_init, 0, C11},
    {"mtx_destroy", m_destroy, P, C11},
    {"mtx_lock", m_lock, P, C11},
    {"mtx_trylock", m_lock, P, C11 | TRY},
    {"mtx_timedlock", m_lock, P, C11 | TIMED},
    {"mtx_unlock", m_unlock, P, C11},
    {"cnd_init", m_cond_init, 0, C11},
    {"cnd_destroy", m_cond_destroy, P, C11},
    {"cnd_wait", m_cond_wait, P | SN_MODEL_BOTH, C11},
    {"cnd_timedwait", m_cond_wait, P | SN_MODEL_BOTH, C11 | TIMED},
    {"cnd_signal", m_cond_signal, P, C11},
    {"cnd_broadcast", m_cond_signal, P, C11 | BROADCAST},
    {"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", m_cxx_wait, P | SN_MODEL_ANY, 0},
    {"_ZNSt18condition_variable10notify_oneEv", m_cond_signal, P, 0},
    {"_ZNSt18condition_variable10notify_allEv", m_cond_signal, P, BROADCAST},
    {"_ZNSt18condition_variableC1Ev", m_cond_init, 0, 0},
    {"_ZNSt18condition_variableD1Ev", m_cond_destroy, P, 0},
    {"g_mutex_init", m_init, 0, SPIN},
    {"g_mutex_clear", m_destroy, P, SPIN},
    {"g_mutex_lock", m_lock, P, SPIN},
    {"g_mutex_trylock", m_glib_trylock, P, SPIN | TRY},
    {"g_mutex_unlock", m_unlock, P, SPIN},
    {"g_rec_mutex_init", m_init, 0, SPIN | RECURSIVE},
    {"g_rec_mutex_clear", m_destroy, P, SPIN | RECURSIVE},
    {"g_rec_mutex_lock", m_lock, P, SPIN | RECURSIVE},
    {"g_rec_mutex_trylock", m_glib_trylock, P, SPIN | RECURSIVE | TRY},
    {"g_rec_mutex_unlock", m_unlock, P, SPIN | RECURSIVE},
    {"g_rw_lock_init", m_init, 0, RWLOCK},
    {"g_rw_lock_clear", m_destroy, P, RWLOCK},
    {"g_rw_lock_reader_lock", m_lock, P | SN_MODEL_SHARED, RWLOCK | SHARED},
    {"g_rw_lock_writer_lock", m_lock, P, RWLOCK},
    {"g_rw_lock_reader_trylock", m_glib_trylock, P | SN_MODEL_SHARED, RWLOCK | SHARED | TRY},
    {"g_rw_lock_writer_trylock", m_glib_trylock, P, RWLOCK | TRY},
    {"g_rw_lock_reader_unlock", m_unlock, P | SN_MODEL_SHARED, RWLOCK},
    {"g_rw_lock_writer_unlock", m_unlock, P, RWLOCK},
    {"g_cond_init", m_cond_init, 0, 0},
    {"g_cond_clear", m_cond_destroy, P, 0},
    {"g_cond_wait", m_cond_wait, P | SN_MODEL_BOTH, SPIN},
    {"g_cond_wait_until", m_glib_wait_until, P | SN_MODEL_BOTH, SPIN | TIMED},
    {"g_cond_signal", m_cond_signal, P, 0},
    {"g_cond_broadcast", m_cond_signal, P, BROADCAST},
};
const struct sn_model_table sn_models_lock = {models, sizeof models / sizeof *models};
