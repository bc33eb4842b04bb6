/*
 * crash.c: fatal signals that the program itself does not handle. The finding says which thread
 * died where; then the signal does what it would have done. The handler runs on a stack of its own,
 * since the reason may be that the thread's stack is used up.
 */
#include "crash.h"

#include <signal.h>
#include <ucontext.h>

#include "core/sys.h"
#include "monitor.h"
#include "runtime/draft.h"
#include "runtime/hook.h"
#include "runtime/instrumented.h"
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

/* Does a call end before this address? e8 rel32; ff /2 with its operands. */
static bool follows_call(const uint8_t *p)
{
    return p[-5] == 0xe8 || p[-6] == 0xff || p[-3] == 0xff || p[-2] == 0xff || p[-7] == 0xff;
}

/* Where the program's own code was: here, or in the nearest call of the stack (abort(), strlen()).
 */
static uintptr_t place_of(const ucontext_t *c, uintptr_t last_hook)
{
    enum { WORDS = 512 };
    uintptr_t pc = (uintptr_t)c->uc_mcontext.gregs[REG_RIP] + 1;
    const uintptr_t *sp = (const uintptr_t *)c->uc_mcontext.gregs[REG_RSP];
    const struct sn_thread *t = sn_self;
    if (sn_instrumented(pc))
        return pc;
    for (uint32_t i = 0;
         i < WORDS && (uintptr_t)(sp + i) < t->stack_high && (uintptr_t)(sp + i) >= t->stack_low;
         i++)
        if (sn_instrumented(sp[i]) && follows_call((const uint8_t *)sp[i]))
            return sp[i];
    return last_hook;
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    struct sn_thread *t = sn_self;
    struct sigaction standard = {.sa_handler = SIG_DFL};
    (void)info;
    sn_real.sigaction(sig, &standard, 0);
    if (!t)
        return;
    if (sn_sched.live)
        sn_monitor_enter(t);
    uint32_t where = sn_ctx_where(t, place_of(context, t->pc));
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
