/*
 * thread_adopt.c: threads that no create hook made known: those that were there before snag became
 * active, those that libc makes (notifications of timers and message queues), those of clone().
 *
 * What happened before such a thread is not known. A thread that libc makes is ordered after the
 * calls that asked for it. Any other is taken to come after everything that has happened so far: a
 * race that is missed there is better than one that is invented.
 */
#include "runtime/thread_hooks.h"

#include "runtime/emit.h"
#include "runtime/proc.h"
#include "runtime/real.h"

enum { MAX_EXISTING = 4096 };

static int existing[MAX_EXISTING] SN_LARGE; /* kernel thread ids at activation */
static int nexisting;
static bool more_existing; /* did not fit: every unknown thread counts as one of them */
static char asked_for;     /* its address is the synchronisation object of sn_adopt_expect() */
static bool expected;      /* atomic */

static void note(int tid, void *arg)
{
    (void)arg;
    if (nexisting == MAX_EXISTING)
        more_existing = true;
    else
        existing[nexisting++] = tid;
}

void sn_adopt_note_existing(void)
{
    if (!sn_proc_each_thread(note, 0))
        more_existing = true;
}

void sn_adopt_expect(struct sn_thread *t, uintptr_t pc)
{
    SN_EMIT(t, RELEASE_MERGE, .addr = (uintptr_t)&asked_for, .pc = pc);
    __atomic_store_n(&expected, true, __ATOMIC_RELEASE);
}

static bool was_there(int tid)
{
    for (int i = 0; i < nexisting; i++)
        if (existing[i] == tid)
            return true;
    return more_existing;
}

static void after_everything(struct sn_thread *t)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        struct sn_thread *u = sn_thread_at(i);
        if (u != t && __atomic_load_n(&u->state, __ATOMIC_ACQUIRE) == SN_T_RUNNING)
            SN_EMIT(t, JOIN, .value = u->number);
    }
}

static bool self_is_detached(void)
{
    pthread_attr_t attr;
    if (sn_real.pthread_getattr_np(pthread_self(), &attr) != 0)
        return true;
    bool detached = sn_attr_is_detached(&attr);
    pthread_attr_destroy(&attr);
    return detached;
}

SN_NOINLINE struct sn_thread *sn_adopt(void)
{
    if (!sn_ready || sn_thread_is_over())
        return 0;
    struct sn_thread *t = sn_thread_new(0, 0);
    if (!t)
        return 0;
    sn_hook_resume(t);
    sn_thread_bind(t);
    if (self_is_detached())
        sn_thread_release(t);
    if (t->stack_low)
        SN_EMIT(t, MAP, .addr = t->stack_low, .size = t->stack_high - t->stack_low);
    SN_EMIT(t, START, .value = t->parent);
    if (__atomic_load_n(&expected, __ATOMIC_ACQUIRE) && !was_there(t->kernel_tid))
        SN_EMIT(t, ACQUIRE, .addr = (uintptr_t)&asked_for);
    else
        after_everything(t);
    sn_hook_leave(t);
    return t;
}
