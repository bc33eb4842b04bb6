/*
 * clone.c: processes that a program makes by clone() itself, as container tools do.
 *
 *  - Without CLONE_VM the child has a copy of the memory: it is a fork, which runs no handlers.
 *  - With CLONE_VM and CLONE_VFORK the parent stands until the child calls exec or ends: the child
 *    is the parent's thread for that time, and the calls that it leaves open are forgotten.
 *  - With CLONE_VM alone two threads run with one thread control block, or with one that the
 *    program has made. Neither is a thread to libc: it is run, counted, and the report says so.
 *
 * A child of clone() ends by returning from its function, which ends one thread; of a child without
 * other threads it is the process's end, and no destructor runs.
 */
#include <errno.h>
#include <linux/sched.h>
#include <stdarg.h>

#include "core/count.h"
#include "runtime/hook.h"
#include "runtime/process.h"
#include "runtime/real.h"
#include "runtime/syscall.h"

struct start {
    int (*run)(void *);
    void *arg;
};

static bool is_alone(const struct sn_thread *self)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        const struct sn_thread *t = sn_thread_at(i);
        if (t != self && __atomic_load_n(&t->state, __ATOMIC_ACQUIRE) == SN_T_RUNNING)
            return false;
    }
    return true;
}

/* On the child's stack; p is on its copy of the parent's. */
static int in_copy(void *p)
{
    struct start s = *(struct start *)p;
    sn_fork_child();
    int status = s.run(s.arg);
    if (is_alone(sn_self))
        sn_process_ends();
    return status;
}

/* The call frames that the thread has now are those that it has when it goes on. */
static ptrdiff_t open_calls(void)
{
    return sn_self ? sn_self->sp - sn_self->frames : 0;
}

static void close_calls(ptrdiff_t but)
{
    struct sn_thread *t = sn_self;
    if (t && t->sp - t->frames > but)
        t->sp = t->frames + but;
}

SN_EXPORT int clone(int (*run)(void *), void *stack, int flags, void *arg, ...)
{
    va_list ap;
    va_start(ap, arg);
    pid_t *parent_tid = va_arg(ap, pid_t *);
    void *tls = va_arg(ap, void *);
    pid_t *child_tid = va_arg(ap, pid_t *);
    va_end(ap);
    struct start start = {run, arg};
    bool copies = !(flags & CLONE_VM) && run && stack;
    ptrdiff_t calls = open_calls();
    if (copies)
        sn_fork_begins();
    else if ((flags & CLONE_VM) && !(flags & CLONE_VFORK) && sn_ready)
        sn_count(LOST_CLONE);
    int pid = copies ? sn_pass(clone)(in_copy, stack, flags, &start, parent_tid, tls, child_tid)
                     : sn_pass(clone)(run, stack, flags, arg, parent_tid, tls, child_tid);
    if (copies)
        sn_fork_parent();
    else if (flags & CLONE_VFORK)
        close_calls(calls);
    return pid;
}

/* With a stack of its own the child does not return to who called syscall(). */
bool sn_syscall_forks(long number, const long a[6])
{
    const struct clone_args *args = (const void *)a[0];
    switch (number) {
    case SYS_fork:
        return true;
    case SYS_clone:
        return !(a[0] & CLONE_VM) && !a[1];
    case SYS_clone3:
        return args && a[1] >= CLONE_ARGS_SIZE_VER0 && !(args->flags & CLONE_VM) && !args->stack;
    default:
        return false;
    }
}

long sn_syscall_fork(long number, const long a[6])
{
    sn_fork_begins();
    long pid = sn_pass(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    int error = errno;
    if (pid == 0)
        sn_fork_child();
    else
        sn_fork_parent();
    errno = error;
    return pid;
}
