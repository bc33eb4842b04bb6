/*
 * unwind.h: the call stack of the calling thread from saved registers, by the unwind tables that
 * every module carries (.eh_frame), so that no frame pointers are needed.
 */
#ifndef SN_RUNTIME_UNWIND_H
#define SN_RUNTIME_UNWIND_H

#include <stdint.h>

#include "core/engine.h"

/* Return addresses, innermost first, beginning with the call's site. Reads memory of the thread's
 * own stack only. Returns their number, at least 1. */
unsigned sn_unwind(const struct sn_call *c, const struct sn_thread *t, uintptr_t *pcs, unsigned max);
/* The same as a calling context (core/ctx.h). */
uint32_t sn_unwind_where(const struct sn_call *c, const struct sn_thread *t);

#endif
