/* tasks.h: what the other threads of the process are doing, asked of the kernel. */
#ifndef SN_SA_TASKS_H
#define SN_SA_TASKS_H

#include <stdint.h>

/* 1: some other thread may come, and none waits for a mutex of thread `me`. */
int sn_tasks_let_stall(uint32_t me);

#endif
