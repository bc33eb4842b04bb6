/* shadow.c: regions, clearing, heap blocks. */
#include "shadow.h"

#include "cell.h"
#include "core/count.h"
#include "core/options.h"
#include "core/sys.h"
#include "word.h"

enum {
    STRETCHES = SN_REGION_BYTES >> SN_STRETCH_BITS,
    PER_HUGE = SN_HUGE_PAGE / 2 / SN_STRETCH, /* stretches whose shadow is one huge page */
    DENSE = PER_HUGE * 3 / 4,
    PAGE = 4096,
    WIPE = 256 << 10,  /* up to so much shadow is overwritten rather than given back */
    IS_HUGE = 1 << 30, /* in the word of the first stretch of PER_HUGE */
};
static const uint32_t flags = SN_STRETCH_TOUCHED | IS_HUGE;

uintptr_t sn_shadow_dir[1u << SN_DIR_BITS];
/* For src/fast. */
SN_EXPORT extern uintptr_t snag_dir[1u << SN_DIR_BITS] __attribute__((alias("sn_shadow_dir")));

/* Regions that are mapped, as a chain: behind the words of its stretches each has 1 + the address
 * of the one before it. 0: none. */
static uintptr_t regions;

static uintptr_t *chain_of(uintptr_t addr, uintptr_t bias)
{
    uint32_t *all = sn_stretch_of(addr & ~(uintptr_t)(SN_REGION_BYTES - 1), bias);
    return (uintptr_t *)(all + STRETCHES);
}

static void add_region(uintptr_t start, uintptr_t bias)
{
    uintptr_t *before = chain_of(start, bias);
    *before = __atomic_load_n(&regions, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&regions, before, start + 1, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
        ;
}

static uint64_t *blocks_of(uintptr_t addr, uintptr_t bias)
{
    return (uint64_t *)(sn_region_base(addr, bias) + SN_SHADOW_BYTES + SN_SHADOW_EDGE);
}

static uint32_t cells_in(uintptr_t addr, uintptr_t bias)
{
    return __atomic_load_n(sn_stretch_of(addr, bias), __ATOMIC_RELAXED) & ~flags;
}

/* Shadow that has pages, as far as this file knows. */
static int64_t kept;

static void count_kept(int64_t stretches)
{
    int64_t now = __atomic_add_fetch(&kept, stretches * 2 * SN_STRETCH, __ATOMIC_RELAXED);
    __atomic_store_n(&sn_counters[SN_C_SHADOW_BYTES], now > 0 ? (uint64_t)now : 0,
                     __ATOMIC_RELAXED);
}

static int over_limit(void)
{
    return sn_opt.memory_limit_mb &&
           __atomic_load_n(&kept, __ATOMIC_RELAXED) >= (int64_t)sn_opt.memory_limit_mb << 20;
}

static SN_NOINLINE uintptr_t map_region(uintptr_t addr)
{
    size_t bytes = SN_SHADOW_BYTES + SN_SHADOW_EDGE + SN_BLOCK_BYTES +
                   STRETCHES * sizeof(uint32_t) + sizeof(uintptr_t);
    uintptr_t *entry = &sn_shadow_dir[(addr >> SN_REGION_BITS) & ((1u << SN_DIR_BITS) - 1)];
    char *p = sn_map_aligned(bytes, SN_HUGE_PAGE);
    uintptr_t none = 0, bias = (uintptr_t)p - 2 * (addr & ~(uintptr_t)(SN_REGION_BYTES - 1));
    if (p && !(uint32_t)bias) { /* src/fast looks at that half only, and would ask the library */
        char *other = sn_map_aligned(bytes, SN_HUGE_PAGE);
        sn_unmap(p, bytes);
        bias += (uintptr_t)other - (uintptr_t)p;
        p = other;
    }
    if (!p) {
        sn_count(LOST_SHADOW);
        return 0;
    }
    if (!__atomic_compare_exchange_n(entry, &none, bias, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        sn_unmap(p, bytes);
        return none;
    }
    add_region(addr & ~(uintptr_t)(SN_REGION_BYTES - 1), bias);
    return bias;
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
    __atomic_fetch_add(sn_stretch_of(addr, bias), (uint32_t)delta, __ATOMIC_RELAXED);
}

/* How many of these stretches are touched. */
static unsigned touched_among(const uint32_t *s)
{
    unsigned n = 0;
    for (unsigned i = 0; i < PER_HUGE; i++)
        n += s[i] >> 31;
    return n;
}

/* Memory grows from or towards a part that is full. */
static int goes_on(const uint32_t *first, const uint32_t *all)
{
    return (first > all && (first[-PER_HUGE] & IS_HUGE)) ||
           (first + PER_HUGE < all + STRETCHES && (first[PER_HUGE] & IS_HUGE));
}

SN_NOINLINE int sn_shadow_touch(uintptr_t addr, uintptr_t bias)
{
    static uint8_t cannot;
    uint32_t *all = sn_stretch_of(addr & ~(uintptr_t)(SN_REGION_BYTES - 1), bias);
    uint32_t *s = sn_stretch_of(addr, bias), *first = all + (s - all) / PER_HUGE * PER_HUGE;
    if (over_limit()) {
        sn_count(LOST_SHADOW);
        return 0;
    }
    if (__atomic_fetch_or(s, SN_STRETCH_TOUCHED, __ATOMIC_RELAXED) & SN_STRETCH_TOUCHED)
        return 1;
    char *shadow = (char *)sn_region_base(addr, bias);
    unsigned n = touched_among(first);
    count_kept(1);
    if (cannot || (*first & IS_HUGE))
        return 1;
    if (n == DENSE || (n == 1 && goes_on(first, all))) {
        __atomic_fetch_or(first, IS_HUGE, __ATOMIC_RELAXED);
        if (sn_map_huge(shadow + (size_t)(first - all) * 2 * SN_STRETCH))
            return 1;
    }
    if ((s > all && s[-1] >> 31) || (s + 1 < all + STRETCHES && s[1] >> 31))
        cannot = !sn_map_fill(shadow + (size_t)(s - all) * 2 * SN_STRETCH, (size_t)2 * SN_STRETCH);
    return 1;
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
    struct sn_granule *g = sn_granule_at(bias, addr), *last = sn_granule_at(bias, end - 1);
    for (; last - g >= 4; g += 4)
        sn_granule_set_four(g, 0);
    for (; g <= last; g++)
        sn_granule_set(g, 0);
}

/* The whole stretches in it have no pages any more. */
static void forget_touched(uintptr_t addr, uintptr_t end, uintptr_t bias)
{
    for (addr = (addr + SN_STRETCH - 1) & ~(uintptr_t)(SN_STRETCH - 1); addr + SN_STRETCH <= end;
         addr += SN_STRETCH) {
        __atomic_fetch_and(sn_stretch_of(addr, bias), ~flags, __ATOMIC_RELAXED);
        count_kept(-1);
    }
}

/* Touched stretches, or parts of them: one that has cells, or many that have none. Much of whole
 * pages goes back to the kernel. */
static void clear_touched(uintptr_t addr, uintptr_t end, uintptr_t bias)
{
    uintptr_t from = bias + 2 * addr, to = bias + 2 * end;
    uintptr_t first = (from + PAGE - 1) & ~(uintptr_t)(PAGE - 1),
              last = to & ~(uintptr_t)(PAGE - 1);
    if (cells_in(addr, bias)) {
        clear_granules(addr, end, bias);
        return;
    }
    if (to - from <= WIPE) {
        clear_words(addr, end, bias);
        return;
    }
    if (first > from)
        clear_words(addr, addr + (first - from) / 2, bias);
    sn_map_clear((void *)first, last - first);
    forget_touched(addr, end, bias);
    if (to > last)
        clear_words(end - (to - last) / 2, end, bias);
}

/* There is nothing to clear where nothing was touched. */
static int has_words_only(uintptr_t addr, uintptr_t bias)
{
    return (__atomic_load_n(sn_stretch_of(addr, bias), __ATOMIC_RELAXED) & ~(uint32_t)IS_HUGE) ==
           SN_STRETCH_TOUCHED;
}

static void clear_in_region(uintptr_t addr, uintptr_t end, uintptr_t bias)
{
    while (addr < end) {
        uintptr_t next = (addr & ~(uintptr_t)(SN_STRETCH - 1)) + SN_STRETCH;
        if (has_words_only(addr, bias))
            while (next < end && has_words_only(next, bias))
                next += SN_STRETCH;
        if (next > end)
            next = end;
        if (*sn_stretch_of(addr, bias) & SN_STRETCH_TOUCHED)
            clear_touched(addr, next, bias);
        addr = next;
    }
}

/* Of any size. */
static SN_NOINLINE void clear_range(uintptr_t addr, uintptr_t end)
{
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

void sn_shadow_clear(uintptr_t addr, size_t size)
{
    uintptr_t end = (addr + size + 7) & ~(uintptr_t)7, bias = sn_shadow_bias(addr);
    addr &= ~(uintptr_t)7;
    if (!size)
        return;
    if (SN_UNLIKELY(!bias || (addr ^ (end - 1)) >> SN_STRETCH_BITS)) {
        clear_range(addr, end);
        return;
    }
    uint32_t stretch = __atomic_load_n(sn_stretch_of(addr, bias), __ATOMIC_RELAXED);
    if (!(stretch & SN_STRETCH_TOUCHED))
        return;
    if (stretch & ~flags)
        clear_granules(addr, end, bias);
    else
        clear_words(addr, end, bias);
}

/* Touched stretches stay so: a thread outside the engine may be writing there. */
static void wipe_region(uintptr_t addr, uintptr_t end, uintptr_t bias)
{
    for (uintptr_t next; addr < end; addr = next) {
        next = addr + SN_STRETCH;
        uint32_t word = __atomic_load_n(sn_stretch_of(addr, bias), __ATOMIC_RELAXED);
        if (!(word & SN_STRETCH_TOUCHED))
            continue;
        if (word & ~flags) {
            clear_granules(addr, next, bias);
            continue;
        }
        while (next < end && has_words_only(next, bias))
            next += SN_STRETCH;
        sn_map_clear((void *)(bias + 2 * addr), 2 * (next - addr));
    }
}

void sn_shadow_clear_all(void)
{
    for (uintptr_t at = regions, bias; at-- > 0; at = *chain_of(at, bias)) {
        bias = sn_shadow_bias(at);
        wipe_region(at, at + SN_REGION_BYTES, bias);
    }
}

void sn_shadow_each(void (*fn)(const struct sn_granule *g, unsigned n))
{
    for (uintptr_t at = regions, bias; at-- > 0; at = *chain_of(at, bias)) {
        bias = sn_shadow_bias(at);
        for (uintptr_t a = at; a < at + SN_REGION_BYTES; a += SN_STRETCH)
            if (*sn_stretch_of(a, bias) & SN_STRETCH_TOUCHED)
                fn(sn_granule_at(bias, a), SN_STRETCH / 8);
    }
}

uint64_t sn_shadow_extent(void)
{
    int64_t bytes = __atomic_load_n(&kept, __ATOMIC_RELAXED) / 2;
    return bytes > 0 ? (uint64_t)bytes : 0;
}

/*
 * A block is a word at its first 16 bytes:
 *
 *     63      40 39 38      16 15      0
 *     | thread  |F |  where   |  size  |
 *
 * size 0: none starts here. HUGE_SIZE: the size is in the upper 48 bits of the next word, which is
 * that of bytes inside of the block, and whose own size is 0. F: freed.
 */
enum { WHERE_AT = 16, FREED_AT = 39, THREAD_AT = 40, HUGE_SIZE = 0xffff };

/* Null: the region is not mapped. */
static uint64_t *slot_of(uintptr_t addr)
{
    uintptr_t bias = sn_shadow_bias(addr);
    return bias ? blocks_of(addr, bias) + (addr & (SN_REGION_BYTES - 1)) / SN_BLOCK_GRAIN : 0;
}

static uint64_t look_at(uintptr_t addr)
{
    const uint64_t *slot = slot_of(addr);
    return slot ? __atomic_load_n(slot, __ATOMIC_RELAXED) : 0;
}

/* Starts of blocks that are too large to walk back over; the oldest gives way. */
enum { LARGE = 1 << 20, MAX_LARGE = 4096 };
static uintptr_t large[MAX_LARGE];
static uint32_t nlarge;

void sn_block_set(uintptr_t addr, size_t size, uint32_t where, uint32_t thread)
{
    uint64_t word = (uint64_t)thread << THREAD_AT | (uint64_t)where << WHERE_AT;
    uint64_t *slot = slot_of(addr);
    if (SN_UNLIKELY(!slot)) {
        if (!sn_shadow_get(addr))
            return;
        slot = slot_of(addr);
    }
    if (SN_LIKELY(size < HUGE_SIZE)) {
        __atomic_store_n(slot, word | size, __ATOMIC_RELAXED);
        return;
    }
    if (!sn_shadow_get(addr + SN_BLOCK_GRAIN))
        return;
    __atomic_store_n(slot_of(addr + SN_BLOCK_GRAIN), (uint64_t)size << 16, __ATOMIC_RELAXED);
    __atomic_store_n(slot, word | HUGE_SIZE, __ATOMIC_RELAXED);
    if (size >= LARGE)
        large[__atomic_fetch_add(&nlarge, 1, __ATOMIC_RELAXED) % MAX_LARGE] = addr;
}

void sn_block_set_freed(uintptr_t addr)
{
    uint64_t *slot = slot_of(addr);
    if (slot)
        __atomic_store_n(slot, *slot | 1ull << FREED_AT, __ATOMIC_RELAXED);
}

void sn_block_is_wanted(uintptr_t addr)
{
    const uint64_t *slot = slot_of(addr);
    if (slot)
        __builtin_prefetch(slot, 1);
}

size_t sn_block_size(uintptr_t addr)
{
    uint64_t word = look_at(addr), size = word & HUGE_SIZE;
    if (word >> FREED_AT & 1)
        return 0;
    return SN_LIKELY(size != HUGE_SIZE) ? size : look_at(addr + SN_BLOCK_GRAIN) >> 16;
}

int sn_block_at(uintptr_t addr, struct sn_block *out)
{
    uint64_t word = look_at(addr), size = word & HUGE_SIZE;
    if (!size)
        return 0;
    if (size == HUGE_SIZE)
        size = look_at(addr + SN_BLOCK_GRAIN) >> 16;
    *out = (struct sn_block){size, (uint32_t)(word >> WHERE_AT) & ((1u << SN_WHERE_BITS) - 1),
                             (uint32_t)(word >> THREAD_AT), (int)(word >> FREED_AT) & 1};
    return 1;
}

/* The block at `at`, if it contains addr and is a better answer than what was found: one in use is
 * better than one whose memory may be another's by now. */
static int better(uintptr_t at, uintptr_t addr, uintptr_t *start, struct sn_block *out, int found)
{
    struct sn_block b;
    if (!sn_block_at(at, &b) || addr - at >= b.size || (found && b.freed))
        return found;
    *start = at;
    *out = b;
    return 1;
}

int sn_block_containing(uintptr_t addr, uintptr_t *start, struct sn_block *out)
{
    uintptr_t at = addr & ~(uintptr_t)(SN_BLOCK_GRAIN - 1);
    int found = 0;
    for (uintptr_t back = 0; back < LARGE && back <= at; back += SN_BLOCK_GRAIN) {
        uint64_t word = look_at(at - back);
        if (!(word & HUGE_SIZE))
            continue;
        found = better(at - back, addr, start, out, found);
        if (!(word >> FREED_AT & 1))
            return found;
    }
    for (unsigned i = 0; i < MAX_LARGE; i++)
        if (large[i] && large[i] <= addr)
            found = better(large[i], addr, start, out, found);
    return found;
}
