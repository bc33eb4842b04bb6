/*
 * fast.c: the part of the TSan ABI that `snag cc` links into every module: the look at the shadow
 * and the calls' frames, without a jump through the PLT. That jump into another library costs more
 * than all that is done here.
 *
 * This is the race engine's first look (engine/race/access.h). With every other engine the epoch is
 * 0, and all accesses and calls go on to the library.
 */
#define sn_race_hot snag_hot
#define sn_shadow_dir snag_dir
#define sn_self snag_self
#define sn_call_push_slow snag_call_push_slow
#include "access.h"

#include "core/ctx_cache.h"
#include "fast/fast.h"

#define FAST __attribute__((visibility("hidden")))

/* Of the granule; 0 when the library has to see to the access. */
static inline __attribute__((always_inline)) uintptr_t bias_for(uintptr_t addr)
{
    return SN_LIKELY(sn_race_hot.epoch != 0) ? sn_shadow_bias(addr) : 0;
}

#define ACCESS(size, miss_read, miss_write)                                                        \
    void __tsan_read##size##_pc(void *p, void *pc);                                                \
    void __tsan_write##size##_pc(void *p, void *pc);                                               \
    FAST void __tsan_read##size(void *p);                                                          \
    FAST void __tsan_read##size(void *p)                                                           \
    {                                                                                              \
        uintptr_t bias = bias_for((uintptr_t)p);                                                   \
        struct sn_granule *g = sn_granule_at(bias, (uintptr_t)p);                                  \
        if (SN_UNLIKELY(!bias))                                                                    \
            __tsan_read##size##_pc(p, __builtin_return_address(0));                                \
        else if (SN_UNLIKELY(!sn_race_saw_read((uintptr_t)p, size, g)))                            \
            miss_read;                                                                             \
    }                                                                                              \
    FAST void __tsan_write##size(void *p);                                                         \
    FAST void __tsan_write##size(void *p)                                                          \
    {                                                                                              \
        uintptr_t bias = bias_for((uintptr_t)p);                                                   \
        struct sn_granule *g = sn_granule_at(bias, (uintptr_t)p);                                  \
        if (SN_UNLIKELY(!bias))                                                                    \
            __tsan_write##size##_pc(p, __builtin_return_address(0));                               \
        else if (SN_UNLIKELY(!sn_race_saw_write((uintptr_t)p, size, g)))                           \
            miss_write;                                                                            \
    }
#define SIZED(size)                                                                                \
    ACCESS(size, snag_read##size((uintptr_t)p, (uintptr_t)__builtin_return_address(0), g),         \
           snag_write##size((uintptr_t)p, (uintptr_t)__builtin_return_address(0), g))

SIZED(1)
SIZED(2)
SIZED(4)
SIZED(8)
ACCESS(16, __tsan_read16_pc(p, __builtin_return_address(0)),
       __tsan_write16_pc(p, __builtin_return_address(0)))

#define UNALIGNED(size)                                                                            \
    FAST void __tsan_unaligned_read##size(void *p);                                                \
    FAST void __tsan_unaligned_read##size(void *p)                                                 \
    {                                                                                              \
        uintptr_t addr = (uintptr_t)p, bias = bias_for(addr);                                      \
        if (SN_UNLIKELY(!bias || !sn_race_saw_span(addr, size, sn_granule_at(bias, addr), 0)))     \
            snag_unaligned_read##size(addr, (uintptr_t)__builtin_return_address(0));               \
    }                                                                                              \
    FAST void __tsan_unaligned_write##size(void *p);                                               \
    FAST void __tsan_unaligned_write##size(void *p)                                                \
    {                                                                                              \
        uintptr_t addr = (uintptr_t)p, bias = bias_for(addr);                                      \
        if (SN_UNLIKELY(!bias || !sn_race_saw_span(addr, size, sn_granule_at(bias, addr), 1)))     \
            snag_unaligned_write##size(addr, (uintptr_t)__builtin_return_address(0));              \
    }

UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

FAST void __tsan_func_entry(void *caller);
FAST void __tsan_func_entry(void *caller)
{
    uintptr_t rsp, rbp;
    __asm__ volatile("mov %%rbp, %0" : "=r"(rbp)); /* no frame pointer here: the caller's */
    rsp = (uintptr_t)__builtin_dwarf_cfa();        /* value of rsp before the call */
    struct sn_thread *t = sn_race_hot.self;
    if (SN_LIKELY(t != 0))
        sn_call_push(t, (uintptr_t)caller, rsp, rbp);
    else
        snag_call((uintptr_t)caller, rsp, rbp);
}

FAST void __tsan_func_exit(void);
FAST void __tsan_func_exit(void)
{
    struct sn_thread *t = sn_race_hot.self;
    if (SN_LIKELY(t != 0))
        sn_call_pop(t);
    else
        snag_return();
}
