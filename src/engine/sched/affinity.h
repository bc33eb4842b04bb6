/*
 * affinity.h: one processor for one execution. Only one thread runs at a time, so a second
 * processor only makes handing on the baton dearer. The program does not see it: it is told of the
 * processors that it was given, and what it asks for is remembered.
 */
#ifndef SN_ENGINE_SCHED_AFFINITY_H
#define SN_ENGINE_SCHED_AFFINITY_H

void sn_affinity_init(void); /* which processors the program was given */
void sn_affinity_pin(void);  /* this thread, and those it creates, stay where it is now */
void sn_affinity_unpin(void);

#endif
