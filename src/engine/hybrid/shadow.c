/* shadow.c: regions, clearing, heap blocks. */
#include "shadow.h"

#include "core/count.h"
#include "core/options.h"
#include "core/sys.h"
#include "history.h"
#include "hybrid.h"

enum { STRETCHES = SN_REGION_BYTES >> SN_STRETCH_BITS, PAGE = 4096 };

uintptr_t sn_shadow_dir[1u << SN_DIR_BITS];
uint32_t sn_shadow_clears;

static struct sn_block *slot_of(uintptr_t addr, uintptr_t bias)
{
    struct sn_block *all = (struct sn_block *)(sn_region_base(addr, bias) + SN_SHADOW_BYTES);
    return all + (addr & (SN_REGION_BYTES - 1)) / SN_BLOCK_GRAIN;
}

/* Bytes of touched stretches and of cells. */
static int64_t kept;

static void tell_kept(int64_t now)
{
    __atomic_store_n(&sn_counters[SN_C_SHADOW_BYTES], (uint64_t)now, __ATOMIC_RELAXED);
}

/* Added before it is compared: threads that come together do not all get in. */
static int take(int64_t bytes)
{
    int64_t now = __atomic_add_fetch(&kept, bytes, __ATOMIC_RELAXED);
    if (sn_opt.memory_limit_mb && now > (int64_t)sn_opt.memory_limit_mb << 20) {
        __atomic_fetch_sub(&kept, bytes, __ATOMIC_RELAXED);
        return 0;
    }
    tell_kept(now);
    return 1;
}

static void give_back(int64_t bytes)
{
    tell_kept(__atomic_sub_fetch(&kept, bytes, __ATOMIC_RELAXED));
}

static SN_NOINLINE uintptr_t map_region(uintptr_t addr)
{
    size_t bytes = (size_t)SN_SHADOW_BYTES + SN_BLOCK_BYTES + STRETCHES * sizeof(uint32_t);
    uintptr_t *entry = &sn_shadow_dir[(addr >> SN_REGION_BITS) & ((1u << SN_DIR_BITS) - 1)];
    char *p = sn_map(bytes);
    if (!p) {
        sn_count(LOST_SHADOW);
        return 0;
    }
    uintptr_t none = 0, bias = (uintptr_t)p - sn_region_base(addr, 0);
    if (__atomic_compare_exchange_n(entry, &none, bias, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return bias;
    sn_unmap(p, bytes);
    return none;
}

struct sn_granule *sn_shadow_get(uintptr_t addr)
{
    uintptr_t bias = sn_shadow_bias(addr);
    if (SN_UNLIKELY(!bias) && !(bias = map_region(addr)))
        return 0;
    return sn_granule_at(bias, addr);
}

static uint32_t *stretch_at(uintptr_t addr)
{
    return sn_stretch_of(addr, sn_shadow_bias(addr));
}

SN_NOINLINE int sn_shadow_touch(uintptr_t addr)
{
    const int64_t bytes = (int64_t)SN_SHADOW_SCALE * SN_STRETCH;
    if (!take(bytes)) {
        sn_count(LOST_SHADOW);
        return 0;
    }
    if (__atomic_fetch_or(stretch_at(addr), SN_STRETCH_TOUCHED, __ATOMIC_RELAXED) &
        SN_STRETCH_TOUCHED)
        give_back(bytes);
    return 1;
}

int sn_shadow_cell_new(uintptr_t addr, size_t bytes)
{
    if (!take((int64_t)bytes)) {
        sn_count(LOST_MEMORY);
        return 0;
    }
    __atomic_fetch_add(stretch_at(addr), 1, __ATOMIC_RELAXED);
    return 1;
}

void sn_shadow_cell_gone(uintptr_t addr, size_t bytes)
{
    __atomic_fetch_sub(stretch_at(addr), 1, __ATOMIC_RELAXED);
    give_back((int64_t)bytes);
}

static void clear_granules(uintptr_t addr, uintptr_t end, uintptr_t bias)
{
    struct sn_granule *g = sn_granule_at(bias, addr), *last = sn_granule_at(bias, end - 1);
    for (; g <= last; g++, addr += 8)
        if (SN_UNLIKELY(g->more))
            sn_history_clear(g, addr);
        else
            g->a[0] = g->a[1] = 0;
}

/* The whole stretches in it have no pages any more. */
static void forget_touched(uintptr_t addr, uintptr_t end, uintptr_t bias)
{
    for (addr = (addr + SN_STRETCH - 1) & ~(uintptr_t)(SN_STRETCH - 1); addr + SN_STRETCH <= end;
         addr += SN_STRETCH)
        if (__atomic_fetch_and(sn_stretch_of(addr, bias), ~SN_STRETCH_TOUCHED, __ATOMIC_RELAXED) &
            SN_STRETCH_TOUCHED)
            give_back((int64_t)SN_SHADOW_SCALE * SN_STRETCH);
}

/* A touched stretch that has cells, or neighbours that have none; or parts of them. Whole shadow
 * pages without cells go back to the kernel. */
static void clear_touched(uintptr_t addr, uintptr_t end, uintptr_t bias)
{
    const uintptr_t scale = SN_SHADOW_SCALE;
    uintptr_t from = bias + scale * addr, to = bias + scale * end;
    uintptr_t first = (from + PAGE - 1) & ~(uintptr_t)(PAGE - 1),
              last = to & ~(uintptr_t)(PAGE - 1);
    if (*sn_stretch_of(addr, bias) != SN_STRETCH_TOUCHED || last < first + 4 * PAGE) {
        clear_granules(addr, end, bias);
        return;
    }
    if (first > from)
        clear_granules(addr, addr + (first - from) / scale, bias);
    sn_map_clear((void *)first, last - first);
    forget_touched(addr, end, bias);
    if (to > last)
        clear_granules(end - (to - last) / scale, end, bias);
}

/* [addr, end) in one region: neighbouring stretches without cells are cleared in one call, and
 * those where nothing is kept not at all. */
static void clear_in_region(uintptr_t addr, uintptr_t end, uintptr_t bias)
{
    while (addr < end) {
        uintptr_t next = (addr & ~(uintptr_t)(SN_STRETCH - 1)) + SN_STRETCH;
        uint32_t word = *sn_stretch_of(addr, bias);
        if (word == 0 || word == SN_STRETCH_TOUCHED)
            while (next < end && *sn_stretch_of(next, bias) == word)
                next += SN_STRETCH;
        if (next > end)
            next = end;
        if (word)
            clear_touched(addr, next, bias);
        addr = next;
    }
}

void sn_shadow_clear(uintptr_t addr, size_t size)
{
    if (!size)
        return;
    if (sn_opt.filter == SN_FILTER_SPAN)
        __atomic_fetch_add(&sn_shadow_clears, 1, __ATOMIC_RELEASE);
    uintptr_t end = (addr + size + 7) & ~(uintptr_t)7;
    addr &= ~(uintptr_t)7;
    while (addr < end) {
        uintptr_t next = (addr & ~(uintptr_t)(SN_REGION_BYTES - 1)) + SN_REGION_BYTES;
        if (next > end || next < addr)
            next = end;
        uintptr_t bias = sn_shadow_bias(addr);
        if (bias)
            clear_in_region(addr, next, bias);
        addr = next;
    }
}

/* Starts of blocks that are too large to walk back over; the oldest gives way. */
enum { LARGE = 1 << 20, MAX_LARGE = 4096 };
static uintptr_t large[MAX_LARGE];
static uint32_t nlarge;

void sn_block_set(uintptr_t addr, size_t size, uint32_t where, uint32_t thread)
{
    if (!sn_shadow_get(addr))
        return;
    *slot_of(addr, sn_shadow_bias(addr)) = (struct sn_block){where, thread, size};
    if (size >= LARGE)
        large[__atomic_fetch_add(&nlarge, 1, __ATOMIC_RELAXED) % MAX_LARGE] = addr;
}

struct sn_block *sn_block_at(uintptr_t addr)
{
    uintptr_t bias = sn_shadow_bias(addr);
    struct sn_block *b = bias ? slot_of(addr, bias) : 0;
    return b && b->size ? b : 0;
}

static struct sn_block *containing(uintptr_t start, uintptr_t addr)
{
    struct sn_block *b = sn_block_at(start);
    return b && addr - start < (b->size & ~SN_BLOCK_FREED) ? b : 0;
}

struct sn_block *sn_block_containing(uintptr_t addr, uintptr_t *start)
{
    uintptr_t at = addr & ~(uintptr_t)(SN_BLOCK_GRAIN - 1);
    for (uintptr_t back = 0; back < LARGE && back <= at; back += SN_BLOCK_GRAIN)
        if (sn_block_at(at - back)) {
            *start = at - back;
            return containing(*start, addr);
        }
    for (unsigned i = 0; i < MAX_LARGE; i++) {
        *start = large[i];
        if (*start && *start <= addr && containing(*start, addr))
            return sn_block_at(*start);
    }
    return 0;
}
