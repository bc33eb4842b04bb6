/* field_memory.c: lines, pairs of them and halves, as fields.h describes them. */
#include "field_memory.h"

#include "core/slab.h"
#include "core/spin.h"
#include "fields.h"

enum { NARROW = 64, WIDE = 128, PAGE = 4096, QUARTER = 16 };

/* Halves of lines for pairs of fields. A page's last lines stay unused: what is behind them may not
 * be readable. What a free one begins with has the bytes 0 and 2 and not 1, as no access has. */
static struct {
    uint32_t lock;
    uint64_t free; /* address with FREE */
    char *next, *end;
} halves;
enum { FREE = 5, UNUSED = 2 * NARROW };

static char *new_half(void)
{
    if (halves.next == halves.end) {
        char *page = sn_pool_alloc(PAGE);
        if (!page)
            return 0;
        __builtin_memset(page, 0, PAGE);
        halves.next = page;
        halves.end = page + PAGE - UNUSED;
    }
    char *p = halves.next;
    halves.next += (uintptr_t)p % NARROW ? NARROW - QUARTER : QUARTER;
    return p;
}

static void *take_half(void)
{
    sn_spin_lock(&halves.lock);
    char *p = (char *)(uintptr_t)(halves.free & ~(uint64_t)FREE);
    if (p)
        halves.free = *(uint64_t *)p;
    else
        p = new_half();
    sn_spin_unlock(&halves.lock);
    return p;
}

static void give_half(void *p)
{
    sn_spin_lock(&halves.lock);
    __atomic_store_n((uint64_t *)p, halves.free, __ATOMIC_RELAXED);
    halves.free = (uint64_t)(uintptr_t)p | FREE;
    sn_spin_unlock(&halves.lock);
}

/* The last 64 bytes of a page stay unused here too. */
static void *take_line(void)
{
    char *p = sn_pool_alloc(NARROW);
    while (p && !((uintptr_t)(p + NARROW) % PAGE))
        p = sn_pool_alloc(NARROW);
    return p;
}

void *sn_field_memory_take(uint64_t kind)
{
    return kind == SN_FIELDS_PAIR   ? take_half()
           : kind == SN_FIELDS_WIDE ? sn_pool_alloc(WIDE)
                                    : take_line();
}

void sn_field_memory_give(void *p, uint64_t kind)
{
    if (kind & SN_FIELDS_PAIR)
        give_half(p);
    else
        sn_pool_free(p, kind & SN_FIELDS_WIDE ? WIDE : NARROW);
}
