/*
 * fast.c: what programs link with for src/fast when the engine is not `race`: nothing is
 * found there. The race engine's own take the place of these.
 */
#include <stdint.h>

#include "core/sys.h"
#include "core/thread.h"
#include "fast/fast.h"

/* struct sn_race_hot and sn_shadow_dir of engine/race: a directory of one entry, which is empty,
 * and a thread that has no room for calls. */
static struct sn_thread nobody;
SN_EXPORT __attribute__((weak)) uintptr_t snag_dir[1];
SN_EXPORT __attribute__((weak, tls_model("initial-exec"))) __thread struct {
    uint32_t epoch, regions;
    void *sets;
    struct sn_thread *self, *calls;
    const uintptr_t *dir;
} snag_hot = {.calls = &nobody, .dir = snag_dir};

/* Nobody comes here; programs are linked with it all the same. */
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

SN_EXPORT __attribute__((weak)) void snag_read_field(uintptr_t addr, uintptr_t pc,
                                                     struct sn_granule *g, struct sn_field *f,
                                                     uintptr_t at, unsigned mask)
{
    (void)addr, (void)pc, (void)g, (void)f, (void)at, (void)mask;
}

SN_EXPORT __attribute__((weak)) void snag_read_kept(uintptr_t addr, uintptr_t pc,
                                                    struct sn_granule *g, unsigned mask)
{
    (void)addr, (void)pc, (void)g, (void)mask;
}

SN_EXPORT __attribute__((weak)) void snag_write_field(uintptr_t addr, uintptr_t pc,
                                                      struct sn_granule *g, struct sn_field *f,
                                                      uintptr_t at, unsigned mask)
{
    (void)addr, (void)pc, (void)g, (void)f, (void)at, (void)mask;
}
