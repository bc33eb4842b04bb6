/*
 * tsan_abi.c: the memory part of the TSan ABI, as gcc and clang emit it: thin entry points, no
 * analysis. The engine's access.h is inlined here; the site is the return address.
 */
#include "access.h"

#include <stddef.h>

#include "core/sys.h"
#include "fast/fast.h"
#include "runtime/emit.h"
#include "runtime/real.h"

#define ACCESS(size)                                                                               \
    SN_EXPORT void __tsan_read##size(void *p);                                                     \
    SN_EXPORT void __tsan_read##size(void *p)                                                      \
    {                                                                                              \
        sn_access_read((uintptr_t)p, size, SN_CALLER);                                             \
    }                                                                                              \
    SN_EXPORT void __tsan_write##size(void *p);                                                    \
    SN_EXPORT void __tsan_write##size(void *p)                                                     \
    {                                                                                              \
        sn_access_write((uintptr_t)p, size, SN_CALLER);                                            \
    }                                                                                              \
    SN_EXPORT void __tsan_read_write##size(void *p);                                               \
    SN_EXPORT void __tsan_read_write##size(void *p)                                                \
    {                                                                                              \
        sn_access_write((uintptr_t)p, size, SN_CALLER);                                            \
    }                                                                                              \
    SN_EXPORT void __tsan_volatile_read##size(void *p)                                             \
        __attribute__((alias("__tsan_read" #size)));                                               \
    SN_EXPORT void __tsan_volatile_write##size(void *p)                                            \
        __attribute__((alias("__tsan_write" #size)));                                              \
    SN_EXPORT void __tsan_read##size##_pc(void *p, void *pc);                                      \
    SN_EXPORT void __tsan_read##size##_pc(void *p, void *pc)                                       \
    {                                                                                              \
        sn_access_read((uintptr_t)p, size, (uintptr_t)pc);                                         \
    }                                                                                              \
    SN_EXPORT void __tsan_write##size##_pc(void *p, void *pc);                                     \
    SN_EXPORT void __tsan_write##size##_pc(void *p, void *pc)                                      \
    {                                                                                              \
        sn_access_write((uintptr_t)p, size, (uintptr_t)pc);                                        \
    }

#pragma GCC diagnostic ignored "-Wattributes"
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

/* Alignment is not known: the bytes may lie in two granules. */
#define UNALIGNED(size)                                                                            \
    SN_EXPORT void snag_unaligned_read##size(uintptr_t p, uintptr_t pc)                            \
    {                                                                                              \
        if (SN_LIKELY((p & 7) + size <= 8 || (size == 16 && !(p & 7))))                            \
            sn_access_read(p, size, pc);                                                           \
        else                                                                                       \
            sn_access_read_range(p, size, pc);                                                     \
    }                                                                                              \
    SN_EXPORT void snag_unaligned_write##size(uintptr_t p, uintptr_t pc)                           \
    {                                                                                              \
        if (SN_LIKELY((p & 7) + size <= 8 || (size == 16 && !(p & 7))))                            \
            sn_access_write(p, size, pc);                                                          \
        else                                                                                       \
            sn_access_write_range(p, size, pc);                                                    \
    }                                                                                              \
    SN_EXPORT void __tsan_unaligned_read##size(void *p);                                           \
    SN_EXPORT void __tsan_unaligned_read##size(void *p)                                            \
    {                                                                                              \
        snag_unaligned_read##size((uintptr_t)p, SN_CALLER);                                        \
    }                                                                                              \
    SN_EXPORT void __tsan_unaligned_write##size(void *p);                                          \
    SN_EXPORT void __tsan_unaligned_write##size(void *p)                                           \
    {                                                                                              \
        snag_unaligned_write##size((uintptr_t)p, SN_CALLER);                                       \
    }                                                                                              \
    SN_EXPORT void __tsan_unaligned_read_write##size(void *p);                                     \
    SN_EXPORT void __tsan_unaligned_read_write##size(void *p)                                      \
    {                                                                                              \
        sn_access_write_range((uintptr_t)p, size, SN_CALLER);                                      \
    }                                                                                              \
    SN_EXPORT void __tsan_unaligned_volatile_read##size(void *p)                                   \
        __attribute__((alias("__tsan_unaligned_read" #size)));                                     \
    SN_EXPORT void __tsan_unaligned_volatile_write##size(void *p)                                  \
        __attribute__((alias("__tsan_unaligned_write" #size)));

UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

SN_EXPORT void __tsan_read_range(void *p, size_t size);
SN_EXPORT void __tsan_read_range(void *p, size_t size)
{
    sn_access_read_range((uintptr_t)p, size, SN_CALLER);
}

SN_EXPORT void __tsan_write_range(void *p, size_t size);
SN_EXPORT void __tsan_write_range(void *p, size_t size)
{
    sn_access_write_range((uintptr_t)p, size, SN_CALLER);
}

SN_EXPORT void __tsan_read_range_pc(void *p, size_t size, void *pc);
SN_EXPORT void __tsan_read_range_pc(void *p, size_t size, void *pc)
{
    sn_access_read_range((uintptr_t)p, size, (uintptr_t)pc);
}

SN_EXPORT void __tsan_write_range_pc(void *p, size_t size, void *pc);
SN_EXPORT void __tsan_write_range_pc(void *p, size_t size, void *pc)
{
    sn_access_write_range((uintptr_t)p, size, (uintptr_t)pc);
}

/* C++ vtable pointers. A store of the value that is there already (a destructor of the same class)
 * is not a change that another thread could see. */
SN_EXPORT void __tsan_vptr_update(void **vptr, void *value);
SN_EXPORT void __tsan_vptr_update(void **vptr, void *value)
{
    if (__atomic_load_n(vptr, __ATOMIC_RELAXED) != value)
        sn_access_write((uintptr_t)vptr, sizeof *vptr, SN_CALLER);
}

SN_EXPORT void __tsan_vptr_read(void **vptr);
SN_EXPORT void __tsan_vptr_read(void **vptr)
{
    sn_access_read((uintptr_t)vptr, sizeof *vptr, SN_CALLER);
}

#ifndef SN_ACCESS_NONE
/* A thread that no create hook made known. */
static SN_NOINLINE void entry_of_unknown(uintptr_t caller, uintptr_t rsp, uintptr_t rbp)
{
    if (sn_adopt())
        sn_access_func_entry(caller, rsp, rbp);
}
#endif

SN_EXPORT void snag_call(uintptr_t caller, uintptr_t rsp, uintptr_t rbp)
{
#ifndef SN_ACCESS_NONE
    if (SN_LIKELY(sn_self != 0))
        sn_access_func_entry(caller, rsp, rbp);
    else
        entry_of_unknown(caller, rsp, rbp);
#else
    (void)caller, (void)rsp, (void)rbp;
#endif
}

SN_EXPORT void snag_return(void)
{
    sn_access_func_exit();
}

SN_EXPORT void __tsan_func_entry(void *caller);
SN_EXPORT void __tsan_func_entry(void *caller)
{
#ifndef SN_ACCESS_NONE
    uintptr_t rsp, rbp;
    __asm__ volatile("mov %%rbp, %0" : "=r"(rbp)); /* no frame pointer here: the caller's */
    rsp = (uintptr_t)__builtin_dwarf_cfa();        /* value of rsp before the call */
    if (SN_LIKELY(sn_self != 0))
        sn_access_func_entry((uintptr_t)caller, rsp, rbp);
    else
        entry_of_unknown((uintptr_t)caller, rsp, rbp);
#else
    (void)caller;
#endif
}

SN_EXPORT void __tsan_func_exit(void);
SN_EXPORT void __tsan_func_exit(void)
{
    sn_access_func_exit();
}

/* clang's replacements for the memory intrinsics. The real copy is libc's. */

SN_EXPORT void *__tsan_memcpy(void *to, const void *from, size_t n);
SN_EXPORT void *__tsan_memcpy(void *to, const void *from, size_t n)
{
    sn_access_read_range((uintptr_t)from, n, SN_CALLER);
    sn_access_write_range((uintptr_t)to, n, SN_CALLER);
    return sn_real.memcpy(to, from, n);
}

SN_EXPORT void *__tsan_memmove(void *to, const void *from, size_t n);
SN_EXPORT void *__tsan_memmove(void *to, const void *from, size_t n)
{
    sn_access_read_range((uintptr_t)from, n, SN_CALLER);
    sn_access_write_range((uintptr_t)to, n, SN_CALLER);
    return sn_real.memmove(to, from, n);
}

SN_EXPORT void *__tsan_memset(void *to, int c, size_t n);
SN_EXPORT void *__tsan_memset(void *to, int c, size_t n)
{
    sn_access_write_range((uintptr_t)to, n, SN_CALLER);
    return sn_real.memset(to, c, n);
}

SN_EXPORT void __tsan_init(void);
SN_EXPORT void __tsan_init(void)
{
    sn_runtime_instrumented();
}
