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
/* Return addresses from here on: where this function, and those that called it, were called. t: the calling thread. */
unsigned sn_unwind_here(const struct sn_thread *t, uintptr_t *pcs, unsigned max);
/* The context of a hooked call at pc, for hooks that are rare. Code that is not instrumented does not tell where it
 * was called: its frames come from the stack, as far as to the nearest that does. t: the calling thread. */
uint32_t sn_unwind_hook(struct sn_thread *t, uintptr_t pc);

#endif
