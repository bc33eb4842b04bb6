/* syscall.h: what syscall() leads to, by number. */
#ifndef SN_RUNTIME_SYSCALL_H
#define SN_RUNTIME_SYSCALL_H

#include <stdbool.h>
#include <stdint.h>

/* futex.c */
long sn_syscall_futex(const long a[6], uintptr_t pc);
/* clone.c: does this return in a child with a copy of the memory? And such a call. */
bool sn_syscall_forks(long number, const long a[6]);
long sn_syscall_fork(long number, const long a[6]);

#endif
