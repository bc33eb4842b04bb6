/*
 * stack_cache.h: call stacks that were walked before. The stack is the same when the same return
 * addresses lie at the same places: looking costs a load per frame instead of the unwind tables.
 */
#ifndef SN_RUNTIME_STACK_CACHE_H
#define SN_RUNTIME_STACK_CACHE_H

#include <stdint.h>

#include "core/engine.h"

#define SN_CACHED_FRAMES 24 /* deeper stacks are walked each time */

/* The calling context at the call; 0: it is not known. Touches no vector register. */
uint32_t sn_stack_cache_find(const struct sn_call *c, const struct sn_thread *t);
/* It was walked: the places of its n return addresses, outside the call's own. */
void sn_stack_cache_put(const struct sn_call *c, const uintptr_t *slot, unsigned n, uint32_t where);

#endif
