/*
 * signal_send.c: sending signals and waiting for them. What a thread did before it sent a signal to
 * its own process happens before the handler, and before sigwait() returns it.
 */
#include "runtime/signals.h"

#include <signal.h>

#include "runtime/emit.h"
#include "runtime/real.h"

/* A signal that the thread sends to itself runs its handler inside the call. */
#define SEND(sig, real)                                                                            \
    struct sn_thread *t = sn_hook_enter(SN_CALLER);                                                \
    if (!t)                                                                                        \
        return real;                                                                               \
    int r;                                                                                         \
    SN_EMIT(t, RELEASE_MERGE, .addr = sn_signal_object(sig), .pc = SN_CALLER);                     \
    SN_OUTSIDE(t, r, real);                                                                        \
    sn_hook_leave(t);                                                                              \
    return r

SN_EXPORT int raise(int sig)
{
    SEND(sig, sn_pass(raise)(sig));
}

SN_EXPORT int kill(pid_t pid, int sig)
{
    SEND(sig, sn_pass(kill)(pid, sig));
}

SN_EXPORT int killpg(pid_t group, int sig)
{
    SEND(sig, sn_pass(killpg)(group, sig));
}

SN_EXPORT int pthread_kill(pthread_t thread, int sig)
{
    SEND(sig, sn_pass(pthread_kill)(thread, sig));
}

SN_EXPORT int tgkill(pid_t group, pid_t thread, int sig)
{
    SEND(sig, sn_pass(tgkill)(group, thread, sig));
}

SN_EXPORT int sigqueue(pid_t pid, int sig, const union sigval value)
{
    SEND(sig, sn_pass(sigqueue)(pid, sig, value));
}

SN_EXPORT int pthread_sigqueue(pthread_t thread, int sig, const union sigval value)
{
    SEND(sig, sn_pass(pthread_sigqueue)(thread, sig, value));
}

/* Waits for a signal; `got` is the signal's number when the call succeeded, else 0. */
#define WAIT(real, got)                                                                            \
    uintptr_t pc = SN_CALLER;                                                                      \
    struct sn_thread *t = sn_hook_enter(pc);                                                       \
    if (!t)                                                                                        \
        return real;                                                                               \
    int r;                                                                                         \
    SN_EMIT(t, BLOCK, .pc = pc);                                                                   \
    SN_OUTSIDE(t, r, real);                                                                        \
    SN_EMIT(t, UNBLOCK, .pc = pc);                                                                 \
    if ((got) > 0)                                                                                 \
        SN_EMIT(t, ACQUIRE, .addr = sn_signal_object(got), .pc = pc);                              \
    sn_hook_leave(t);                                                                              \
    return r

SN_EXPORT int sigwait(const sigset_t *set, int *sig)
{
    WAIT(sn_pass(sigwait)(set, sig), r == 0 ? *sig : 0);
}

SN_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    WAIT(sn_pass(sigwaitinfo)(set, info), r);
}

SN_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit)
{
    WAIT(sn_pass(sigtimedwait)(set, info, limit), r);
}
