/* site.c: the table of sites: open addressing by pc, filled without a lock. */
#include "site.h"

#include "core/count.h"
#include "core/sys.h"
#include "guard.h"
#include "record.h"
#include "runtime/modules.h"
#include "runtime/sink.h"

enum { SLOTS = 1 << 20, MAX_SITES = SLOTS * 3 / 4 };

static uint32_t slot[SLOTS];          /* 1 + index; 0: free; -1: being filled; atomic */
static struct sn_guard_site *sites;   /* MAX_SITES of address space */
static uint32_t nsites;               /* atomic */
static uint32_t *by_id;               /* guard: 1 + index by invariant number */
static struct sn_guard_count *counts; /* the last area; under count_lock */
static uint32_t ncounts, count_lock;

enum { FILLING = UINT32_MAX };

static uint32_t hash(uintptr_t pc)
{
    return (uint32_t)((pc * 0x9e3779b97f4a7c15ull) >> 44);
}

static uint64_t *count_of(uintptr_t pc)
{
    sn_frame_ref frame = sn_modules_frame(pc);
    uint64_t *out = 0;
    sn_spin_lock(&count_lock);
    if (!counts || ncounts == SN_GUARD_COUNTS) {
        counts = sn_sink_area(SN_GUARD_REC_COUNTS, SN_GUARD_COUNTS * sizeof *counts);
        ncounts = 0;
    }
    if (counts) {
        counts[ncounts].site = frame;
        out = &counts[ncounts++].count;
    }
    sn_spin_unlock(&count_lock);
    return out;
}

static void describe(struct sn_guard_site *s, uint32_t index)
{
    s->last_remote = s->last_local = SN_SITE_UNSEEN;
    if (!sn_modules_contain(s->pc))
        sn_modules_refresh();
    if (sn_guard.mode == SN_MODE_LEARN) {
        s->id = index + 1;
        s->count = count_of(s->pc);
        return;
    }
    sn_inv_site(s);
    if (s->id && by_id)
        __atomic_store_n(&by_id[s->id], index + 1, __ATOMIC_RELEASE); /* pairs with sn_site_by_id */
}

void sn_site_init(void)
{
    sites = sn_map(MAX_SITES * sizeof *sites);
    if (sn_guard.mode != SN_MODE_LEARN)
        by_id = sn_map(SN_REC_MAX_SITES * sizeof *by_id);
}

/* 0: no room. */
static uint32_t make(uintptr_t pc)
{
    uint32_t i = sites ? __atomic_fetch_add(&nsites, 1, __ATOMIC_RELAXED) : MAX_SITES;
    if (i >= MAX_SITES) {
        sn_count(LOST_POINT);
        return 0;
    }
    sites[i].pc = pc;
    describe(&sites[i], i);
    return i + 1;
}

static SN_NOINLINE uint32_t fill(uint32_t *at, uintptr_t pc)
{
    uint32_t none = 0;
    if (!__atomic_compare_exchange_n(at, &none, FILLING, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
        return none;
    uint32_t made = make(pc);
    __atomic_store_n(at, made, __ATOMIC_RELEASE); /* pairs with sn_site_get() */
    return made;
}

struct sn_guard_site *sn_site_get(uintptr_t pc)
{
    for (uint32_t h = hash(pc);; h = (h + 1) & (SLOTS - 1)) {
        uint32_t i = __atomic_load_n(&slot[h], __ATOMIC_ACQUIRE);
        if (SN_UNLIKELY(!i))
            i = fill(&slot[h], pc);
        while (SN_UNLIKELY(i == FILLING)) { /* another thread has it in hand */
            sn_cpu_relax();
            i = __atomic_load_n(&slot[h], __ATOMIC_ACQUIRE);
        }
        if (SN_UNLIKELY(!i))
            return 0;
        if (SN_LIKELY(sites[i - 1].pc == pc))
            return &sites[i - 1];
    }
}

struct sn_guard_site *sn_site_by_id(uint32_t id)
{
    if (!id || !sites)
        return 0;
    if (sn_guard.mode == SN_MODE_LEARN)
        return &sites[id - 1];
    uint32_t i = by_id ? __atomic_load_n(&by_id[id], __ATOMIC_ACQUIRE) : 0;
    return i ? &sites[i - 1] : 0;
}

void sn_site_forked(void)
{
    counts = 0;
    count_lock = 0;
    uint32_t n = nsites < MAX_SITES ? nsites : MAX_SITES;
    for (uint32_t i = 0; i < n; i++)
        if (sites[i].count)
            sites[i].count = count_of(sites[i].pc);
    for (uint32_t i = 0; i < SLOTS; i++)
        if (slot[i] == FILLING)
            slot[i] = 0; /* its thread is not in the child; the site is made again */
}
