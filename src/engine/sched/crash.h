/* crash.h: a program that dies in a schedule leaves where and by what. */
#ifndef SN_ENGINE_SCHED_CRASH_H
#define SN_ENGINE_SCHED_CRASH_H

void sn_crash_init(void);

#endif
