/*
 * signal.c: the program's signal handlers run as code of the thread that they interrupt.
 *
 * Every handler is installed behind one entry of snag's. If the signal comes while the thread is
 * inside a hook or inside the engine, the handler is put off until the hook ends: were it to run at
 * once, its synchronisation would go unseen, and a sem_post in a handler is an edge like any other.
 * Putting off means: the entry keeps what the kernel gave it, blocks further signals in the context
 * that it returns to, and the hook's end runs the handler under the mask that the kernel would have
 * set. One place per thread is enough, since no second signal comes before the first has run.
 * Faults (and abort) cannot wait and run at once.
 *
 * Edges: sigaction() and raise/kill/pthread_kill/sigqueue happen before the handler's run.
 */
#include "runtime/signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "core/count.h"
#include "core/spin.h"
#include "runtime/emit.h"
#include "runtime/real.h"

enum { SIGNALS = 65 };

typedef sn_signal_handler handler_fn;

/* What the program installed. Written under `installing`; read by the entry without it, so the
 * handler is the last to change and every handler can be called with all three arguments. */
static struct action {
    handler_fn *fn; /* atomic */
    uint64_t mask;
    int flags;
} actions[SIGNALS];
static uint32_t installing;

struct pending {
    handler_fn *fn;
    int sig;
    uint64_t mask; /* of the interrupted code */
    siginfo_t info;
    ucontext_t context;
};

/* Mapped when the thread first needs it: static TLS is scarce in programs that load snag late. */
static __thread struct pending *pending __attribute__((tls_model("initial-exec")));

uintptr_t sn_signal_object(int sig)
{
    return (uintptr_t)&actions[sig > 0 && sig < SIGNALS ? sig : 0];
}

static uint64_t bit(int sig)
{
    return 1ull << (sig - 1);
}

static uint64_t faults(void)
{
    return bit(SIGSEGV) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGILL) | bit(SIGTRAP) | bit(SIGSYS) |
           bit(SIGABRT);
}

static uint64_t word_of(const sigset_t *set)
{
    uint64_t w;
    __builtin_memcpy(&w, set, sizeof w);
    return w;
}

static void set_mask(uint64_t mask)
{
    sn_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, sizeof mask);
}

/* The calls that the handler makes are popped even when they were not left one by one. */
static void run(struct sn_thread *t, handler_fn *fn, int sig, siginfo_t *info, void *context)
{
    if (!t || !sn_ready || t->in_hook || t->busy) {
        if (t && sn_ready)
            sn_count(LOST_NESTED);
        fn(sig, info, context);
        return;
    }
    uintptr_t pc = t->pc;
    ptrdiff_t depth = t->sp - t->frames;
    sn_hook_resume(t);
    SN_EMIT(t, ACQUIRE, .addr = sn_signal_object(sig), .pc = (uintptr_t)fn, .flags = SN_EF_HANDLER);
    sn_hook_leave(t);
    fn(sig, info, context);
    t->sp = t->frames + depth;
    t->pc = pc;
}

bool sn_signal_put_off(struct sn_thread *t, handler_fn *fn, int sig, siginfo_t *info, void *context)
{
    uint64_t block = ~faults();
    ucontext_t *uc = context;
    if (!pending && !(pending = sn_map(sizeof *pending)))
        return false;
    pending->fn = fn;
    pending->sig = sig;
    pending->info = *info;
    pending->context = *uc;
    pending->context.uc_mcontext.fpregs = 0; /* lies on the signal's own frame */
    pending->mask = word_of(&uc->uc_sigmask);
    block |= pending->mask;
    __builtin_memcpy(&uc->uc_sigmask, &block, sizeof block);
    t->sig_pending = 1;
    if (sn_thread_on_put_off)
        sn_thread_on_put_off(t);
    return true;
}

bool sn_signal_inside(const struct sn_thread *t)
{
    return t && (t->in_hook || t->busy) && !t->sig_pending;
}

static void entry(int sig, siginfo_t *info, void *context)
{
    struct sn_thread *t = sn_self;
    handler_fn *fn = __atomic_load_n(&actions[sig].fn, __ATOMIC_ACQUIRE);
    if (!fn)
        return;
    if (sn_signal_inside(t) && !(faults() & bit(sig)) &&
        sn_signal_put_off(t, fn, sig, info, context))
        return;
    run(t, fn, sig, info, context);
}

/* That of the code that goes on after the handler: the interrupted one's, unless that was another
 * handler, which has returned meanwhile and given the thread the mask that it had before. */
static uint64_t mask_behind(const struct pending *p)
{
    uint64_t put_off = ~(faults() | bit(SIGKILL) | bit(SIGSTOP)), now = 0;
    sn_sys4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &now, sizeof now);
    return (now & put_off) == put_off ? p->mask : now;
}

SN_NOINLINE void sn_signal_run_pending(struct sn_thread *t)
{
    if (t->in_hook || t->busy)
        return;
    struct pending p = *pending;
    const struct action *a = &actions[p.sig];
    int saved = errno;
    uint64_t mask = mask_behind(&p);
    t->sig_pending = 0;
    set_mask(mask | a->mask | (a->flags & SA_NODEFER ? 0 : bit(p.sig)));
    run(t, p.fn, p.sig, &p.info, &p.context);
    errno = saved;
    set_mask(mask);
}

bool sn_signal_restarts(void)
{
    return pending && actions[pending->sig].flags & SA_RESTART;
}

void sn_signal_thread_end(void)
{
    if (pending)
        sn_unmap(pending, sizeof *pending);
    pending = 0;
}

static bool is_handler(const void *fn)
{
    return (uintptr_t)fn > 2; /* SIG_DFL, SIG_IGN, SIG_HOLD */
}

/* What the program sees as the old action. */
static void translate(struct sigaction *old, const struct action *before)
{
    if (old->sa_sigaction != entry)
        return;
    old->sa_sigaction = before->fn;
    old->sa_flags = (old->sa_flags & ~SA_SIGINFO) | (before->flags & SA_SIGINFO);
}

static int install(int sig, const struct sigaction *act, struct sigaction *old)
{
    struct action before = actions[sig];
    struct sigaction ours, kernel_old;
    if (act) {
        ours = *act;
        if (is_handler(act->sa_sigaction)) {
            actions[sig].mask = word_of(&act->sa_mask);
            actions[sig].flags = act->sa_flags;
            __atomic_store_n(&actions[sig].fn, act->sa_sigaction, __ATOMIC_RELEASE);
            ours.sa_sigaction = entry;
            ours.sa_flags |= SA_SIGINFO;
        }
    }
    int r = sn_real.sigaction(sig, act ? &ours : 0, &kernel_old);
    if (r != 0)
        actions[sig] = before;
    if (r == 0 && old) {
        *old = kernel_old;
        translate(old, &before);
    }
    return r;
}

static bool is_signal(int sig)
{
    return sig > 0 && sig < SIGNALS;
}

static struct sn_thread *begin_install(int sig, uintptr_t pc)
{
    struct sn_thread *t = is_signal(sig) ? sn_hook_enter(pc) : 0;
    if (!t)
        return 0;
    SN_EMIT(t, RELEASE_MERGE, .addr = sn_signal_object(sig), .pc = pc);
    sn_spin_lock(&installing);
    return t;
}

static void end_install(struct sn_thread *t)
{
    sn_spin_unlock(&installing);
    sn_hook_leave(t);
}

SN_EXPORT int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    struct sn_thread *t = begin_install(sig, SN_CALLER);
    if (!t) {
        struct action before = actions[is_signal(sig) ? sig : 0];
        int r = sn_pass(sigaction)(sig, act, old);
        if (r == 0 && old)
            translate(old, &before);
        return r;
    }
    int r = install(sig, act, old);
    end_install(t);
    return r;
}

/* signal() and its kin choose flags by rules of their own: they install the entry, and then only
 * SA_SIGINFO is added, without which the kernel does not fill in the siginfo. */
static sighandler_t install_simply(sighandler_t (*real)(int, sighandler_t), int sig, sighandler_t h,
                                   uintptr_t pc)
{
    struct sn_thread *t = begin_install(sig, pc);
    if (!t)
        return real(sig, h);
    struct action before = actions[sig];
    if (is_handler(h))
        __atomic_store_n(&actions[sig].fn, (handler_fn *)(void *)h, __ATOMIC_RELEASE);
    sighandler_t r = real(sig, is_handler(h) ? (sighandler_t)(void *)entry : h);
    struct sigaction now;
    if (r == SIG_ERR) {
        actions[sig] = before;
    } else if (is_handler(h) && sn_real.sigaction(sig, 0, &now) == 0) {
        actions[sig].mask = word_of(&now.sa_mask);
        actions[sig].flags = now.sa_flags;
        now.sa_flags |= SA_SIGINFO;
        sn_real.sigaction(sig, &now, 0);
    }
    end_install(t);
    return (void *)r == (void *)entry ? (sighandler_t)(void *)before.fn : r;
}

#define SIGNAL(name)                                                                               \
    SN_EXPORT sighandler_t name(int sig, sighandler_t h)                                           \
    {                                                                                              \
        return install_simply(sn_pass(name), sig, h, SN_CALLER);                                   \
    }

sighandler_t bsd_signal(int sig, sighandler_t h);

SIGNAL(signal)
SIGNAL(bsd_signal)
SIGNAL(ssignal)
SIGNAL(sysv_signal)
SIGNAL(__sysv_signal)
SIGNAL(sigset)

__attribute__((constructor)) static void announce(void)
{
    sn_thread_on_signal = sn_signal_run_pending;
}
