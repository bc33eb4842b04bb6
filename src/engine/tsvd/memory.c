/*
 * memory.c: memory accesses of instrumented code as points. The object is the granule of eight
 * bytes, with a mask of the bytes; of a range the first and the last granule stand for the whole.
 */
#include "access.h"

#include "object.h"
#include "runtime/hook.h"
#include "tsvd.h"

enum { GRANULE_TYPE = 0xffff };

static struct sn_touch touch_of(uintptr_t addr, size_t size, int write)
{
    unsigned first = addr & 7, n = size < 8 - first ? (unsigned)size : 8 - first;
    return (struct sn_touch){.key = sn_object_key(GRANULE_TYPE, addr & ~(uintptr_t)7),
                             .addr = addr,
                             .does = write ? SN_CB_WRITE : SN_CB_READ,
                             .conflicts = write ? SN_CB_ALL : SN_CB_WRITE,
                             .bytes = (uint8_t)(((1u << n) - 1) << first)};
}

SN_NOINLINE void sn_tsvd_memory(uintptr_t addr, size_t size, int write, uintptr_t pc)
{
    struct sn_touch touch[2];
    unsigned n = 1;
    struct sn_thread *t = sn_self;
    if (!t || !size || (addr >= t->stack_low && addr < t->stack_high) || !sn_hook_enter(pc))
        return;
    touch[0] = touch_of(addr, size, write);
    if ((addr & 7) + size > 8) {
        uintptr_t last = (addr + size - 1) & ~(uintptr_t)7;
        touch[n++] = touch_of(last, addr + size - last, write);
    }
    int action = sn_tsvd_point(t, pc, (uint32_t)write, SN_SITE_MEMORY, touch, n);
    if (SN_UNLIKELY(action))
        sn_tsvd_slow(t, 0, touch, n, action);
    sn_hook_leave(t);
}
