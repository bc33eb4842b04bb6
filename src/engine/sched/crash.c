/*
 * crash.c: fatal signals that the program itself does not handle. The finding says which thread
 * died where; then the signal does what it would have done. The handler runs on a stack of its own,
 * since the reason may be that the thread's stack is used up.
 */
#include "crash.h"

#include <signal.h>
#include <ucontext.h>

#include "core/sys.h"
#include "runtime/draft.h"
#include "runtime/hook.h"
#include "runtime/real.h"
#include "scheduler.h"

static const char *words(int sig)
{
    switch (sig) {
    case SIGABRT:
        return "the program aborts under this schedule";
    case SIGFPE:
        return "the program divides by zero or overflows under this schedule";
    case SIGILL:
        return "the program executes an illegal instruction under this schedule";
    default:
        return "the program touches memory that is not there under this schedule";
    }
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    struct sn_thread *t = sn_self;
    struct sigaction standard = {.sa_handler = SIG_DFL};
    (void)info;
    sn_real.sigaction(sig, &standard, 0);
    if (!t)
        return;
    const ucontext_t *c = context;
    /* abort() is inside libc: the last hook's place in the program is nearer */
    uintptr_t pc = sig == SIGABRT ? t->pc : (uintptr_t)c->uc_mcontext.gregs[REG_RIP] + 1;
    uint32_t where = sn_ctx_where(t, pc);
    struct sn_draft *d = sn_draft_begin(SN_KIND_ORDER, SN_CONFIRMED,
                                        where * 0x9e3779b97f4a7c15ull + (unsigned)sig, words(sig));
    if (!d)
        return;
    sn_draft_site(d, t, SN_OP_CALL, where, 0, 0, true, sig == SIGABRT ? "abort" : "crash");
    sn_draft_commit(d);
}

void sn_crash_init(void)
{
    static const int fatal[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    struct sigaction a = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK}, old;
    for (unsigned i = 0; i < sizeof fatal / sizeof *fatal; i++)
        if (sn_real.sigaction(fatal[i], 0, &old) == 0 && old.sa_handler == SIG_DFL)
            sn_real.sigaction(fatal[i], &a, 0);
}
