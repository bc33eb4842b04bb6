/* calls.h: where calls into unrecorded code are seen; see calls.c. */
#ifndef SN_ENGINE_RECORD_CALLS_H
#define SN_ENGINE_RECORD_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* Before main, after the excluded functions are known. */
void sn_calls_init(void);
void sn_calls_refresh(void); /* modules may have come */
/* An excluded function: its entry leads to a stub from now on. false: it has no room for that. */
bool sn_calls_patch(uintptr_t function);
/* A function's arguments that may be pointers, from the command's table. */
void sn_calls_prototype(const char *name, uint64_t length, uint32_t mask);

#endif
