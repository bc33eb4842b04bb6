/*
 * misuse.c: misuse of mutexes and threads, decided and reported.
 *
 * The rule is no false alarm. snag's records can be behind (a lock taken while snag was dormant, in
 * a forked parent, in memory that was initialised again by assignment), so each report also asks
 * the object itself: glibc keeps the lock word, the holder's thread id and the kind in it.
 */
#include "runtime/misuse.h"

#include <errno.h>
#include <sys/uio.h>

#include "runtime/draft.h"
#include "runtime/emit.h"
#include "runtime/locks.h"
#include "runtime/mutex_state.h"

/* The thread that forked, as the parent knew it: mutexes that it held carry this id in the child.
 */
static int forked_from_tid;

void sn_misuse_forked(int parent_tid)
{
    forked_from_tid = parent_tid;
    sn_misuse_life_forked();
}

bool sn_misuse_was_forker(int tid)
{
    return forked_from_tid && tid == forked_from_tid;
}

void sn_misuse_report(struct sn_thread *t, const char *text, uintptr_t addr, size_t size,
                      uintptr_t pc)
{
    uint32_t where = sn_ctx_where(t, pc);
    uint64_t key = (uint64_t)(uintptr_t)text * 0x9e3779b97f4a7c15ull ^ where;
    struct sn_draft *d = sn_draft_begin(SN_KIND_MISUSE, SN_OBSERVED, key, text);
    if (!d)
        return;
    if (addr)
        sn_draft_object(d, addr, size);
    sn_draft_site(d, t, SN_OP_LOCK, where, addr, (uint32_t)size, true, 0);
    sn_draft_commit(d);
}

static bool glibc_says_mine(const struct sn_thread *t, const pthread_mutex_t *m)
{
    int holder = sn_mutex_holder(m);
    return holder == t->kernel_tid || sn_misuse_was_forker(holder);
}

/* 1: it was said that m is no mutex. */
static bool is_none(struct sn_thread *t, pthread_mutex_t *m, const char *destroyed,
                    const char *never, uintptr_t pc)
{
    if (!sn_mutex_is_none(m))
        return false;
    sn_misuse_report(t, sn_mutex_is_destroyed(m) ? destroyed : never, (uintptr_t)m, sizeof *m, pc);
    return true;
}

void sn_misuse_unlock(struct sn_thread *t, struct sn_sync *s, pthread_mutex_t *m, uintptr_t pc)
{
    if (is_none(t, m, "unlock of a mutex that was destroyed",
                "unlock of a mutex that was never initialised", pc))
        return;
    if (sn_mutex_opaque(m) || glibc_says_mine(t, m))
        return;
    if (!sn_mutex_is_locked(m)) {
        sn_misuse_report(t, "unlock of a mutex that is not locked", (uintptr_t)m, sizeof *m, pc);
        return;
    }
    s->flags |= SN_LOCK_FOREIGN;
    if (sn_mutex_holder(m) != 0)
        sn_misuse_report(t, "unlock of a mutex that another thread holds", (uintptr_t)m, sizeof *m,
                         pc);
}

void sn_misuse_limit(struct sn_thread *t, const struct timespec *limit, uintptr_t pc)
{
    if (limit && (limit->tv_nsec < 0 || limit->tv_nsec >= 1000000000))
        sn_misuse_report(t, "a time limit whose nanoseconds are not below a second", 0, 0, pc);
}

void sn_misuse_lock_failed(struct sn_thread *t, pthread_mutex_t *m, int error,
                           const struct timespec *limit, uintptr_t pc)
{
    if (error == EINVAL && !is_none(t, m, "lock of a mutex that was destroyed",
                                    "lock of a mutex that was never initialised", pc))
        sn_misuse_limit(t, limit, pc);
}

bool sn_misuse_on_a_stack(uintptr_t addr)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        const struct sn_thread *t = sn_thread_at(i);
        if (addr - t->stack_low < t->stack_high - t->stack_low)
            return true;
    }
    return false;
}

/* Only for globals and the heap: a stack variable's record outlives its function. */
static bool is_locked_object(pthread_mutex_t *m)
{
    struct sn_sync *s = sn_sync_find((uintptr_t)m);
    uint32_t owner = s ? __atomic_load_n(&s->owner, __ATOMIC_RELAXED) : 0;
    if (!owner || s->kind != SN_SYNC_MUTEX || sn_mutex_opaque(m) || !sn_mutex_is_locked(m))
        return false;
    struct sn_thread *holder = sn_thread_by_number(owner - 1);
    return holder && holder->state == SN_T_RUNNING && holder->kernel_tid == sn_mutex_holder(m) &&
           !sn_misuse_on_a_stack((uintptr_t)m);
}

void sn_misuse_init_mutex(struct sn_thread *t, pthread_mutex_t *m, uintptr_t pc)
{
    if (is_locked_object(m))
        sn_misuse_report(t, "initialisation of a mutex that is locked", (uintptr_t)m, sizeof *m,
                         pc);
    else
        sn_misuse_init(t, (uintptr_t)m, SN_SYNC_MUTEX, pc);
}

bool sn_misuse_destroy_mutex(struct sn_thread *t, pthread_mutex_t *m, uintptr_t pc)
{
    if (is_none(t, m, "destruction of a mutex that was destroyed already",
                "destruction of a mutex that was never initialised", pc))
        return false;
    if (sn_mutex_opaque(m) || !sn_mutex_is_locked(m))
        return false;
    struct sn_sync *s = sn_sync_find((uintptr_t)m);
    if (s && __atomic_load_n(&s->owner, __ATOMIC_RELAXED))
        sn_misuse_report(t, "destruction of a mutex that is locked", (uintptr_t)m, sizeof *m, pc);
    return !(sn_mutex_kind(m) & SN_MUTEX_ROBUST);
}

void sn_misuse_join(struct sn_thread *t, int error, uintptr_t pc)
{
    if (error == EDEADLK)
        sn_misuse_report(t, "a thread joins itself, or a thread that joins it", 0, 0, pc);
    else if (error == EINVAL)
        sn_misuse_report(t, "join of a thread that is detached or already being joined", 0, 0, pc);
    else if (error == ESRCH)
        sn_misuse_report(t, "join of a thread that does not exist", 0, 0, pc);
}

void sn_misuse_detach(struct sn_thread *t, int error, uintptr_t pc)
{
    if (error == EINVAL)
        sn_misuse_report(t, "detach of a thread that is detached already", 0, 0, pc);
    else if (error == ESRCH)
        sn_misuse_report(t, "detach of a thread that does not exist", 0, 0, pc);
}

/* Its memory may have been unmapped out of snag's sight: the kernel reads it. */
static bool read_mutex(pthread_mutex_t *copy, uintptr_t addr)
{
    struct iovec to = {copy, sizeof *copy}, from = {(void *)addr, sizeof *copy};
    long pid = sn_sys0(SYS_getpid);
    return sn_sys6(SYS_process_vm_readv, pid, &to, 1, &from, 1, 0) == (long)sizeof *copy;
}

/* The record is the mutex's own only while the object still says that this thread holds it. */
static bool still_holds(const struct sn_thread *t, const struct sn_held *h)
{
    if (h->shared || h->id != h->lock->id || h->lock->kind != SN_SYNC_MUTEX || !sn_owns(t, h->lock))
        return false;
    if (sn_misuse_on_a_stack(h->lock->addr))
        return false; /* the function has returned, and its variable is gone */
    pthread_mutex_t m;
    return read_mutex(&m, h->lock->addr) && !sn_mutex_opaque(&m) &&
           !(sn_mutex_kind(&m) & SN_MUTEX_ROBUST) && glibc_says_mine(t, &m);
}

void sn_misuse_thread_end(struct sn_thread *t)
{
    for (uint32_t i = 0; i < t->nheld; i++)
        if (still_holds(t, &t->held[i]))
            sn_misuse_report(t, "a thread ends while it holds a mutex", t->held[i].lock->addr,
                             sizeof(pthread_mutex_t), sn_ctx_pc(t->held[i].where));
}
