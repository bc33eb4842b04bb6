/* atomic.c: what atomic operations and fences do seldom; atomic_path.h says how they work. */
#include "atomic_path.h"

#include "core/count.h"
#include "core/ctx_cache.h"
#include "core/runfile.h"
#include "private.h"
#include "race.h"

SN_NOINLINE void sn_atomic_nested(void)
{
    sn_count(LOST_NESTED);
}

/* Somebody stores there at this moment: look again, but not for ever. Who takes the guard for that
 * holds up the next store. */
static void look_again(struct sn_atomic_scope *a)
{
    enum { MOMENT = 2000 };
    uint32_t look = sn_sync_look(a->s);
    for (unsigned ticks = 50; ticks < MOMENT && (look & 1); ticks *= 2) {
        sn_cpu_wait(ticks);
        look = sn_sync_look(a->s);
    }
    if (a->looked++ < 4 && !(look & 1)) {
        a->seq = look;
        return;
    }
    sn_sync_lock(a->s);
    a->looked = 0;
}

SN_NOINLINE int sn_atomic_look(struct sn_atomic_scope *a)
{
    if (a->s) {
        if (sn_clock_peek(a->t, a->s, a->seq, sn_order_acquires(a->order)))
            return 1;
    } else {
        a->s = sn_race_of(a->t)->ignore_sync ? 0 : sn_sync_known(a->t, a->addr);
        if (!a->s)
            return 1;
    }
    look_again(a);
    return 0;
}

SN_NOINLINE void sn_atomic_look_back(struct sn_thread *t, uintptr_t addr, int acquire)
{
    struct sn_sync *s = sn_race_of(t)->ignore_sync ? 0 : sn_sync_known(t, addr);
    if (!s || sn_clock_peek(t, s, sn_sync_look(s), acquire))
        return;
    sn_sync_lock(s);
    if (acquire)
        sn_clock_acquire(t, s);
    else
        sn_clock_see_relaxed(t, s);
    sn_sync_unlock(s);
}

static SN_NOINLINE void record_slowly(struct sn_thread *t, uintptr_t base, uintptr_t tagged_pc,
                                      unsigned mask, unsigned kind)
{
    struct sn_race_thread *r = sn_race_of(t);
    uint64_t me = sn_word(r->epoch, sn_ctx_site(t, tagged_pc), mask);
    struct sn_granule *g = sn_shadow_get(base);
    if (!g || (!__atomic_load_n(&g->w, __ATOMIC_RELAXED) && !sn_shadow_may_use(g, base)))
        return;
    struct sn_conflicts found;
    found.n = 0;
    sn_cell_access(t, g, base, me, kind, &found);
    if (found.n)
        sn_race_report(t, base, me, kind, &found);
}

/* Word i of e last had an access of that kind to these bytes, or nothing. */
static inline int takes(const struct sn_private *e, unsigned i, unsigned mask, unsigned kind)
{
    return e->kind[i] == kind && !(mask & ~(unsigned)e->fine[kind]) &&
           !(sn_word_mask(e->word[i]) & ~mask);
}

/* Mostly the thread keeps the access for itself, and all that is needed for it is in its caches:
 * then nothing is called. */
SN_NOINLINE void sn_atomic_record_new(struct sn_thread *t, uintptr_t base, uintptr_t tagged_pc,
                                      unsigned mask, unsigned kind)
{
    struct sn_race_thread *r = sn_race_of(t);
    uintptr_t bias = sn_shadow_bias(base);
    const struct sn_ctx_entry *place = sn_ctx_site_cached(t, tagged_pc);
    r->in_epoch++;
    if (SN_LIKELY(bias && place)) {
        const struct sn_granule *g = (const struct sn_granule *)(bias + 2 * base);
        uint64_t name = __atomic_load_n(&g->w, __ATOMIC_RELAXED);
        struct sn_private *e = sn_private_at(r->sets, base);
        if (SN_UNLIKELY(e->name != name))
            e++;
        unsigned i = e->kind[0] != kind;
        if (SN_LIKELY(name && e->name == name && !__atomic_load_n(&g->r, __ATOMIC_RELAXED) &&
                      takes(e, i, mask, kind))) {
            __atomic_store_n(&e->word[i], sn_race_me(r) | (uint64_t)place->node << 8 | mask,
                             __ATOMIC_RELAXED);
            return;
        }
    }
    record_slowly(t, base, tagged_pc, mask, kind);
}

void sn_atomic_fence(int order, uintptr_t pc)
{
    struct sn_thread *t = sn_self;
    (void)pc;
    if (!t || !sn_race_hot.epoch || t->busy || order == SN_RELAXED)
        return;
    sn_busy_enter(t);
    if (!sn_race_of(t)->ignore_sync)
        sn_clock_fence(t, sn_order_acquires(order), sn_order_releases(order));
    sn_busy_leave(t);
}
