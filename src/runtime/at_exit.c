/*
 * at_exit.c: functions that run at exit, or when their module is unloaded. Whoever registered one
 * did so before it runs, whichever thread that is.
 *
 * atexit() itself is part of every module, not of libc.so. Only programs linked against gcc's
 * libtsan take it from there; compat.map gives snag's under a version that the static linker does
 * not offer, so that other programs keep their own, which knows the module to which it belongs.
 */
#include "core/slab.h"
#include "runtime/emit.h"
#include "runtime/real.h"

struct registered {
    uint32_t free_link; /* the slab's own */
    uint32_t handle;
    void (*fn)(void *);
    void *arg;
};

/* More are registered without their edge. */
SN_SLAB(all, struct registered, 8, 1u << 16);

static void run(void *p)
{
    struct registered *slot = p, r = *slot;
    struct sn_thread *t = sn_hook_enter((uintptr_t)r.fn);
    if (t) {
        SN_EMIT(t, ACQUIRE, .addr = (uintptr_t)slot, .pc = (uintptr_t)r.fn);
        sn_hook_leave(t);
    }
    sn_slab_free(&all, r.handle);
    r.fn(r.arg);
}

static int add(void (*fn)(void *), void *arg, void *module, uintptr_t pc)
{
    struct sn_thread *t = sn_hook_enter(pc);
    uint32_t h = t ? sn_slab_alloc(&all) : 0;
    if (h) {
        struct registered *r = sn_slab_at(&all, h);
        *r = (struct registered){.handle = h, .fn = fn, .arg = arg};
        SN_EMIT(t, RELEASE_MERGE, .addr = (uintptr_t)r, .pc = pc);
        fn = run;
        arg = r;
    }
    int result = sn_pass(__cxa_atexit)(fn, arg, module);
    if (t)
        sn_hook_leave(t);
    return result;
}

SN_EXPORT int __cxa_atexit(void (*fn)(void *), void *arg, void *module)
{
    return add(fn, arg, module, SN_CALLER);
}

SN_EXPORT int sn_compat_atexit(void (*fn)(void));
SN_EXPORT int sn_compat_atexit(void (*fn)(void))
{
    return add((void (*)(void *))(void *)fn, 0, 0, SN_CALLER);
}
__asm__(".symver sn_compat_atexit, atexit@SNAG_TSAN, remove");
