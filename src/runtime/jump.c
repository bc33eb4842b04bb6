/*
 * jump.c: longjmp and its kin. setjmp need not be interposed: the buffer holds the stack pointer to
 * which control returns, disguised by glibc with a per-process key, and every instrumented call has
 * its own on record. Calls that lie deeper than the target are popped.
 *
 * A jump out of a signal handler on an alternate stack leaves all calls of that stack; whether a
 * call was on the thread's own stack is known from its bounds.
 */
#include "runtime/jump.h"

#include "runtime/deadlock.h"
#include "runtime/hook.h"
#include "runtime/real.h"

enum { JMPBUF_RSP = 6 }; /* glibc, x86-64: rbx rbp r12 r13 r14 r15 rsp pc */

static bool on_own_stack(const struct sn_thread *t, uintptr_t rsp)
{
    return rsp - t->stack_low < t->stack_high - t->stack_low;
}

static bool is_left(const struct sn_thread *t, uintptr_t call_rsp, uintptr_t rsp)
{
    bool call_own = on_own_stack(t, call_rsp), own = on_own_stack(t, rsp);
    return call_own == own ? call_rsp < rsp : own;
}

void sn_jump_to(uintptr_t rsp)
{
    struct sn_thread *t = sn_self;
    if (!t)
        return;
    while (t->sp > t->frames && is_left(t, t->sp[-1].rsp, rsp))
        t->sp--;
    sn_thread_has_calls(t);
    t->busy = 0; /* a fault inside an atomic operation ends here too */
    sn_wait_end(t);
    sn_hook_leave(t);
}

static uintptr_t target(const struct __jmp_buf_tag *env)
{
    uintptr_t rsp = (uintptr_t)env->__jmpbuf[JMPBUF_RSP];
    __asm__("ror $17, %0\n\txor %%fs:0x30, %0" : "+r"(rsp) : : "cc");
    return rsp;
}

SN_EXPORT void longjmp(struct __jmp_buf_tag env[1], int value)
{
    sn_jump_to(target(env));
    sn_pass(longjmp)(env, value);
    __builtin_unreachable();
}

SN_EXPORT void _longjmp(struct __jmp_buf_tag env[1], int value)
{
    sn_jump_to(target(env));
    sn_pass(_longjmp)(env, value);
    __builtin_unreachable();
}

SN_EXPORT void siglongjmp(sigjmp_buf env, int value)
{
    sn_jump_to(target(env));
    sn_pass(siglongjmp)(env, value);
    __builtin_unreachable();
}

/* longjmp of programs built with _FORTIFY_SOURCE. */
SN_EXPORT void __longjmp_chk(struct __jmp_buf_tag env[1], int value);
SN_EXPORT void __longjmp_chk(struct __jmp_buf_tag env[1], int value)
{
    sn_jump_to(target(env));
    sn_pass(__longjmp_chk)(env, value);
    __builtin_unreachable();
}
