/*
 * stall.c: when a thread may be stalled, and for how long. A guarded program always goes on: a
 * stall has an end of its own; a thread has a budget for each second; nobody is stalled whose lock
 * another thread waits for, nor when all others wait and nobody could come.
 */
#include "guard.h"

#include "core/count.h"
#include "core/options.h"
#include "core/sync.h"
#include "core/sys.h"

static bool waits(const struct sn_thread *o)
{
    return __atomic_load_n(&o->wait_serial, __ATOMIC_SEQ_CST) & 1;
}

/* Readers are not known by name: whoever waits for a lock that readers hold may wait for t. */
static bool waits_for(const struct sn_thread *o, const struct sn_thread *t)
{
    const struct sn_sync *lock = __atomic_load_n(&o->waits_for, __ATOMIC_RELAXED);
    if (!lock)
        return __atomic_load_n(&o->waits_thread, __ATOMIC_RELAXED) == t->number + 1 && t->nheld;
    uint32_t owner = __atomic_load_n(&lock->owner, __ATOMIC_RELAXED);
    return owner ? owner == t->number + 1
                 : t->nheld && __atomic_load_n(&lock->readers, __ATOMIC_RELAXED);
}

bool sn_stall_may(struct sn_thread *t)
{
    bool someone = false;
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        const struct sn_thread *o = sn_thread_at(i);
        uint32_t state = __atomic_load_n(&o->state, __ATOMIC_RELAXED);
        if (o == t || (state != SN_T_RUNNING && state != SN_T_NEW))
            continue;
        if (state == SN_T_NEW || !waits(o))
            someone = true;
        else if (waits_for(o, t))
            return false;
    }
    return someone;
}

bool sn_stall(struct sn_thread *t, uint64_t us)
{
    struct sn_guard_thread *g = sn_guard_of(t);
    uint64_t now = sn_now_ns();
    if (now - g->second_ns > 1000000000ull) {
        g->second_ns = now;
        g->stalled_us = 0;
    }
    if (g->stalled_us + us > (uint64_t)sn_opt.stall_budget_ms * 1000)
        return false;
    g->stalled_us += us;
    sn_sleep_us(us);
    sn_count(DELAYS);
    return true;
}

/* Section 4.1: hold the thread back where the order could turn around, until it has (a violation is
 * seen), or nobody comes. */
void sn_stall_expose(struct sn_thread *t, struct sn_guard_site *s)
{
    enum { STEP_US = 1000 };
    if (__atomic_fetch_add(&s->stalls, 1, __ATOMIC_RELAXED) >= (uint32_t)sn_opt.expose_times)
        return;
    uint32_t before = __atomic_load_n(&sn_guard.violations, __ATOMIC_RELAXED);
    sn_count(DELAYS);
    for (int64_t ms = 0; ms < sn_opt.expose_ms && sn_stall_may(t); ms++) {
        sn_sleep_us(STEP_US);
        if (__atomic_load_n(&sn_guard.violations, __ATOMIC_RELAXED) != before) {
            sn_sleep_us(STEP_US); /* let it take effect */
            return;
        }
    }
}

static uint64_t next_random(struct sn_thread *t)
{
    struct sn_guard_thread *g = sn_guard_of(t);
    if (!g->random)
        g->random = ((uint64_t)sn_opt.seed * 0x9e3779b97f4a7c15ull) ^
                    ((uint64_t)t->number + 1) * 0xbf58476d1ce4e5b9ull;
    g->random ^= g->random << 13;
    g->random ^= g->random >> 7;
    g->random ^= g->random << 17;
    return g->random;
}

/* Training sees more orders when threads dwell now and then where memory is shared. */
void sn_stall_perturb(struct sn_thread *t)
{
    enum { ONE_IN = 32, MAX_US = 500, BUDGET_US = 50000 };
    struct sn_guard_thread *g = sn_guard_of(t);
    uint64_t r = next_random(t);
    if (r % ONE_IN || g->perturbed_us > BUDGET_US)
        return;
    uint32_t us = (uint32_t)(r >> 32) % MAX_US + 1;
    g->perturbed_us += us;
    sn_sleep_us(us);
    sn_count(DELAYS);
}
