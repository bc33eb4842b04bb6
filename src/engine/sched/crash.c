/*
 * crash.c: fatal signals that the program itself does not handle. The finding says which thread
 * died where; then the signal does what it would have done. The handler runs on a stack of its own,
 * since the reason may be that the thread's stack is used up.
 */
#include "crash.h"

#include <signal.h>
#include <sys/uio.h>
#include <ucontext.h>

#include "core/sys.h"
#include "monitor.h"
#include "runtime/draft.h"
#include "runtime/hook.h"
#include "runtime/instrumented.h"
#include "runtime/modules.h"
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

/* Does a call end before this address? e8 rel32; ff /2 with its operands. The word may be no return address at all:
 * where a module begins, say, before which nothing can be read. */
static bool follows_call(uintptr_t pc)
{
    enum { LONGEST = 7 };
    uint8_t before[LONGEST];
    struct iovec here = {before, LONGEST}, there = {(void *)(pc - LONGEST), LONGEST};
    if (sn_sys6(SYS_process_vm_readv, sn_sys0(SYS_getpid), &here, 1, &there, 1, 0) != LONGEST)
        return false;
    return before[2] == 0xe8 || before[1] == 0xff || before[4] == 0xff || before[5] == 0xff || before[0] == 0xff;
}

/* Of a program that is not instrumented the executable counts. */
static bool is_programs(uintptr_t pc)
{
    uintptr_t main = sn_sched_main();
    if (!main || sn_instrumented(main))
        return sn_instrumented(pc);
    return SN_FRAME_MODULE(sn_modules_frame(pc)) == SN_FRAME_MODULE(sn_modules_frame(main));
}

/* Where the main thread's stack ends is only known roughly. */
static bool is_there(uintptr_t addr)
{
    enum { PAGE = 4096 };
    unsigned char in_core;
    return sn_sys3(SYS_mincore, addr & ~(uintptr_t)(PAGE - 1), 1, &in_core) == 0;
}

/* Where the program's own code was: here, or in the nearest call of the stack (abort(), strlen()).
 */
static uintptr_t place_of(const ucontext_t *c, uintptr_t last_hook)
{
    enum { WORDS = 512, PAGE_WORDS = 4096 / sizeof(uintptr_t) };
    uintptr_t pc = (uintptr_t)c->uc_mcontext.gregs[REG_RIP] + 1;
    const uintptr_t *sp = (const uintptr_t *)c->uc_mcontext.gregs[REG_RSP];
    const struct sn_thread *t = sn_self;
    if (is_programs(pc))
        return pc;
    for (uint32_t i = 0; i < WORDS; i++) {
        uintptr_t at = (uintptr_t)(sp + i);
        if (at >= t->stack_high || at < t->stack_low)
            break;
        if ((i == 0 || at / sizeof at % PAGE_WORDS == 0) && !is_there(at))
            break;
        if (is_programs(sp[i]) && follows_call(sp[i]))
            return sp[i];
    }
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
