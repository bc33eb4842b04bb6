/* syscall.c: system calls that a program makes by number: those that libc's functions have a hook
 * for. */
#include "runtime/syscall.h"

#include <errno.h>
#include <stdarg.h>

#include "core/engine.h"
#include "runtime/emit.h"
#include "runtime/process.h"
#include "runtime/real.h"

static long affinity(long number, const long a[6])
{
    long r = sn_engine_affinity(number, (int)a[0], (size_t)a[1], (void *)a[2]);
    if (r >= 0)
        return r;
    errno = (int)-r;
    return -1;
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
        return sn_syscall_futex(a, SN_CALLER);
    if (sn_syscall_forks(number, a))
        return sn_syscall_fork(number, a);
    if ((number == SYS_sched_getaffinity || number == SYS_sched_setaffinity) && sn_engine_affinity)
        return affinity(number, a);
    if (number == SYS_exit_group)
        sn_process_ends();
    return sn_pass(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
