/* recorder.c: regions and clearing, see recorder.h. Freestanding but for core/sys.h. */
#include "recorder.h"

#include "core/sys.h"

enum { REGION = 1 << SN_REC_REGION_BITS, PAGE = 4096 };

uintptr_t sn_rec_dir[SN_REC_DIR];

SN_NOINLINE uint64_t *sn_rec_map(uintptr_t addr)
{
    uintptr_t *entry = &sn_rec_dir[(addr >> SN_REC_REGION_BITS) & (SN_REC_DIR - 1)];
    char *p = sn_map((size_t)2 * REGION);
    if (!p)
        return 0;
    uintptr_t none = 0, bias = (uintptr_t)p - 2 * (addr & ~(uintptr_t)(REGION - 1));
    if (!__atomic_compare_exchange_n(entry, &none, bias, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        sn_unmap(p, (size_t)2 * REGION);
        bias = none;
    }
    return (uint64_t *)(bias + 2 * (addr & ~(uintptr_t)(SN_REC_GRAIN - 1)));
}

static void zero(uintptr_t from, uintptr_t to)
{
    for (; from < to; from += sizeof(uint64_t))
        __atomic_store_n((uint64_t *)from, 0, __ATOMIC_RELAXED);
}

/* Whole pages of words go back to the kernel: untouched ones cost nothing, then and later. */
static void clear_words(uintptr_t from, uintptr_t to)
{
    uintptr_t first = (from + PAGE - 1) & ~(uintptr_t)(PAGE - 1),
              last = to & ~(uintptr_t)(PAGE - 1);
    if (last < first + 4 * PAGE) {
        zero(from, to);
        return;
    }
    zero(from, first);
    sn_map_clear((void *)first, last - first);
    zero(last, to);
}

void sn_rec_clear(uintptr_t addr, size_t size)
{
    uintptr_t end = (addr + size + SN_REC_GRAIN - 1) & ~(uintptr_t)(SN_REC_GRAIN - 1);
    addr &= ~(uintptr_t)(SN_REC_GRAIN - 1);
    while (addr < end) {
        uintptr_t next = (addr & ~(uintptr_t)(REGION - 1)) + REGION;
        if (next > end || next < addr)
            next = end;
        uintptr_t bias = sn_rec_dir[(addr >> SN_REC_REGION_BITS) & (SN_REC_DIR - 1)];
        if (bias)
            clear_words(bias + 2 * addr, bias + 2 * next);
        addr = next;
    }
}
