#define _GNU_SOURCE
#include "hidden.h"

#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

void hidden_set(int *word, int value)
{
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

void hidden_wait(int *word, int value)
{
    while (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value)
        sched_yield();
}

void hidden_meet(int *word, int n)
{
    __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(word, __ATOMIC_SEQ_CST) < n)
        sched_yield();
}

void hidden_ask(int *word, int say, int answer)
{
    hidden_set(word, say);
    hidden_wait(word, answer);
}

void hidden_answer(int *word, int question, int answer, int bye)
{
    hidden_wait(word, question);
    hidden_set(word, answer);
    hidden_wait(word, bye);
}

void hidden_pass_on(int *from, int *to)
{
    if (from)
        hidden_wait(from, 1);
    hidden_set(to, 1);
}

void hidden_call_then_set(int *word, void (*call)(void))
{
    call();
    hidden_set(word, 1);
}

void hidden_wait_then_call(int *word, void (*call)(void))
{
    hidden_wait(word, 1);
    call();
}

void hidden_set_inside(int **box)
{
    hidden_set(*box, 1);
}

void hidden_wait_inside(int **box)
{
    hidden_wait(*box, 1);
}

static int bell;

void hidden_ring(void)
{
    hidden_set(&bell, 1);
}

void hidden_listen(void)
{
    hidden_wait(&bell, 1);
}

void hidden_raise_then_set(int *word, int sig)
{
    syscall(SYS_tgkill, getpid(), gettid(), sig);
    hidden_set(word, 1);
}

static int steps_left, step_signal;

static void on_trap(int sig, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    (void)sig, (void)info;
    if (--steps_left > 0)
        return;
    u->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)HIDDEN_TRAP_FLAG;
    syscall(SYS_tgkill, getpid(), gettid(), step_signal);
}

void sigreturn_here(void);
__asm__(".hidden sigreturn_here; sigreturn_here: mov $15, %eax; syscall");

/* The kernel is asked directly: this handler is not the program's. */
void hidden_arm(int n, int sig)
{
    enum { RESTORER = 0x04000000 };
    struct {
        void (*handler)(int, siginfo_t *, void *);
        unsigned long flags;
        void (*restorer)(void);
        unsigned long mask;
    } action = {on_trap, SA_SIGINFO | RESTORER, sigreturn_here, ~0ul};
    steps_left = n;
    step_signal = sig;
    syscall(SYS_rt_sigaction, SIGTRAP, &action, 0, 8);
}

void hidden_step(void)
{
    HIDDEN_STEP(or, HIDDEN_TRAP_FLAG);
}

void hidden_stop(void)
{
    HIDDEN_STEP(and, ~HIDDEN_TRAP_FLAG);
}

void hidden_step_then_call(void (*call)(void))
{
    HIDDEN_STEP(or, HIDDEN_TRAP_FLAG);
    call();
    HIDDEN_STEP(and, ~HIDDEN_TRAP_FLAG);
}
