/* shadow.c: regions, clearing, heap blocks. */
#include "shadow.h"

#include "cell.h"
#include "core/count.h"
#include "core/options.h"
#include "core/sys.h"
#include "word.h"

enum {
    SHADOW_BYTES = 2 * SN_REGION_BYTES,
    BLOCK_BYTES = SN_REGION_BYTES / SN_BLOCK_GRAIN * (int)sizeof(struct sn_block),
    STRETCH_BITS = 15,
    STRETCHES = SN_REGION_BYTES >> STRETCH_BITS,
    PAGE = 4096,
};

uintptr_t sn_shadow_dir[1u << SN_DIR_BITS];
/* For src/fast. */
SN_EXPORT extern uintptr_t snag_dir[1u << SN_DIR_BITS] __attribute__((alias("sn_shadow_dir")));

/* A region's mapping: shadow, blocks, then the number of cells in each stretch. */
static uintptr_t base_of(uintptr_t addr, uintptr_t bias)
{
    return bias + 2 * (addr & ~(uintptr_t)(SN_REGION_BYTES - 1));
}

static struct sn_block *blocks_of(uintptr_t addr, uintptr_t bias)
{
    return (struct sn_block *)(base_of(addr, bias) + SHADOW_BYTES);
}

static uint32_t *stretch_of(uintptr_t addr, uintptr_t bias)
{
    uint32_t *all = (uint32_t *)(base_of(addr, bias) + SHADOW_BYTES + BLOCK_BYTES);
    return &all[(addr & (SN_REGION_BYTES - 1)) >> STRETCH_BITS];
}

static int over_limit(void)
{
    return sn_opt.memory_limit_mb &&
           sn_counters[SN_C_SHADOW_BYTES] >= (uint64_t)sn_opt.memory_limit_mb << 20;
}

static SN_NOINLINE uintptr_t map_region(uintptr_t addr)
{
    size_t bytes = SHADOW_BYTES + BLOCK_BYTES + STRETCHES * sizeof(uint32_t);
    uintptr_t *entry = &sn_shadow_dir[(addr >> SN_REGION_BITS) & ((1u << SN_DIR_BITS) - 1)];
    char *p = over_limit() ? 0 : sn_map(bytes);
    if (!p) {
        sn_count(LOST_SHADOW);
        return 0;
    }
    uintptr_t none = 0, bias = (uintptr_t)p - 2 * (addr & ~(uintptr_t)(SN_REGION_BYTES - 1));
    if (__atomic_compare_exchange_n(entry, &none, bias, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        sn_count_add(SN_C_SHADOW_BYTES, bytes);
        return bias;
    }
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

void sn_shadow_cells_add(uintptr_t addr, int delta)
{
    uintptr_t bias = sn_shadow_bias(addr);
    __atomic_fetch_add(stretch_of(addr, bias), (uint32_t)delta, __ATOMIC_RELAXED);
}

static void clear_granules(uintptr_t addr, uintptr_t end, uintptr_t bias)
{
    struct sn_granule *g = sn_granule_at(bias, addr);
    struct sn_granule *last = sn_granule_at(bias, end - 1);
    for (; g <= last; g++, addr += 8) {
        if (SN_UNLIKELY(sn_word_is_cell(g->w)))
            sn_cell_give_up(g, addr & ~(uintptr_t)7);
        g->w = 0;
        g->r = 0;
    }
}

/* No cells there. */
static void clear_words(uintptr_t addr, uintptr_t end, uintptr_t bias)
{
    typedef long long pair __attribute__((vector_size(16), aligned(16), may_alias));
    pair *g = (pair *)sn_granule_at(bias, addr), *last = (pair *)sn_granule_at(bias, end - 1);
    for (; g <= last; g++)
        *g = (pair){0, 0};
}

/* The part of one stretch (or less). Whole shadow pages without cells go back to the kernel. */
static void clear_stretch(uintptr_t addr, uintptr_t end, uintptr_t bias)
{
    uintptr_t from = bias + 2 * addr, to = bias + 2 * end;
    uintptr_t first = (from + PAGE - 1) & ~(uintptr_t)(PAGE - 1), last = to & ~(uintptr_t)(PAGE - 1);
    if (*stretch_of(addr, bias)) {
        clear_granules(addr, end, bias);
        return;
    }
    if (last < first + 4 * PAGE) {
        clear_words(addr, end, bias);
        return;
    }
    if (first > from)
        clear_words(addr, addr + (first - from) / 2, bias);
    sn_map_clear((void *)first, last - first);
    if (to > last)
        clear_words(end - (to - last) / 2, end, bias);
}

/* [addr, end) in one region: neighbouring stretches without cells are cleared in one call. */
static void clear_in_region(uintptr_t addr, uintptr_t end, uintptr_t bias)
{
    const uintptr_t stretch = (uintptr_t)1 << STRETCH_BITS;
    while (addr < end) {
        uintptr_t next = (addr & ~(stretch - 1)) + stretch;
        if (*stretch_of(addr, bias) == 0)
            while (next < end && *stretch_of(next, bias) == 0)
                next += stretch;
        if (next > end)
            next = end;
        clear_stretch(addr, next, bias);
        addr = next;
    }
}

void sn_shadow_clear(uintptr_t addr, size_t size)
{
    if (!size)
        return;
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

void sn_shadow_clear_all(void)
{
    for (uintptr_t i = 0; i < 1u << SN_DIR_BITS; i++)
        if (sn_shadow_dir[i])
            clear_in_region(i << SN_REGION_BITS, (i + 1) << SN_REGION_BITS, sn_shadow_dir[i]);
}

static struct sn_block *slot_of(uintptr_t addr, uintptr_t bias)
{
    return blocks_of(addr, bias) + (addr & (SN_REGION_BYTES - 1)) / SN_BLOCK_GRAIN;
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
    if (!bias)
        return 0;
    struct sn_block *b = slot_of(addr, bias);
    return b->size ? b : 0;
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
