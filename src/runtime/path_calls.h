/*
 * path_calls.h: function entry and exit for the access.h of an engine that wants calls on the
 * shadow stack and nothing more.
 */
#ifndef SN_PATH_CALLS_H
#define SN_PATH_CALLS_H

#include <stdint.h>

#include "core/ctx_cache.h"
#include "core/sys.h"
#include "core/thread.h"

static inline void sn_access_func_entry(uintptr_t caller, uintptr_t rsp, uintptr_t rbp)
{
    struct sn_thread *t = sn_self;
    if (SN_LIKELY(t != 0))
        sn_call_push(t, caller, rsp, rbp);
}

static inline void sn_access_func_exit(void)
{
    struct sn_thread *t = sn_self;
    if (SN_LIKELY(t != 0))
        sn_call_pop(t);
}

#endif
