/*
 * semaphore.c: unnamed and named semaphores. A post happens before the wait that takes it, and
 * since a wait cannot know whose post it took, before every later wait. errno is the real call's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <time.h>

#include "runtime/deadlock.h"
#include "runtime/emit.h"
#include "runtime/misuse.h"
#include "runtime/real.h"

enum how { WAIT, TRY, TIMED, CLOCK };

struct sem_call {
    sem_t *sem;
    enum how how;
    clockid_t clock;
    const struct timespec *limit;
    uintptr_t pc;
};

static int real_wait(const struct sem_call *c)
{
    switch (c->how) {
    case TRY:
        return sn_pass(sem_trywait)(c->sem);
    case TIMED:
        return sn_pass(sem_timedwait)(c->sem, c->limit);
    case CLOCK:
        return sn_pass(sem_clockwait)(c->sem, c->clock, c->limit);
    default:
        return sn_pass(sem_wait)(c->sem);
    }
}

static void cancelled(void *p)
{
    struct sn_thread *t = p;
    sn_wait_end(t);
    t->in_hook = 0;
}

/* A wait without a limit is watched. It is tried first, so that only one that blocks pays for it;
 * the try leaves errno alone when the wait then decides it. */
static SN_NOINLINE int wait_watched(struct sn_thread *t, const struct sem_call *c)
{
    struct sn_sync *s = sn_sync_get((uintptr_t)c->sem, SN_SYNC_SEM);
    uint32_t seen = s ? __atomic_load_n(&s->given, __ATOMIC_SEQ_CST) : 0;
    int saved = errno;
    volatile int r;
    if (sn_real.sem_trywait(c->sem) == 0)
        return 0;
    errno = saved;
    if (s)
        sn_wait_message(t, s, seen, sn_ctx_where(t, c->pc));
    pthread_cleanup_push(cancelled, t);
    SN_OUTSIDE(t, r, real_wait(c));
    pthread_cleanup_pop(0);
    sn_wait_end(t);
    return r;
}

static int wait_outside(struct sn_thread *t, const struct sem_call *c)
{
    int r;
    if (c->how == WAIT)
        return wait_watched(t, c);
    SN_OUTSIDE(t, r, real_wait(c));
    return r;
}

static int wait_on(const struct sem_call *c)
{
    struct sn_thread *t = sn_enter(c->pc);
    if (!t)
        return real_wait(c);
    uint8_t flags = c->how == TRY ? SN_EF_TRY : c->limit ? SN_EF_TIMED : 0;
    struct sn_event ev = {.op = SN_EV_SEM_WAIT,
                          .flags = flags,
                          .addr = (uintptr_t)c->sem,
                          .value = (uint64_t)c->clock,
                          .pc = c->pc,
                          .arg = c->limit};
    sn_misuse_sem(t, c->sem, c->pc);
    int r = SN_GATED(t, &ev, wait_outside(t, c));
    if (r == 0)
        sn_engine_event(t, &ev);
    else if (errno == EINVAL)
        sn_misuse_limit(t, c->limit, c->pc);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int sem_wait(sem_t *sem)
{
    return wait_on(&(struct sem_call){.sem = sem, .how = WAIT, .pc = SN_CALLER});
}

SN_EXPORT int sem_trywait(sem_t *sem)
{
    return wait_on(&(struct sem_call){.sem = sem, .how = TRY, .pc = SN_CALLER});
}

SN_EXPORT int sem_timedwait(sem_t *sem, const struct timespec *limit)
{
    return wait_on(&(struct sem_call){.sem = sem, .how = TIMED, .limit = limit, .pc = SN_CALLER});
}

SN_EXPORT int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *limit)
{
    return wait_on(&(struct sem_call){
        .sem = sem, .how = CLOCK, .clock = clock, .limit = limit, .pc = SN_CALLER});
}

SN_EXPORT int sem_post(sem_t *sem)
{
    struct sn_thread *t = sn_enter(SN_CALLER);
    if (!t)
        return sn_pass(sem_post)(sem);
    struct sn_sync *s = sn_sync_get((uintptr_t)sem, SN_SYNC_SEM);
    struct sn_event ev = {.op = SN_EV_SEM_POST, .addr = (uintptr_t)sem, .pc = SN_CALLER, .sync = s};
    if (s)
        __atomic_fetch_add(&s->given, 1, __ATOMIC_SEQ_CST);
    sn_misuse_sem(t, sem, SN_CALLER);
    sn_engine_event(t, &ev);
    int r = SN_GATED(t, &ev, sn_real.sem_post(sem));
    if (SN_UNLIKELY(r != 0))
        sn_misuse_sem_value(t, sem, errno, SN_CALLER);
    sn_hook_leave(t);
    return r;
}

/* What the maker did happens before every wait: with a value at the start, the first wait needs
 * no post. */
static void made(struct sn_thread *t, sem_t *sem, bool fresh, uintptr_t pc)
{
    if (fresh)
        sn_sync_drop((uintptr_t)sem);
    SN_EMIT(t, RELEASE_MERGE, .addr = (uintptr_t)sem, .pc = pc);
}

SN_EXPORT int sem_init(sem_t *sem, int shared, unsigned value)
{
    struct sn_thread *t = sn_enter(SN_CALLER);
    if (!t)
        return sn_pass(sem_init)(sem, shared, value);
    sn_misuse_init(t, (uintptr_t)sem, SN_SYNC_SEM, SN_CALLER);
    int r = sn_real.sem_init(sem, shared, value);
    if (r == 0) {
        made(t, sem, true, SN_CALLER);
        sn_misuse_born(t, sn_sync_get((uintptr_t)sem, SN_SYNC_SEM), SN_CALLER);
    } else {
        sn_misuse_sem_value(t, sem, errno, SN_CALLER);
    }
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int sem_destroy(sem_t *sem)
{
    struct sn_thread *t = sn_enter(SN_CALLER);
    if (!t)
        return sn_pass(sem_destroy)(sem);
    sn_misuse_sem(t, sem, SN_CALLER);
    sn_misuse_sem_destroy(t, sem, SN_CALLER);
    int r = sn_real.sem_destroy(sem);
    if (r == 0)
        sn_sync_drop((uintptr_t)sem);
    sn_hook_leave(t);
    return r;
}

/* The same name is the same object in all of the process. */
SN_EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
    unsigned value = flags & O_CREAT ? va_arg(ap, unsigned) : 0;
    va_end(ap);
    struct sn_thread *t = sn_enter(SN_CALLER);
    if (!t)
        return sn_pass(sem_open)(name, flags, mode, value);
    sem_t *sem;
    SN_OUTSIDE(t, sem, sn_real.sem_open(name, flags, mode, value));
    if (sem != SEM_FAILED)
        made(t, sem, false, SN_CALLER);
    sn_hook_leave(t);
    return sem;
}
