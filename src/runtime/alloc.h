/* alloc.h: what hooks beside malloc's own tell about blocks. */
#ifndef SN_RUNTIME_ALLOC_H
#define SN_RUNTIME_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/thread.h"

/* Before the first hook, when the real functions are known. */
void sn_alloc_begin(void);
/* The next allocation (or free) of this thread is made for the call at pc: a wrapper such as
 * operator new or strdup, whose own address would say nothing. */
void sn_alloc_site(uintptr_t pc);
/* Whether an allocation has come since; forgets the site. */
bool sn_alloc_site_used(void);

/* Inside a hook, until sn_alloc_scratch(0, 0): what libc allocates for snag comes from there, as long
 * as there is room, and not from the program's heap. */
void sn_alloc_scratch(char *from, size_t bytes);

/* Inside a hook: the block is new; the block is about to be freed. */
void sn_alloc_tell(struct sn_thread *t, void *p, size_t size, uintptr_t pc);
void sn_free_tell(struct sn_thread *t, void *p, uintptr_t pc);
/* A block of core/small.h; t is null outside of a hook. Ends the process if it is none. */
void sn_free_small(struct sn_thread *t, void *p);

#endif
