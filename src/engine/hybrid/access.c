/*
 * access.c: an access that the first two records do not have.
 *
 * The filter (TREE, thesis chapter 3). Two accesses of a thread at one site to the same bytes, of
 * one kind, with the same lock set, and no send of the thread between them, are equivalent: the
 * second is dropped. Proof, for any access k of another thread that is a candidate with the second:
 * lock sets, bytes and kinds are the same for the first. If k came before the second, the thread
 * did not know k then, so it did not know it at the first either; if k came after, it does not know
 * the epoch, and both have the same. Where this goes further than the thesis: receives do not
 * count, for a clock only grows. Where it stops short: the thesis keeps at most two threads for
 * each context and drops a third. But messages that come later can order the first two before k and
 * not the third (join two of three workers, then write what all three have written): that candidate
 * would be lost. So every thread has its record here.
 *
 * The filter has no memory of its own: what it looks up is the history itself.
 *
 * --filter span drops less: accesses to the same bytes at the same site with no synchronisation of
 * the thread between them (thesis section 3.6, but there any site will do; here every pair of sites
 * counts). A table of the thread's recent accesses tells them.
 */
#include "access.h"

#include "core/options.h"
#include "core/stop.h"
#include "history.h"
#include "hybrid.h"

__thread uint64_t sn_hybrid_key __attribute__((tls_model("initial-exec"))) = SN_KEY_NONE;

/* The engine is entered: false when this thread is not followed, or a signal handler has
 * interrupted the engine itself. */
static inline int enter(struct sn_thread *t)
{
    return SN_LIKELY(t && sn_hybrid_of(t)->followed) && sn_busy_try(t);
}

static inline int ignored(const struct sn_hybrid_thread *r, unsigned kind)
{
    return kind & SN_WRITE ? r->ignore_writes != 0 : r->ignore_reads != 0;
}

/* Where nothing was redundant for a while (fresh memory, a message for every round) nothing will be
 * soon: the history is searched now and then only. Its first two records are always looked at. */
static inline int is_worth_it(const struct sn_hybrid_thread *r)
{
    enum { DRY = 32, NOW_AND_THEN = 16 };
    return r->dry < DRY || r->passed % NOW_AND_THEN == 0;
}

static inline void one(struct sn_thread *t, struct sn_granule *g, uintptr_t base, uint32_t place,
                       unsigned mask)
{
    struct sn_hybrid_thread *r = sn_hybrid_of(t);
    if (sn_opt.filter == SN_FILTER_TREE && is_worth_it(r)) {
        if (sn_history_has(r, g, place, mask)) {
            r->skipped++;
            r->dry = 0;
            return;
        }
        r->dry++;
    }
    r->passed++;
    if (SN_LIKELY(sn_shadow_may_use(base)))
        sn_history_access(t, g, base, place, mask);
}

/* Seen in this span? If not, it is from now on. */
static int in_span(struct sn_hybrid_thread *r, uintptr_t addr, uintptr_t tagged_pc)
{
    uint64_t h = (addr ^ tagged_pc << 20) * 0x9e3779b97f4a7c15ull;
    struct sn_span_entry *e = &r->spans[h >> 52];
    uint32_t clears = __atomic_load_n(&sn_shadow_clears, __ATOMIC_ACQUIRE);
    if (e->addr == addr && e->tagged_pc == tagged_pc && e->span == r->span && e->clears == clears)
        return 1;
    *e = (struct sn_span_entry){addr, tagged_pc, r->span, clears};
    return 0;
}

_Static_assert(SN_SPAN_ENTRIES == 1 << (64 - 52), "what in_span() takes of the hash");

SN_NOINLINE void sn_hybrid_access(uintptr_t addr, unsigned size, uintptr_t tagged_pc, unsigned kind)
{
    struct sn_thread *t = sn_self;
    if (!enter(t))
        return;
    struct sn_granule *g = ignored(sn_hybrid_of(t), kind) ? 0 : sn_shadow_get(addr);
    if (g && sn_opt.filter == SN_FILTER_SPAN && in_span(sn_hybrid_of(t), addr, tagged_pc))
        sn_hybrid_of(t)->skipped++;
    else if (g)
        one(t, g, addr & ~(uintptr_t)7, sn_record_place(sn_ctx_site(t, tagged_pc), kind),
            sn_mask(addr & 7, size));
    sn_busy_leave(t);
}

void sn_hybrid_walk(struct sn_thread *t, uintptr_t addr, size_t size, uint32_t where, unsigned kind)
{
    uint32_t place = sn_record_place(where, kind);
    uintptr_t end = addr + size;
    while (addr < end) {
        struct sn_granule *g = sn_shadow_get(addr);
        uintptr_t stop = (addr | (SN_REGION_BYTES - 1)) + 1;
        if (stop > end || stop < addr)
            stop = end;
        for (; g && addr < stop; g++) {
            uintptr_t base = addr & ~(uintptr_t)7, next = base + 8;
            one(t, g, base, place,
                sn_mask(addr & 7, (unsigned)((next < stop ? next : stop) - addr)));
            addr = next;
        }
        if (addr < stop)
            addr = stop;
    }
}

SN_NOINLINE void sn_hybrid_range(uintptr_t addr, size_t size, uintptr_t tagged_pc, unsigned kind)
{
    struct sn_thread *t = sn_self;
    if (!size || !enter(t))
        return;
    if (!ignored(sn_hybrid_of(t), kind))
        sn_hybrid_walk(t, addr, size, sn_ctx_site(t, tagged_pc), kind);
    sn_busy_leave(t);
}
