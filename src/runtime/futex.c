/*
 * futex.c: locks that a program builds on syscall(SYS_futex, …). A wake is a release and a wait
 * that saw the word changed is an acquire. Their object is not the word itself, which is an atomic
 * variable with clocks of its own, but a byte inside it.
 */
#include <errno.h>
#include <linux/futex.h>

#include "runtime/deadlock.h"
#include "runtime/emit.h"
#include "runtime/library.h"
#include "runtime/real.h"
#include "runtime/syscall.h"

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
    if (waits_for_ever(a) && !sn_lib_wait_begins(t, (uintptr_t)a[0]))
        sn_wait_unknown(t);
    SN_OUTSIDE(t, r, sn_real.syscall(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]));
    sn_wait_end(t);
    return r;
}

/* What a gate gets: addr = the word, size = the operation; a wait's value is what the word should
 * be, arg its time limit and sync the library's lock that the word is; a wake's value is how many.
 * Requeueing wakes all: who is woken looks at the word again. Operations with other effects are left
 * to the kernel. */
static struct sn_event for_gate(const long a[6], uintptr_t pc)
{
    struct sn_event ev = {
        .addr = (uintptr_t)a[0], .size = (uint64_t)a[1], .pc = pc, .value = (uint32_t)a[2]};
    switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        ev.op = SN_EV_ACQUIRE;
        ev.arg = (const void *)a[3];
        ev.sync = a[3] ? 0 : sn_lib_wanted((uintptr_t)a[0], true);
        ev.pc = ev.sync ? sn_lib_wanted_at() : pc;
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

/* The kernel changes the second word; who waits at either looks again. */
static long wake_op(struct sn_thread *t, const long a[6], uintptr_t pc)
{
    long r = sn_real.syscall(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
    for (int i = 0; i < 2 && r >= 0; i++) {
        struct sn_event ev = {.op = SN_EV_RELEASE_MERGE,
                              .addr = (uintptr_t)a[i ? 4 : 0],
                              .size = (uint64_t)a[1],
                              .pc = pc,
                              .value = INT32_MAX};
        if (sn_gate(t, &ev) == SN_DONE)
            r += ev.result;
    }
    return r;
}

long sn_syscall_futex(const long a[6], uintptr_t pc)
{
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return sn_pass(syscall)(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
    long r;
    bool both = (a[1] & FUTEX_CMD_MASK) == FUTEX_WAKE_OP;
    struct sn_event ev = for_gate(a, pc);
    if (wakes(a[1]))
        SN_EMIT(t, RELEASE_MERGE, .addr = object(a[0]), .pc = pc);
    if (both)
        SN_EMIT(t, RELEASE_MERGE, .addr = object(a[4]), .pc = pc);
    if (both)
        r = wake_op(t, a, pc);
    else if (ev.op != SN_EV_NONE && sn_gate(t, &ev) == SN_DONE)
        r = ev.result;
    else
        r = outside(t, a);
    if (waits(a[1]) && (r == 0 || (r == -1 && errno == EAGAIN)))
        SN_EMIT(t, ACQUIRE, .addr = object(a[0]), .pc = pc);
    sn_hook_leave(t);
    return r;
}
