/*
 * touch.h: library calls that read or write the program's memory for it. They count as accesses at
 * the place of the call when instrumented code made it. The engine's access.h is inlined here, so
 * an engine without accesses pays nothing.
 */
#ifndef SN_RUNTIME_TOUCH_H
#define SN_RUNTIME_TOUCH_H

#include "access.h"
#include "runtime/hook.h"
#include "runtime/instrumented.h"

/* Whether what this call touches is to be told. */
static inline bool sn_touching(uintptr_t pc)
{
#ifdef SN_ACCESS_NONE
    (void)pc;
    return false;
#else
    struct sn_thread *t = sn_self;
    return sn_any_instrumented && t && sn_ready && !t->in_hook && sn_instrumented(pc);
#endif
}

static inline void sn_touch_read(const void *p, size_t n, uintptr_t pc)
{
    if (n)
        sn_access_read_range((uintptr_t)p, n, pc);
}

static inline void sn_touch_write(const void *p, size_t n, uintptr_t pc)
{
    if (n)
        sn_access_write_range((uintptr_t)p, n, pc);
}

#endif
