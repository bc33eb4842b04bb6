/*
 * misuse_life.c: objects that are initialised twice, and memory that is given back with a lock held
 * in it.
 *
 * Initialising an object that is initialised already is undefined by POSIX. Whether it is the same
 * object is the question: memory is used again without snag's knowledge. So it is said only where
 * one object has the place for itself: a global; a heap block that was not freed since and is too
 * small for a pool of the program's own; a variable of main() or of a thread's first function, when
 * the two calls stand at different places (a scope that is entered again has a new object each
 * time). In a fork's child it is the known way to reset what the parent's threads held, and nothing
 * is said about objects from before the fork.
 */
#include "runtime/draft.h"
#include "runtime/emit.h"
#include "runtime/locks.h"
#include "runtime/misuse.h"
#include "runtime/modules.h"
#include "runtime/mutex_state.h"

enum { POOL_BYTES = 4096 };

static uint32_t forks; /* of this process and its ancestors */

void sn_misuse_life_forked(void)
{
    forks++;
}

static bool is_own_variable(const struct sn_thread *t, const struct sn_sync *s, uintptr_t pc)
{
    if (s->addr - t->stack_low >= t->stack_high - t->stack_low || t->sp == t->frames)
        return false;
    return s->addr >= t->frames[0].rsp && s->addr - t->tls_low >= t->tls_high - t->tls_low &&
           s->born_thread == t->number && sn_ctx_pc(s->born_where) != pc;
}

static bool is_own_block(uintptr_t addr)
{
    struct sn_draft_block b;
    return sn_draft_find_block && sn_draft_find_block(addr, &b) && !b.freed && b.size < POOL_BYTES;
}

static bool is_same_object(const struct sn_thread *t, const struct sn_sync *s, uintptr_t pc)
{
    if (sn_misuse_on_a_stack(s->addr))
        return is_own_variable(t, s, pc);
    return sn_modules_contain(s->addr) || is_own_block(s->addr);
}

static const char *text_of(enum sn_sync_kind kind, size_t *size)
{
    switch (kind) {
    case SN_SYNC_MUTEX:
        *size = sizeof(pthread_mutex_t);
        return "initialisation of a mutex that is initialised already";
    case SN_SYNC_RWLOCK:
        *size = sizeof(pthread_rwlock_t);
        return "initialisation of an rwlock that is initialised already";
    case SN_SYNC_COND:
        *size = sizeof(pthread_cond_t);
        return "initialisation of a condition variable that is initialised already";
    case SN_SYNC_BARRIER:
        *size = sizeof(pthread_barrier_t);
        return "initialisation of a barrier that is initialised already";
    case SN_SYNC_SEM:
        *size = sizeof(sem_t);
        return "initialisation of a semaphore that is initialised already";
    default:
        return 0;
    }
}

void sn_misuse_init(struct sn_thread *t, uintptr_t addr, enum sn_sync_kind kind, uintptr_t pc)
{
    struct sn_sync *s = sn_sync_find(addr);
    if (SN_LIKELY(!s || s->born != forks + 1 || s->kind != kind))
        return;
    size_t size;
    const char *text = text_of(kind, &size);
    if (text && is_same_object(t, s, pc))
        sn_misuse_report(t, text, addr, size, pc);
}

void sn_misuse_born(struct sn_thread *t, struct sn_sync *s, uintptr_t pc)
{
    if (!s)
        return;
    s->born = forks + 1;
    s->born_where = sn_ctx_where(t, pc);
    s->born_thread = t->number;
}

/* A thread of this process that is alive holds it, says the object itself. */
static bool holder_lives(int tid)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        const struct sn_thread *t = sn_thread_at(i);
        if (t->state == SN_T_RUNNING && t->kernel_tid == tid)
            return true;
    }
    return false;
}

void sn_misuse_freed(struct sn_thread *t, struct sn_sync_lost lost, uintptr_t pc)
{
    const pthread_mutex_t *m = (const pthread_mutex_t *)lost.addr;
    const pthread_rwlock_t *l = (const pthread_rwlock_t *)lost.addr;
    if (lost.kind == SN_SYNC_MUTEX && !sn_mutex_opaque(m) && sn_mutex_is_locked(m) &&
        holder_lives(sn_mutex_holder(m)))
        sn_misuse_report(t, "memory is freed that has a locked mutex in it", lost.addr, sizeof *m,
                         pc);
    else if (lost.kind == SN_SYNC_RWLOCK && !sn_rwlock_shared(l) &&
             holder_lives(l->__data.__cur_writer))
        sn_misuse_report(t, "memory is freed that has a locked rwlock in it", lost.addr, sizeof *l,
                         pc);
}
