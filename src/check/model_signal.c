/*
 * model_signal.c: signal handlers and timers.
 *
 * A handler of a signal from outside may run at any time once it is installed. In some runs it is a
 * task of its own, so that what it shares with the program without care is seen; in others it
 * interrupts one of the program's threads, so that a lock that it takes can be its own thread's. A
 * thread that blocks the signal excludes the handler, and is ordered with it. A signal that the
 * program sends interrupts the thread that it is sent to. A timer with SIGEV_THREAD starts threads,
 * one per expiry.
 */
#include <signal.h>
#include <string.h>

#include "check/lib.h"
#include "check/sync.h"

#define ROUNDS 2u   /* calls of one handler */
#define EXPIRIES 3u /* of a periodic timer */

/* Pseudo address of a signal's synchronisation object: never memory. */
static uint64_t signal_addr(uint64_t number) { return 0x100 + number * 8; }

static bool blocked_everywhere(const struct sn_vm *vm, uint64_t number)
{
    for (size_t i = 0; i < vm->ntask; i++) {
        const struct sn_task *t = vm->task[i];
        if (t->state != SN_EXITED && !t->daemon && !(t->blocked_signals >> number & 1))
            return false;
    }
    return true;
}

static bool can_take(const struct sn_task *t, uint64_t number)
{
    return t->state != SN_EXITED && !t->daemon && !(t->blocked_signals >> number & 1);
}

static struct sn_task *pick_target(struct sn_vm *vm, uint64_t number)
{
    uint64_t n = 0;
    for (size_t i = 0; i < vm->ntask; i++)
        n += can_take(vm->task[i], number);
    uint64_t chosen = sn_choose(vm, n);
    for (size_t i = 0; i < vm->ntask; i++)
        if (can_take(vm->task[i], number) && chosen-- == 0)
            return vm->task[i];
    return NULL;
}

static void interrupt(struct sn_task *t, uint64_t number, bool async)
{
    if (t == NULL || t->pending_signal != 0)
        return;
    t->pending_signal = (uint32_t)number;
    t->pending_async = async;
}

static enum sn_result delivered(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k, struct sn_reg result)
{
    (void)vm, (void)result;
    t->async_handler -= k->n[0] != 0;
    return SN_DONE;
}

enum sn_result sn_signal_deliver(struct sn_vm *vm, struct sn_task *t)
{
    uint64_t number = t->pending_signal, handler = vm->lib->signal_handler[number];
    struct sn_reg args[3] = {{number, 0}, {0, SN_UNKNOWN}, {0, SN_UNKNOWN}};
    t->pending_signal = 0;
    if (handler == 0 || t->blocked_signals >> number & 1)
        return SN_CALLED; /* nothing to do: go on where it stands */
    sn_push_continuation(t, delivered, SN_NONE)->n[0] = t->pending_async;
    t->async_handler += t->pending_async;
    t->pc--; /* what is called back returns behind the instruction */
    return sn_call_back(vm, t, handler, args, 3);
}

enum { N_PHASE, N_SIGNAL, N_ROUND, N_INSIDE };

/* Waits for a moment when the signal can be delivered, calls the handler, and again. */
static enum sn_result handler_step(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k,
                                   struct sn_reg result)
{
    uint64_t number = k->n[N_SIGNAL];
    struct sn_vsync *s = sn_vsync_at(vm, signal_addr(number), SN_VSYNC_EVENT);
    (void)result;
    if (k->n[N_PHASE] == 1) {
        sn_vsync_release(vm, t, &s->clock);
        s->owner = -1;
        sn_wake_all(vm, s);
        k->n[N_PHASE] = 0;
        return ++k->n[N_ROUND] < ROUNDS ? SN_YIELD : SN_DONE;
    }
    if (vm->lib->signal_handler[number] == 0)
        return SN_DONE;
    if (blocked_everywhere(vm, number)) {
        sn_task_block(vm, t, SN_WAIT_EVENT, NULL, 0);
        t->timed = true;
        return SN_BLOCK;
    }
    if (k->n[N_INSIDE]) {
        interrupt(pick_target(vm, number), number, true);
        return ++k->n[N_ROUND] < ROUNDS ? SN_YIELD : SN_DONE;
    }
    sn_vsync_acquire(vm, t, &s->clock);
    s->owner = (int32_t)t->id;
    k->n[N_PHASE] = 1;
    struct sn_reg args[3] = {{number, 0}, {0, SN_UNKNOWN}, {0, SN_UNKNOWN}};
    return sn_call_back(vm, t, vm->lib->signal_handler[number], args, 3);
}

static void start_handler(struct sn_vm *vm, struct sn_task *t, uint64_t number)
{
    struct sn_task *made = sn_task_native(vm, t, handler_step, "signal handler");
    if (made == NULL)
        return;
    made->signal_handler = true;
    made->kont[0].n[N_SIGNAL] = number;
    made->kont[0].n[N_INSIDE] = sn_choose(vm, 4) == 3;
}

/* Signals that come by themselves: from the terminal, timers, the kernel. Others must be sent. */
static bool comes_by_itself(const struct sn_vm *vm, uint64_t number)
{
    if (number == SIGUSR1 || number == SIGUSR2) /* unless the program itself is the one that sends it */
        return sn_bytecode_find(vm->code, "pthread_kill") == SN_NONE && sn_bytecode_find(vm->code, "kill") == SN_NONE &&
               sn_bytecode_find(vm->code, "raise") == SN_NONE && sn_bytecode_find(vm->code, "sigqueue") == SN_NONE;
    return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT || number == SIGALRM ||
           number == SIGVTALRM || number == SIGPROF || number == SIGCHLD || number == SIGIO || number == SIGWINCH;
}

static bool is_function(const struct sn_vm *vm, struct sn_reg f)
{
    uint32_t i = f.u & SN_VAGUE ? SN_NONE : sn_func_at(vm->code, f.v);
    return i != SN_NONE && vm->code->func[i].entry != SN_NONE;
}

static void install(struct sn_call *c, struct sn_reg number, struct sn_reg func)
{
    if (number.u != 0 || number.v >= SN_SIGNALS)
        return;
    uint64_t *slot = &c->vm->lib->signal_handler[number.v];
    bool was = *slot != 0;
    *slot = is_function(c->vm, func) ? func.v : 0;
    if (*slot != 0 && !was && comes_by_itself(c->vm, number.v))
        start_handler(c->vm, c->t, number.v);
}

static enum sn_result m_signal(struct sn_call *c)
{
    install(c, sn_arg(c, 0), sn_arg(c, 1));
    return sn_return(c, 0);
}

#define SIGACTION_BYTES 152

static enum sn_result m_sigaction(struct sn_call *c)
{
    struct sn_reg act = sn_arg(c, 1), old = sn_arg(c, 2), func = {0, SN_UNKNOWN};
    if (old.v != 0 && sn_touch(c->vm, c->t, old, SIGACTION_BYTES, true))
        sn_range_tag(&c->vm->mem, old.v, SIGACTION_BYTES, SN_INPUT);
    if (act.v != 0 || act.u != 0) {
        sn_load_slow(c->vm, c->t, act, 8, 0, &func); /* sa_handler comes first */
        install(c, sn_arg(c, 0), func);
    }
    return sn_return(c, 0);
}

bool sn_signals_expected(const struct sn_vm *vm)
{
    for (unsigned k = 0; k < SN_SIGNALS; k++)
        if (vm->lib->signal_handler[k] != 0)
            return true;
    return false;
}

/* --- masks: a sigset_t's first word has a bit per signal, from bit 0 for signal 1 --- */

static enum sn_result m_sigset(struct sn_call *c)
{
    struct sn_reg set = sn_arg(c, 0), number = sn_arg(c, 1);
    uint64_t now = set.u == 0 ? sn_peek(c->vm, set.v, 8) : 0;
    uint64_t bit = number.u == 0 && number.v >= 1 && number.v <= 64 ? 1ull << (number.v - 1) : 0;
    switch (sn_model_of(c)->extra) {
    case 0: now = 0; break;
    case 1: now = ~0ull; break;
    case 2: now |= bit; break;
    case 3: now &= ~bit; break;
    default: return sn_return(c, (now & bit) != 0);
    }
    if (set.u == 0)
        sn_poke(c->vm, set.v, 8, now);
    return sn_return(c, 0);
}

/* Blocking excludes the handler from now on; what it did before is known. Unblocking lets it in. */
static void set_mask(struct sn_call *c, uint64_t mask)
{
    struct sn_task *t = c->t;
    for (uint64_t number = 1; number < 64; number++) {
        bool was = t->blocked_signals >> number & 1, is = mask >> (number - 1) & 1;
        if (was == is || c->vm->lib->signal_handler[number] == 0)
            continue;
        struct sn_vsync *s = sn_vsync_at(c->vm, signal_addr(number), SN_VSYNC_EVENT);
        if (is)
            sn_vsync_acquire(c->vm, t, &s->clock);
        else
            sn_vsync_release(c->vm, t, &s->clock);
    }
    t->blocked_signals = mask << 1;
}

/* A handler that simulates an interruption of this very thread is finished before the thread goes on. */
static bool must_wait(struct sn_call *c, uint64_t mask)
{
    for (uint64_t number = 1; number < 64; number++) {
        bool was = c->t->blocked_signals >> number & 1, is = mask >> (number - 1) & 1;
        struct sn_vsync *s = is && !was ? sn_vsync_find(c->vm, signal_addr(number), SN_VSYNC_EVENT) : NULL;
        if (s != NULL && s->owner >= 0 && s->owner != (int32_t)c->t->id) {
            sn_task_block(c->vm, c->t, SN_WAIT_EVENT, s, 0);
            return true;
        }
    }
    return false;
}

static enum sn_result m_sigmask(struct sn_call *c)
{
    struct sn_reg how = sn_arg(c, 0), set = sn_arg(c, 1), old = sn_arg(c, 2);
    uint64_t now = c->t->blocked_signals >> 1;
    bool sets = set.v != 0 && set.u == 0;
    uint64_t bits = sets ? sn_peek(c->vm, set.v, 8) : 0;
    uint64_t mask = !sets ? now : how.v == SIG_BLOCK ? now | bits : how.v == SIG_UNBLOCK ? now & ~bits : bits;
    if (must_wait(c, mask))
        return SN_BLOCK;
    if (old.v != 0 && old.u == 0)
        sn_poke(c->vm, old.v, 8, now);
    set_mask(c, mask);
    return sn_return(c, 0);
}

/* --- sending --- */

static enum sn_result raised(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k, struct sn_reg result)
{
    (void)vm, (void)t, (void)result;
    k->result = (struct sn_reg){0, 0};
    return SN_DONE;
}

/* raise(n) runs the handler now, in this thread. */
static enum sn_result m_raise(struct sn_call *c)
{
    struct sn_reg number = sn_arg(c, 0);
    if (number.u != 0 || number.v >= SN_SIGNALS || c->vm->lib->signal_handler[number.v] == 0)
        return number.u == 0 && (number.v == SIGABRT || number.v == SIGKILL) ? SN_END : sn_return(c, 0);
    sn_push_continuation(c->t, raised, c->dst);
    return sn_call_back(c->vm, c->t, c->vm->lib->signal_handler[number.v], &number, 1);
}

/* kill(pid, n): in any thread; pthread_kill(thread, n) and tgkill: in that one. */
static enum sn_result m_kill(struct sn_call *c)
{
    struct sn_reg number = sn_arg(c, 1), handle = sn_arg(c, 0);
    if (number.u != 0 || number.v == 0 || number.v >= SN_SIGNALS || c->vm->lib->signal_handler[number.v] == 0)
        return sn_return(c, 0);
    bool named = sn_model_of(c)->extra != 0;
    struct sn_task *target = named && handle.u == 0 ? sn_task_of_handle(c->vm, handle.v) : NULL;
    interrupt(named ? target : pick_target(c->vm, number.v), number.v, false);
    return sn_return(c, 0);
}

/* --- timers --- */

enum { T_FUNC, T_VALUE, T_VALUE_TAINT, T_LEFT, T_TIMER };

/* Every expiry is a new thread, which may overlap with the one before. */
static enum sn_result timer_step(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k, struct sn_reg result)
{
    (void)result;
    const struct sn_vsync *timer = sn_vsync_at(vm, k->n[T_TIMER], SN_VSYNC_EVENT);
    if (k->n[T_LEFT] == 0 || timer->destroyed)
        return SN_DONE;
    struct sn_reg value = {k->n[T_VALUE], k->n[T_VALUE_TAINT]};
    uint64_t func = k->n[T_FUNC];
    k->n[T_LEFT]--;
    struct sn_task *made = sn_start_thread(vm, t, (struct sn_reg){func, 0}, &value, 1);
    if (made != NULL) {
        made->role = "timer";
        made->made = t->made; /* the user thinks of the place that armed it */
        made->daemon = true;
        vm->live--;
    }
    return SN_YIELD;
}

#define SIGEVENT_NOTIFY 12
#define SIGEVENT_FUNCTION 16
#define SIGEV_AS_THREAD 2

/* timer_create(clock, sigevent, &timer): the timer is a block that remembers function and value. */
static enum sn_result m_timer_create(struct sn_call *c)
{
    struct sn_reg event = sn_arg(c, 1), out = sn_arg(c, 2), value = {0, 0}, func = {0, SN_UNKNOWN}, notify = {0, 0};
    uint32_t at = sn_simmem_take(&c->vm->mem, 32, 16, 0);
    if (at == 0)
        return SN_END;
    if (event.v != 0 && sn_usable(c->vm, c->t, event, 32, false)) {
        sn_load_slow(c->vm, c->t, event, 8, 0, &value);
        sn_load_slow(c->vm, c->t, (struct sn_reg){event.v + SIGEVENT_NOTIFY, 0}, 4, 0, &notify);
        sn_load_slow(c->vm, c->t, (struct sn_reg){event.v + SIGEVENT_FUNCTION, 0}, 8, 0, &func);
    }
    bool as_thread = notify.v == SIGEV_AS_THREAD && !(func.u & SN_VAGUE);
    sn_poke(c->vm, at, 8, as_thread ? func.v : 0);
    sn_poke(c->vm, at + 8, 8, value.v);
    sn_poke(c->vm, at + 16, 8, value.u);
    sn_store_slow(c->vm, c->t, out, 8, SN_ACC_WRITE, (struct sn_reg){at, 0});
    return sn_return(c, 0);
}

/* itimerspec: interval (two words), then first expiry (two words). All zero disarms. */
static enum sn_result m_timer_settime(struct sn_call *c)
{
    struct sn_reg timer = sn_arg(c, 0), spec = sn_arg(c, 2), w[4];
    if (timer.u & SN_VAGUE || spec.u & SN_VAGUE || !sn_usable(c->vm, c->t, spec, 32, false))
        return sn_return(c, 0);
    for (unsigned k = 0; k < 4; k++)
        sn_load_slow(c->vm, c->t, (struct sn_reg){spec.v + 8 * k, 0}, 8, 0, &w[k]);
    uint64_t func = sn_peek(c->vm, timer.v, 8);
    bool armed = w[2].v != 0 || w[3].v != 0, periodic = w[0].v != 0 || w[1].v != 0;
    sn_vsync_at(c->vm, timer.v, SN_VSYNC_EVENT)->destroyed = !armed;
    if (!armed || func == 0)
        return sn_return(c, 0);
    struct sn_task *t = sn_task_native(c->vm, c->t, timer_step, "timer");
    if (t != NULL) {
        uint64_t n[] = {func, sn_peek(c->vm, timer.v + 8, 8), sn_peek(c->vm, timer.v + 16, 8),
                        periodic ? EXPIRIES : 1, timer.v};
        memcpy(t->kont[0].n, n, sizeof n);
    }
    return sn_return(c, 0);
}

static enum sn_result m_timer_delete(struct sn_call *c)
{
    if (sn_arg(c, 0).u == 0)
        sn_vsync_at(c->vm, sn_arg(c, 0).v, SN_VSYNC_EVENT)->destroyed = true;
    return sn_return(c, 0);
}

static enum sn_result m_zero(struct sn_call *c) { return sn_return(c, 0); }

#define P (SN_MODEL_POINT | SN_MODEL_ANY)
static const struct sn_model models[] = {
    {"signal", m_signal, P, 0}, {"sigset", m_signal, P, 0}, {"bsd_signal", m_signal, P, 0}, {"sysv_signal", m_signal, P, 0},
    {"sigaction", m_sigaction, P, 0}, {"sigemptyset", m_sigset, 0, 0}, {"sigfillset", m_sigset, 0, 1},
    {"sigaddset", m_sigset, 0, 2}, {"sigdelset", m_sigset, 0, 3}, {"sigismember", m_sigset, 0, 4},
    {"sigprocmask", m_sigmask, P, 0}, {"pthread_sigmask", m_sigmask, P, 0}, {"raise", m_raise, P, 0},
    {"kill", m_kill, P, 0}, {"pthread_kill", m_kill, P, 1}, {"sigqueue", m_kill, P, 0}, {"killpg", m_kill, P, 0},
    {"alarm", m_zero, P, 0}, {"ualarm", m_zero, P, 0}, {"setitimer", m_zero, P, 0},
    {"getitimer", m_zero, 0, 0}, {"sigaltstack", m_zero, 0, 0}, {"siginterrupt", m_zero, 0, 0},
    {"timer_create", m_timer_create, P, 0}, {"timer_settime", m_timer_settime, P, 0},
    {"timer_delete", m_timer_delete, P, 0}, {"timer_gettime", m_zero, 0, 0}, {"timer_getoverrun", m_zero, 0, 0},
};
const struct sn_model_table sn_models_signal = {models, sizeof models / sizeof *models};
