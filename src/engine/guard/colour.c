/*
 * colour.c: SNAG_COLOUR: variables that belong together share one recorder word, so that an access
 * to one counts as an access to all of them (section 5.2.5); and the addresses that
 * SNAG_INS_THIS_ADDR names. Both are few: small tables, looked through one by one.
 */
#include "guard.h"

#include "core/engine.h"
#include "core/sys.h"

enum { MAX_RANGES = 256, MAX_CHOSEN = 256 };

static struct {
    uintptr_t low, high;
    uint32_t group;
} range[MAX_RANGES];              /* filled before ncolours counts it */
static uint64_t word[MAX_RANGES]; /* by group, as they come */
static uint64_t group_name[MAX_RANGES];
static uint32_t ngroups, lock;

static uintptr_t chosen[MAX_CHOSEN];
uint32_t sn_nchosen;

uint64_t *sn_colour_word(uintptr_t addr)
{
    uint32_t n = __atomic_load_n(&sn_guard.ncolours, __ATOMIC_ACQUIRE);
    for (uint32_t i = n; i-- > 0;)
        if (addr >= range[i].low && addr < range[i].high)
            return &word[range[i].group];
    return 0;
}

static uint32_t group_of(uint64_t name)
{
    for (uint32_t i = 0; i < ngroups; i++)
        if (group_name[i] == name)
            return i;
    group_name[ngroups] = name;
    return ngroups++;
}

void sn_engine_colour(uint64_t group, uintptr_t addr, uint64_t size)
{
    sn_spin_lock(&lock);
    uint32_t n = sn_guard.ncolours;
    if (n < MAX_RANGES) {
        range[n].low = addr;
        range[n].high = addr + size;
        range[n].group = group_of(group);
        __atomic_store_n(&sn_guard.ncolours, n + 1, __ATOMIC_RELEASE); /* pairs with _word() */
    }
    sn_spin_unlock(&lock);
}

/* Of a colour each one stands for all. */
bool sn_chosen_has(uintptr_t addr)
{
    uint32_t n = __atomic_load_n(&sn_nchosen, __ATOMIC_ACQUIRE);
    const uint64_t *colour = sn_colour_word(addr);
    for (uint32_t i = 0; i < n; i++)
        if ((addr ^ chosen[i]) < SN_REC_GRAIN || (colour && colour == sn_colour_word(chosen[i])))
            return true;
    return false;
}

void sn_engine_choose(uintptr_t addr)
{
    if (sn_chosen_has(addr))
        return;
    sn_spin_lock(&lock);
    if (sn_nchosen < MAX_CHOSEN) {
        chosen[sn_nchosen] = addr;
        __atomic_store_n(&sn_nchosen, sn_nchosen + 1, __ATOMIC_RELEASE);
    }
    sn_spin_unlock(&lock);
}
