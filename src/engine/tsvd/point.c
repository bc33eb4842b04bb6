/*
 * point.c: what happens at every call under a contract. The common case ends here: the thread is
 * alone with the object, or all that could be suspected is known. It costs a look-up of the place,
 * a time stamp and a line of the object's history; what is shared by all threads is only read.
 *
 * Compiled with -mgeneral-regs-only: the trampoline has not saved the vector registers.
 */
#include "tsvd.h"

#include "core/count.h"
#include "core/spin.h"
#include "runtime/hook.h"
#include "object.h"
#include "runtime/redirect.h"
#include "runtime/stub.h"
#include "runtime/stack_cache.h"

enum { SLOT_BITS = 16, WAYS = 4 };

struct sn_tsvd sn_tsvd;
struct sn_point sn_points[SN_MAX_SITES];

/* ---- places ---- */

SN_NOINLINE static uint32_t new_point(uint32_t i, uintptr_t pc, uint32_t entry, uint32_t flags)
{
    static uint32_t lock;
    struct sn_point *p = &sn_points[i];
    sn_spin_lock(&lock);
    if (!p->pc && sn_tsvd.npoints < SN_MAX_SITES * 3 / 4) {
        p->entry = entry;
        p->flags = flags;
        if (sn_tsvd.mode == SN_TSVD_STATIC && (pc * 0x9e3779b97f4a7c15ull >> 62) == 0)
            p->flags |= SN_SITE_ARMED; /* a quarter of the places, to begin with */
        sn_tsvd.used[sn_tsvd.npoints] = (uint16_t)i;
        __atomic_fetch_add(&sn_tsvd.npoints, 1, __ATOMIC_RELEASE); /* pairs with pass_on() */
        sn_count(POINTS);
        __atomic_store_n(&p->pc, pc, __ATOMIC_RELEASE); /* pairs with find_point() */
    }
    sn_spin_unlock(&lock);
    return p->pc == pc && p->entry == entry ? i : 0;
}

/* Index of the place; 0: no room. Entry 0 of the table is never used. */
static uint32_t find_point(uintptr_t pc, uint32_t entry, uint32_t flags, uint32_t *is_new)
{
    uint32_t i =
        (uint32_t)((pc ^ ((uint64_t)entry << 32)) * 0x9e3779b97f4a7c15ull >> (64 - SN_SITE_BITS));
    for (unsigned tries = 0; tries < 64; tries++, i++) {
        struct sn_point *p = &sn_points[i &= SN_MAX_SITES - 1];
        if (!i)
            continue;
        uintptr_t have = __atomic_load_n(&p->pc, __ATOMIC_ACQUIRE);
        if (have == pc && p->entry == entry)
            return i;
        if (have)
            continue;
        uint32_t made = new_point(i, pc, entry, flags);
        *is_new = made;
        if (made)
            return made;
        if (!p->pc)
            break;
    }
    sn_count(LOST_POINT);
    return 0;
}

uint32_t sn_tsvd_place(uintptr_t pc, uint32_t entry)
{
    uint32_t is_new;
    return find_point(pc, entry, 0, &is_new);
}

/* ---- the concurrent phase (section 3.4.3) ----
 *
 * "The last N points come from more than one thread": another thread was seen less than N of one's
 * own points ago. The shared word says who came last; a thread looks at it only when half of its
 * points are used up, so that it is rarely written. */
static uint32_t phase(struct sn_thread *t, struct sn_tsvd_thread *s)
{
    uint32_t me = t->number + 1, n = sn_tsvd.phase_buffer;
    if (!n)
        return SN_CONCURRENT;
    if (__atomic_load_n(&sn_tsvd.threads, __ATOMIC_RELAXED) < 2)
        return SN_ALONE;
    if (s->credit <= n / 2) {
        uint32_t last = __atomic_load_n(&sn_tsvd.phase_thread, __ATOMIC_RELAXED);
        if (last != me) {
            __atomic_store_n(&sn_tsvd.phase_thread, me, __ATOMIC_RELAXED);
            if (last)
                s->credit = n;
        }
    }
    if (!s->credit)
        return SN_SEQUENTIAL;
    s->credit--;
    return SN_CONCURRENT;
}

/* ---- histories ---- */

static struct sn_history *slot(uint32_t i)
{
    return (struct sn_history *)(sn_tsvd.slots + (size_t)i * sn_tsvd.slot_bytes);
}

static uint64_t newest(const struct sn_history *h)
{
    uint32_t last = (h->next + sn_tsvd.history - 1) % sn_tsvd.history;
    return h->key ? h->past[last].when : 0;
}

SN_NOINLINE static struct sn_history *take_slot(uint32_t first, uint64_t key)
{
    struct sn_history *oldest = slot(first);
    for (uint32_t i = 1; i < WAYS; i++)
        if (newest(slot(first + i)) < newest(oldest))
            oldest = slot(first + i);
    sn_spin_lock(&oldest->lock);
    if (oldest->key != key) {
        oldest->key = key;
        oldest->next = 0;
        for (uint32_t i = 0; i < sn_tsvd.history; i++)
            oldest->past[i].when = 0;
    }
    return oldest;
}

struct sn_history *sn_history_lock(uint64_t key)
{
    uint32_t first = (uint32_t)(key & ((1u << SLOT_BITS) - 1)) * WAYS;
    for (uint32_t i = 0; i < WAYS; i++) {
        struct sn_history *h = slot(first + i);
        if (__atomic_load_n(&h->key, __ATOMIC_RELAXED) != key)
            continue;
        sn_spin_lock(&h->lock);
        if (h->key == key)
            return h;
        sn_spin_unlock(&h->lock);
    }
    return take_slot(first, key);
}

/* ---- locks ----
 *
 * The outermost and the innermost lock, and one that a function of a contract took: of one that
 * both threads hold it is certain that they cannot meet, unless both hold it for reading. A lock is
 * a number whose lowest bit says "for reading"; the highest one tells those of contracts. */

static uint32_t of_held(const struct sn_held *h)
{
    return (h->id << 1 & 0x7fffffff) | (h->shared != 0);
}

static void note_locks(const struct sn_thread *t, struct sn_tsvd_thread *s)
{
    s->lock[0] = s->lock[1] = 0;
    s->lock[2] = s->ncontract_locks ? s->contract_lock[s->ncontract_locks - 1] : 0;
    if (t->nheld) {
        s->lock[0] = of_held(t->held);
        s->lock[1] = of_held(t->held + t->nheld - 1);
    }
}

static bool keeps_out(uint32_t a, uint32_t b)
{
    return a > 1 && (a ^ b) <= 1 && !(a & b & 1);
}

static bool same_lock(const uint32_t a[SN_LOCKS], const uint32_t b[SN_LOCKS])
{
    for (int i = 0; i < SN_LOCKS; i++)
        for (int k = 0; k < SN_LOCKS; k++)
            if (keeps_out(a[i], b[k]))
                return true;
    return false;
}

/* Section 3.4.2; and what was done while there was one thread only is ordered before or after all,
 * as is what the clocks order.
 */
bool sn_is_near_miss(struct sn_thread *t, const struct sn_past *p, const struct sn_touch *x,
                     uint64_t now)
{
    uint32_t phase = sn_tsvd_of(t)->concurrent;
    return p->when && p->thread != t->number && now - p->when <= sn_tsvd.window &&
           (p->does & x->conflicts) && (p->bytes & x->bytes) && p->concurrent != SN_ALONE &&
           phase != SN_ALONE && (p->concurrent | phase) == SN_CONCURRENT &&
           !same_lock(p->lock, sn_tsvd_of(t)->lock) && !sn_tsvd_clock_before(t, p->thread, p->tick);
}

static const struct sn_past *oldest(const struct sn_history *h)
{
    const struct sn_past *p = &h->past[h->next];
    return p->when ? p : &h->past[0];
}

/* The object was destroyed, and now the place comes to its address that came first before: it is a
 * new object, and what was done to the old one is no near miss. */
static void forget_old_object(struct sn_history *h, uint32_t point)
{
    const struct sn_past *last = &h->past[(h->next ? h->next : sn_tsvd.history) - 1];
    if (SN_LIKELY(!last->destroys || !last->when || oldest(h)->point != point))
        return;
    for (uint32_t i = 0; i < sn_tsvd.history; i++)
        h->past[i].when = 0;
    h->next = 0;
}

static enum sn_evidence evidence(uint32_t first, uint32_t then)
{
    enum sn_pair_state is = sn_pair_state(first, then);
    return is <= SN_PAIR_DANGEROUS ? SN_EVIDENCE_NEAR : SN_EVIDENCE_NONE;
}

/* Adds the access; true: a near miss of places that are not known as a pair. */
static bool remember(struct sn_thread *t, struct sn_tsvd_thread *s, const struct sn_touch *x,
                     uint32_t point, uint64_t now)
{
    struct sn_history *h = sn_history_lock(x->key);
    bool miss = false;
    forget_old_object(h, point);
    if (!h->past[h->next].when && s->evidence == SN_EVIDENCE_NONE)
        s->evidence = SN_EVIDENCE_YOUNG;
    for (uint32_t i = 0; i < sn_tsvd.history; i++) {
        const struct sn_past *p = &h->past[i];
        if (SN_LIKELY(p->thread == t->number) || i == h->next || !sn_is_near_miss(t, p, x, now))
            continue;
        miss |= sn_pair_is_open(p->point, point);
        s->evidence |= evidence(p->point, point);
    }
    h->past[h->next] = (struct sn_past){.when = now,
                                        .thread = t->number,
                                        .point = point,
                                        .does = x->does,
                                        .conflicts = x->conflicts,
                                        .bytes = x->bytes,
                                        .destroys = x->act == SN_ACT_DESTROY,
                                        .concurrent = (uint8_t)s->concurrent,
                                        .tick = s->tick,
                                        .lock = {s->lock[0], s->lock[1], s->lock[2]}};
    h->next = h->next + 1 < sn_tsvd.history ? h->next + 1 : 0;
    sn_spin_unlock(&h->lock);
    return miss;
}

/* ---- the decision ---- */

uint64_t sn_tsvd_random(struct sn_tsvd_thread *s)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return s->random;
}

/* Sections 3.2 to 3.4: where and when each mode delays. */
static bool should_delay(struct sn_tsvd_thread *s, struct sn_point *p)
{
    uint32_t probability = __atomic_load_n(&p->probability, __ATOMIC_RELAXED);
    if (sn_tsvd.mode == SN_TSVD_RANDOM)
        probability = SN_CERTAIN / 20;
    else if (sn_tsvd.mode == SN_TSVD_STATIC)
        probability = __atomic_load_n(&p->flags, __ATOMIC_RELAXED) & SN_SITE_ARMED ? SN_CERTAIN : 0;
    else if (s->evidence == SN_EVIDENCE_NONE && !(p->flags & SN_SITE_EXPECTED))
        return false;
    return probability && (sn_tsvd_random(s) & (SN_CERTAIN - 1)) < probability;
}

int sn_tsvd_point(struct sn_thread *t, uintptr_t pc, uint32_t entry, uint32_t flags,
                  const struct sn_touch *touch, unsigned n)
{
    struct sn_tsvd_thread *s = sn_tsvd_of(t);
    uint64_t now = sn_ticks();
    uint32_t point = find_point(pc, entry, flags, &s->is_new);
    int action = 0;
    if (!point)
        return 0;
    struct sn_point *p = &sn_points[point];
    s->point = point;
    if (SN_UNLIKELY(s->is_new) && sn_tsvd.nexpected)
        action |= SN_DO_NEW;
    s->is_new = 0;
    s->reads = 0; /* it may have left a read without returning */
    s->tick++;
    s->concurrent = phase(t, s);
    s->evidence = SN_EVIDENCE_NONE;
    if (sn_tsvd.mode == SN_TSVD)
        note_locks(t, s);
    if (s->concurrent == SN_CONCURRENT && !(p->flags & SN_SITE_CONCURRENT) &&
        !(__atomic_fetch_or(&p->flags, SN_SITE_CONCURRENT, __ATOMIC_RELAXED) & SN_SITE_CONCURRENT))
        sn_count(POINTS_CONCURRENT);
    if (s->after || (now - s->last >= sn_tsvd.gap &&
                     __atomic_load_n(&sn_tsvd.last_delay_end, __ATOMIC_RELAXED) >= s->last))
        action |= SN_DO_GAP;
    for (unsigned i = 0; i < n; i++) {
        if (__atomic_load_n(&sn_tsvd.trap_count[sn_trap_bucket(touch[i].key)], __ATOMIC_ACQUIRE))
            action |= SN_DO_TRAP;
        if (sn_tsvd.mode <= SN_TSVD_HB && remember(t, s, &touch[i], point, now))
            action |= SN_DO_PAIR;
    }
    if (should_delay(s, p))
        action |= SN_DO_DELAY;
    if (SN_UNLIKELY(!s->begun)) {
        s->begun = 1;
        action |= t->number ? SN_DO_FIRST : 0;
    }
    if (!(action & SN_DO_GAP)) /* the slow half needs the time before */
        s->last = now;
    return action;
}

static void holds_nothing(struct sn_call *c)
{
    for (unsigned i = 0; i < SN_HELD; i++)
        c->held[i] = 0;
    c->outer_hold = 0;
}

/* Point and rules. SN_DO_ALL: a rule is broken, or the call's stack is not known. */
static int touched(struct sn_thread *t, struct sn_call *c, uint32_t entry,
                   const struct sn_touch *touch, unsigned n)
{
    unsigned acts = 0;
    uint32_t where = 0;
    for (unsigned i = 0; i < n; i++)
        acts |= touch[i].act;
    if (SN_LIKELY(acts == SN_ACT_TOUCH))
        return sn_tsvd_point(t, c->pc, entry, 0, touch, n);
    if (!sn_object_is_well(t, touch, n))
        return SN_DO_ALL;
    if (sn_object_needs_where(touch, n) && !(where = sn_stack_cache_find(c, t)))
        return SN_DO_ALL;
    int action = sn_tsvd_point(t, c->pc, entry, 0, touch, n);
    return action | sn_object_note(t, where, touch, n);
}

int sn_engine_call_fast(struct sn_call *c)
{
    struct sn_thread *t = sn_self;
    struct sn_touch touch[SN_CONTRACT_EFFECTS];
    if (SN_UNLIKELY(sn_stubs[c->stub].is_long))
        holds_nothing(c);
    if (SN_UNLIKELY(
            !t)) /* a namespace with a libc of its own makes threads that are none of ours */
        return sn_ready && !sn_stubs[c->stub].is_copy ? SN_DO_ADOPT : 0;
    if (!sn_ready || t->in_hook)
        return 0;
    uint32_t entry = sn_stubs[c->stub].entry;
    const struct sn_contract_entry *e = sn_contract_entry(entry);
    t->in_hook = 1;
    t->pc = c->pc;
    struct sn_tsvd_thread *s = sn_tsvd_of(t);
    if (SN_UNLIKELY(s->pending_mark && s->pending_on_stack))
        sn_object_settle(t, *(const uintptr_t *)s->pending_mark);
    bool pending = s->pending_lock[0] || s->pending_mark;
    int n = SN_LIKELY(!pending) ? sn_tsvd_touches(c, e, touch) : -1, action = SN_DO_ALL;
    if (n >= 0 && (SN_LIKELY(!s->hold_frame) || s->hold_frame > (uintptr_t)c))
        action = n ? touched(t, c, entry, touch, (unsigned)n) : 0;
    if (SN_UNLIKELY((e->flags & SN_ENTRY_LONG) && !action && n) &&
        !sn_trap_hold_fast(t, c, touch, (unsigned)n))
        action = SN_DO_ALL;
    if (action)
        return action; /* the slow half leaves the hook */
    t->in_hook = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return t->sig_pending ? SN_DO_SIGNAL : 0;
}
