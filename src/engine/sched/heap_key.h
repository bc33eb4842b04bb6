/* heap_key.h: the mark of freed blocks is the same in every execution. */
#ifndef SN_ENGINE_SCHED_HEAP_KEY_H
#define SN_ENGINE_SCHED_HEAP_KEY_H

void sn_heap_key_fix(void); /* while there is one thread */

#endif
