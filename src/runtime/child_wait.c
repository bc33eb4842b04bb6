/* child_wait.c: waiting for child processes and for signals of any kind: waits for the world. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/emit.h"
#include "runtime/real.h"

#define WAIT(type, may_wait, call)                                                                 \
    uintptr_t pc = SN_CALLER;                                                                      \
    struct sn_thread *t = sn_engine_gates && (may_wait) ? sn_hook_enter(pc) : 0;                   \
    if (!t)                                                                                        \
        return call;                                                                               \
    type r;                                                                                        \
    SN_EMIT(t, BLOCK, .pc = pc);                                                                   \
    SN_OUTSIDE(t, r, call);                                                                        \
    SN_EMIT(t, UNBLOCK, .pc = pc);                                                                 \
    sn_hook_leave(t);                                                                              \
    return r

SN_EXPORT pid_t wait(int *status)
{
    WAIT(pid_t, 1, sn_pass(wait)(status));
}

SN_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    WAIT(pid_t, !(options & WNOHANG), sn_pass(waitpid)(pid, status, options));
}

SN_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    WAIT(int, !(options & WNOHANG), sn_pass(waitid)(type, id, info, options));
}

SN_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    WAIT(pid_t, !(options & WNOHANG), sn_pass(wait3)(status, options, usage));
}

SN_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    WAIT(pid_t, !(options & WNOHANG), sn_pass(wait4)(pid, status, options, usage));
}

SN_EXPORT int pause(void)
{
    WAIT(int, 1, sn_pass(pause)());
}

SN_EXPORT int sigsuspend(const sigset_t *mask)
{
    WAIT(int, 1, sn_pass(sigsuspend)(mask));
}
