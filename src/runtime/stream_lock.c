/*
 * stream_lock.c: flockfile and its kin: the lock of a stream, which a thread may take again. The
 * locks that stdio takes for itself order nothing that the program relies on: they are not told.
 */
#include <stdio.h>

#include "runtime/deadlock.h"
#include "runtime/emit.h"
#include "runtime/locks.h"
#include "runtime/real.h"

static SN_NOINLINE void wait_for(struct sn_thread *t, struct sn_sync *s, FILE *f, uintptr_t pc)
{
    if (s)
        sn_wait_lock(t, s, false, sn_ctx_where(t, pc));
    SN_EMIT(t, BLOCK, .pc = pc);
    sn_hook_suspend(t);
    sn_real.flockfile(f);
    sn_hook_resume(t);
    SN_EMIT(t, UNBLOCK, .pc = pc);
    sn_wait_end(t);
}

static void took(struct sn_thread *t, struct sn_sync *s, uint8_t flags, uintptr_t pc)
{
    struct sn_held *h = s && sn_owns(t, s) ? sn_held_find(t, s) : 0;
    if (h)
        h->depth++;
    else if (s)
        sn_lock_took(t, s, flags, pc);
}

SN_EXPORT void flockfile(FILE *f)
{
    struct sn_thread *t = sn_enter(SN_CALLER);
    if (!t) {
        sn_pass(flockfile)(f);
        return;
    }
    struct sn_sync *s = sn_sync_get((uintptr_t)f, SN_SYNC_ANY);
    if (sn_real.ftrylockfile(f) != 0)
        wait_for(t, s, f, SN_CALLER);
    took(t, s, 0, SN_CALLER);
    sn_hook_leave(t);
}

SN_EXPORT int ftrylockfile(FILE *f)
{
    struct sn_thread *t = sn_enter(SN_CALLER);
    if (!t)
        return sn_pass(ftrylockfile)(f);
    int r = sn_real.ftrylockfile(f);
    if (r == 0)
        took(t, sn_sync_get((uintptr_t)f, SN_SYNC_ANY), SN_EF_TRY, SN_CALLER);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT void funlockfile(FILE *f)
{
    struct sn_thread *t = sn_enter(SN_CALLER);
    if (!t) {
        sn_pass(funlockfile)(f);
        return;
    }
    struct sn_sync *s = sn_sync_find((uintptr_t)f);
    struct sn_held *h = s && sn_owns(t, s) ? sn_held_find(t, s) : 0;
    if (h && h->depth)
        h->depth--;
    else if (h)
        sn_lock_gives(t, s, h, 0, SN_CALLER);
    sn_real.funlockfile(f);
    sn_hook_leave(t);
}
