/*
 * futex.c: locks that a program builds on syscall(SYS_futex, …). A wake is a release and a wait
 * that saw the word changed is an acquire. Their object is not the word itself, which is an atomic
 * variable with clocks of its own, but a byte inside it.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>

#include "runtime/deadlock.h"
#include "runtime/emit.h"
#include "runtime/real.h"

static uintptr_t object(long word)
{
    return (uintptr_t)word + 2;
}

static bool wakes(long op)
{
    switch (op & FUTEX_CMD_MASK) {
    case FUTEX_WAKE:
    case FUTEX_WAKE_OP:
    case FUTEX_WAKE_BITSET:
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
    case FUTEX_UNLOCK_PI:
        return true;
    default:
        return false;
    }
}

static bool waits(long op)
{
    switch (op & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_LOCK_PI:
    case FUTEX_TRYLOCK_PI:
        return true;
    default:
        return false;
    }
}

/* Nobody but a thread of this process can end it. */
static bool waits_for_ever(const long a[6])
{
    long command = a[1] & FUTEX_CMD_MASK;
    return (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) && !a[3] &&
           (a[1] & FUTEX_PRIVATE_FLAG);
}

static long outside(struct sn_thread *t, const long a[6])
{
    long r;
    if (waits_for_ever(a))
        sn_wait_unknown(t);
    SN_OUTSIDE(t, r, sn_real.syscall(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]));
    sn_wait_end(t);
    return r;
}

/* What a gate gets: addr = the word, size = the operation; a wait's value is what the word should
 * be and arg its time limit; a wake's value is how many. Requeueing wakes all: who is woken looks
 * at the word again. Operations with other effects are left to the kernel. */
static struct sn_event for_gate(const long a[6], uintptr_t pc)
{
    struct sn_event ev = {
        .addr = (uintptr_t)a[0], .size = (uint64_t)a[1], .pc = pc, .value = (uint32_t)a[2]};
    switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        ev.op = SN_EV_ACQUIRE;
        ev.arg = (const void *)a[3];
        break;
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
        ev.value = INT32_MAX;
        ev.op = SN_EV_RELEASE_MERGE;
        break;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
        ev.op = SN_EV_RELEASE_MERGE;
        break;
    default:
        break;
    }
    return ev;
}

static long futex(const long a[6], uintptr_t pc)
{
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return sn_pass(syscall)(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
    long r;
    struct sn_event ev = for_gate(a, pc);
    if (wakes(a[1]))
        SN_EMIT(t, RELEASE_MERGE, .addr = object(a[0]), .pc = pc);
    if (ev.op != SN_EV_NONE && sn_gate(t, &ev) == SN_DONE)
        r = ev.result;
    else
        r = outside(t, a);
    if (waits(a[1]) && (r == 0 || (r == -1 && errno == EAGAIN)))
        SN_EMIT(t, ACQUIRE, .addr = object(a[0]), .pc = pc);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT long syscall(long number, ...)
{
    long a[6];
    va_list ap;
    va_start(ap, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    if (number == SYS_futex)
        return futex(a, SN_CALLER);
    if (number == SYS_exit_group)
        sn_runtime_exit();
    return sn_pass(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
