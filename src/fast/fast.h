/*
 * fast.h: what fast.c, inside the program, needs of the library: the names that every libsnag-*.so
 * exports for it. Programs carry fast.c as it was when they were linked, so a change of what these
 * mean (struct sn_race_hot, the shadow's layout, the call frames) is a new SONAME.
 */
#ifndef SN_FAST_FAST_H
#define SN_FAST_FAST_H

#include <stdint.h>

/* Function entry and exit as the engine has them. */
void snag_call(uintptr_t caller, uintptr_t rsp, uintptr_t rbp);
void snag_return(void);

#endif
