/*
 * check.c: Algorithm 1. The check and the update of the recorder are one compare-and-exchange, so
 * that two threads that arrive together cannot both pass: the one that comes second sees the first.
 */
#include "guard.h"

#include "core/count.h"
#include "core/ctx_cache.h"
#include "core/invariants.h"
#include "core/options.h"
#include "core/sys.h"
#include "tasks.h"

static inline bool passes(const struct sn_guard_site *s, uint32_t pred)
{
    return !(s->flags & SN_INV_GUARDED) || sn_rec_is_member(s->set, s->nset, pred);
}

/* True: recorded, the invariant holds. False: it would be violated by *old. */
static inline bool try_record(struct sn_guard_site *s, uint64_t *word, uint32_t me, uint64_t *old)
{
    *old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    for (;;) {
        if (!passes(s, sn_rec_rpre(*old, me)))
            return false;
        uint64_t new = sn_rec_next(*old, s->id, me);
        if (new == *old ||
            __atomic_compare_exchange_n(word, old, new, 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return true;
    }
}

static void record_anyway(struct sn_guard_site *s, uint64_t *word, uint32_t me)
{
    uint64_t old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(word, &old, sn_rec_next(old, s->id, me), 1,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
}

/* Whose access has made it right is to have done it. */
static void settle(uint64_t seen, uint32_t me)
{
    uint32_t number = sn_rec_thread(seen);
    const struct sn_thread *other = seen && number != me ? sn_thread_by_number(number) : 0;
    if (other)
        sn_tasks_settle((uint32_t)other->kernel_tid, (uint64_t)sn_opt.stall_us);
}

/* Telling comes before the record when the record is made in any case, and is put off when it was
 * made. */
static SN_NOINLINE void violated(struct sn_thread *t, struct sn_guard_site *s, uint64_t *word,
                                 uintptr_t addr, unsigned size, uint64_t seen)
{
    uint32_t me = sn_rec_thread_of(t->number);
    struct sn_guard_late v = {.site = s,
                              .addr = addr,
                              .pred = sn_rec_rpre(seen, me),
                              .pred_thread = UINT32_MAX,
                              .size = size,
                              .where = sn_ctx_site(t, s->pc)};
    int64_t steps = sn_guard.mode == SN_MODE_GUARD ? sn_opt.stall_steps : 0;
    uint64_t old, begin = sn_now_ns();
    bool resolved = false;
    if (v.pred && sn_rec_thread(seen) != me)
        v.pred_thread = sn_rec_thread(seen);
    for (; v.nheld < t->nheld && v.nheld < SN_LATE_LOCKS; v.nheld++)
        v.held[v.nheld] = t->held[v.nheld];
    __atomic_fetch_add(&sn_guard.violations, 1, __ATOMIC_RELAXED);
    struct sn_tasks now, next;
    if (steps > 0)
        sn_tasks_look((uint32_t)t->kernel_tid, &now);
    /* The word is read after the look: somebody who is gone has come before. */
    for (int64_t most = steps * 10; most > 0; most--) {
        bool may = steps > 0 && sn_stall_may(t);
        old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        if (passes(s, sn_rec_rpre(old, me)))
            settle(old, me);
        resolved = try_record(s, word, me, &old);
        if (resolved || !may || !sn_stall(t, (uint64_t)sn_opt.stall_us))
            break;
        sn_tasks_look((uint32_t)t->kernel_tid, &next);
        steps -= !sn_tasks_starved(&now, &next, (uint64_t)sn_opt.stall_us);
        now = next;
    }
    v.ms = (uint32_t)((sn_now_ns() - begin) / 1000000);
    if (sn_guard.mode == SN_MODE_GUARD)
        sn_count_add(resolved ? SN_C_STALLS_RESOLVED : SN_C_STALLS_TIMED_OUT, 1);
    if (resolved) {
        sn_guard_of(t)->late = v;
        return;
    }
    sn_report_violation(t, &v, false);
    record_anyway(s, word, me);
}

void sn_check(struct sn_thread *t, struct sn_guard_site *s, uint64_t *word, uintptr_t addr,
              unsigned size)
{
    uint64_t seen;
    if (SN_LIKELY(try_record(s, word, sn_rec_thread_of(t->number), &seen)))
        return;
    violated(t, s, word, addr, size, seen);
}
