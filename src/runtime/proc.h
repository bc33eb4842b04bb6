/* proc.h: what the kernel knows about this process, read from /proc without libc. */
#ifndef SN_RUNTIME_PROC_H
#define SN_RUNTIME_PROC_H

#include <stdbool.h>
#include <stdint.h>

int sn_proc_threads(void);        /* that have not ended; -1: not known */
bool sn_proc_sleeps(int tid);     /* waits in the kernel, and nothing has woken it yet */
char sn_proc_state(int tid);      /* the kernel's letter: S asleep, R runs; 0: it is gone */
uint64_t sn_proc_ran_ns(int tid); /* processor time of the thread */
/* A file of the thread's folder, "stat", as a string; false: there is nothing. */
bool sn_proc_task(int tid, const char *file, char *text, long room);
bool sn_proc_catches_signals(void); /* some handler is installed; true when not known */
/* Calls fn with every thread id; false when they cannot be read. */
bool sn_proc_each_thread(void (*fn)(int tid, void *arg), void *arg);

#endif
