/*
 * operator_new.c: C++ operator new and delete, by their mangled names.
 *
 * libstdc++'s reach malloc and would be seen there, but at an address inside libstdc++: the place
 * in the program would be lost. operator new may throw and may call the program's new-handler, so
 * it runs outside the hook; an allocator whose operator new does not use malloc is told here. Where
 * there is no C++ library (yet), malloc does; there is nobody to throw then.
 */
#include "runtime/alloc.h"

#include "core/small.h"
#include "runtime/emit.h"
#include "runtime/real.h"

static void *allocated(void *p, size_t size, uintptr_t pc)
{
    if (sn_alloc_site_used() || !p)
        return p;
    struct sn_thread *t = sn_hook_enter(pc);
    if (t) {
        sn_alloc_tell(t, p, size, pc);
        sn_hook_leave(t);
    }
    return p;
}

static void *without_library(size_t size, size_t align)
{
    void *p = align > 16 ? aligned_alloc(align, (size + align - 1) & ~(align - 1))
                         : malloc(size ? size : 1);
    if (!p)
        abort();
    return p;
}

#define NEW(name, params, args, size, align)                                                       \
    SN_EXPORT void *name params;                                                                   \
    SN_EXPORT void *name params                                                                    \
    {                                                                                              \
        uintptr_t pc = SN_CALLER;                                                                  \
        void *(*real)params = (void *(*)params)sn_real_operator(SN_OPERATOR_##name);               \
        sn_alloc_site(pc);                                                                         \
        return allocated(real ? real args : without_library(size, align), size, pc);               \
    }

NEW(_Znwm, (size_t n), (n), n, 1)
NEW(_Znam, (size_t n), (n), n, 1)
NEW(_ZnwmRKSt9nothrow_t, (size_t n, const void *nt), (n, nt), n, 1)
NEW(_ZnamRKSt9nothrow_t, (size_t n, const void *nt), (n, nt), n, 1)
NEW(_ZnwmSt11align_val_t, (size_t n, size_t a), (n, a), n, a)
NEW(_ZnamSt11align_val_t, (size_t n, size_t a), (n, a), n, a)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t n, size_t a, const void *nt), (n, a, nt), n, a)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t n, size_t a, const void *nt), (n, a, nt), n, a)

/* The real operator delete runs inside the hook: it throws nothing and calls nobody. */
#define DELETE(name, params, args)                                                                 \
    SN_EXPORT void name params;                                                                    \
    SN_EXPORT void name params                                                                     \
    {                                                                                              \
        uintptr_t pc = SN_CALLER;                                                                  \
        void(*real) params = (void(*) params)sn_real_operator(SN_OPERATOR_##name);                 \
        if (!p)                                                                                    \
            return;                                                                                \
        if (!real) {                                                                               \
            free(p);                                                                               \
            return;                                                                                \
        }                                                                                          \
        struct sn_thread *t = sn_hook_enter(pc);                                                   \
        if (t)                                                                                     \
            sn_free_tell(t, p, pc);                                                                \
        if (sn_is_small(p) && sn_real_operator_frees(SN_OPERATOR_##name))                          \
            sn_free_small(t, p);                                                                   \
        else                                                                                       \
            real args;                                                                             \
        if (t)                                                                                     \
            sn_hook_leave(t);                                                                      \
    }

DELETE(_ZdlPv, (void *p), (p))
DELETE(_ZdaPv, (void *p), (p))
DELETE(_ZdlPvm, (void *p, size_t n), (p, n))
DELETE(_ZdaPvm, (void *p, size_t n), (p, n))
DELETE(_ZdlPvRKSt9nothrow_t, (void *p, const void *nt), (p, nt))
DELETE(_ZdaPvRKSt9nothrow_t, (void *p, const void *nt), (p, nt))
DELETE(_ZdlPvSt11align_val_t, (void *p, size_t a), (p, a))
DELETE(_ZdaPvSt11align_val_t, (void *p, size_t a), (p, a))
DELETE(_ZdlPvmSt11align_val_t, (void *p, size_t n, size_t a), (p, n, a))
DELETE(_ZdaPvmSt11align_val_t, (void *p, size_t n, size_t a), (p, n, a))
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t a, const void *nt), (p, a, nt))
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t a, const void *nt), (p, a, nt))
