/*
 * unwind_hook.c: who called a library that called a hook: std::thread and g_thread_new() make threads in libraries
 * that are not instrumented.
 */
#include "core/ctx.h"
#include "core/ctx_cache.h"
#include "core/thread.h"
#include "runtime/instrumented.h"
#include "runtime/unwind.h"

/* The number of frames up to the first instrumented one, and with it; all: there is none. */
static unsigned count_outside(const uintptr_t *pcs, unsigned n, bool *reached)
{
    for (unsigned i = 0; i < n; i++) {
        *reached = sn_instrumented(pcs[i]);
        if (*reached)
            return i + 1;
    }
    return n;
}

uint32_t sn_unwind_hook(struct sn_thread *t, uintptr_t pc)
{
    uintptr_t all[SN_MAX_STACK];
    bool reached = false;
    unsigned n = sn_instrumented(pc) ? 0 : sn_unwind_here(t, all, SN_MAX_STACK), own = 0;
    while (own < n && all[own] != pc)
        own++;
    n = count_outside(all + own, n - own, &reached);
    if (n == 0)
        return sn_ctx_where(t, pc);
    uint32_t where = reached ? sn_ctx_here(t) : 0;
    while (n-- > 0) {
        uint32_t node = sn_ctx_leaf(where, all[own + n]);
        if (!node)
            return where;
        where = node;
    }
    return where;
}
