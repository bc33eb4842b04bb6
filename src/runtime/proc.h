/* proc.h: what the kernel knows about this process, read from /proc without libc. */
#ifndef SN_RUNTIME_PROC_H
#define SN_RUNTIME_PROC_H

#include <stdbool.h>

int sn_proc_threads(void);          /* that have not ended; -1: not known */
bool sn_proc_sleeps(int tid);       /* waits in the kernel, and nothing has woken it yet */
bool sn_proc_catches_signals(void); /* some handler is installed; true when not known */
/* Calls fn with every thread id; false when they cannot be read. */
bool sn_proc_each_thread(void (*fn)(int tid, void *arg), void *arg);

#endif
