/*
 * fast.c: what programs link with for src/fast when the engine is not `race`: an epoch of 0, "not
 * followed". The race engine's own take the place of these.
 */
#include <stdint.h>

#include "core/sys.h"
#include "fast/fast.h"

/* struct sn_race_hot and sn_shadow_dir of engine/race */
SN_EXPORT __attribute__((weak, tls_model("initial-exec"))) __thread uint64_t snag_hot[3];
SN_EXPORT __attribute__((weak)) uintptr_t snag_dir[1];

/* With an epoch of 0 nobody comes here; programs are linked with it all the same. */
#define SIZED(size)                                                                                \
    void __tsan_read##size##_pc(void *p, void *pc);                                                \
    void __tsan_write##size##_pc(void *p, void *pc);                                               \
    SN_EXPORT __attribute__((weak)) void snag_read##size(uintptr_t addr, uintptr_t pc,             \
                                                         struct sn_granule *g)                     \
    {                                                                                              \
        (void)g;                                                                                   \
        __tsan_read##size##_pc((void *)addr, (void *)pc);                                          \
    }                                                                                              \
    SN_EXPORT __attribute__((weak)) void snag_write##size(uintptr_t addr, uintptr_t pc,            \
                                                          struct sn_granule *g)                    \
    {                                                                                              \
        (void)g;                                                                                   \
        __tsan_write##size##_pc((void *)addr, (void *)pc);                                         \
    }
SIZED(1)
SIZED(2)
SIZED(4)
SIZED(8)
