/* benign.c: a table that is only added to. What does not fit is told all the same. */
#include "core/benign.h"

#include "core/sys.h"

enum { MOST = 1024 };
static struct {
    uintptr_t low, high; /* high is written last */
} range[MOST] SN_LARGE;
static uint32_t n;

void sn_benign_add(uintptr_t addr, size_t size)
{
    uint32_t i = __atomic_fetch_add(&n, 1, __ATOMIC_RELAXED);
    if (i < MOST) {
        range[i].low = addr;
        __atomic_store_n(&range[i].high, addr + size, __ATOMIC_RELEASE);
    }
}

int sn_benign_has(uintptr_t addr)
{
    uint32_t last = __atomic_load_n(&n, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < last && i < MOST; i++)
        if (addr < __atomic_load_n(&range[i].high, __ATOMIC_ACQUIRE) && addr >= range[i].low)
            return 1;
    return 0;
}
