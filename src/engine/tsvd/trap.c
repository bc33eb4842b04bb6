/*
 * trap.c: the slow half of a call: traps that others have set, near misses that become pairs,
 * inferred happens-before, and delays with a trap of one's own (figure 5 of the paper).
 *
 * Looking for a trap and setting one is one step under the lock of the object's bucket, so that of
 * two threads that come at the same time one always sees the other.
 */
#include "trap.h"

#include "core/count.h"
#include "core/options.h"
#include "core/spin.h"
#include "runtime/hook.h"
#include "runtime/redirect.h"
#include "runtime/unwind.h"

enum { BUCKETS = 256, MAX_TRAPS = 1024, RECENT = 64 };

static struct {
    uint32_t lock;
    struct sn_trap *first;
} bucket[BUCKETS];

static struct sn_trap traps[MAX_TRAPS]; /* a free one has no thread; taken by compare-and-swap */
static uint32_t nfirst;                 /* threads that were held at their first point; atomic */
static uint64_t delayed_ms;             /* of the process; atomic */

/* Delays that are over (section 3.4.4). A torn entry can only misjudge an order, so there is no
 * lock. */
static struct {
    uint64_t start, end;
    uint32_t point, thread;
} recent[RECENT];
static uint32_t nrecent; /* atomic */

uint32_t sn_tsvd_where(struct sn_thread *t, const struct sn_call *c)
{
    return c ? sn_unwind_where(c, t) : sn_ctx_where(t, sn_points[sn_tsvd_of(t)->point].pc);
}

/* ---- traps ---- */

static bool conflict(const struct sn_trap *trap, const struct sn_touch *x, uint32_t number)
{
    return trap->touch.key == x->key && trap->number != number &&
           (trap->touch.does & x->conflicts) && (trap->touch.bytes & x->bytes);
}

/* Whoever is in a long call stays in it while its bucket is locked, so its stack can be walked. */
static void find_where(struct sn_trap *trap)
{
    if (!trap->where && trap->frame)
        trap->where = sn_unwind_where((const struct sn_call *)trap->frame, trap->thread);
}

/* What was found before does not make a delay worth while again. */
static uint32_t is_news(uint32_t point, struct sn_thread *t)
{
    return sn_pair_state(point, sn_tsvd_of(t)->point) != SN_PAIR_FOUND;
}

/* A copy of the trap that this call runs into, if there is one that was not reported yet. */
static bool check(struct sn_thread *t, const struct sn_touch *x, struct sn_trap *out)
{
    uint32_t b = sn_trap_bucket(x->key);
    bool found = false;
    sn_spin_lock(&bucket[b].lock);
    for (struct sn_trap *trap = bucket[b].first; trap; trap = trap->next) {
        if (!conflict(trap, x, t->number))
            continue;
        trap->caught += is_news(trap->point, t);
        found = true;
        find_where(trap);
        *out = *trap;
    }
    sn_spin_unlock(&bucket[b].lock);
    return found;
}

static struct sn_trap *new_trap(struct sn_thread *t)
{
    uint32_t start = t->index;
    for (uint32_t i = 0; i < MAX_TRAPS; i++) {
        struct sn_trap *trap = &traps[(start + i) % MAX_TRAPS];
        struct sn_thread *none = 0;
        if (__atomic_compare_exchange_n(&trap->thread, &none, t, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return trap;
    }
    return 0;
}

static void fill(struct sn_trap *trap, struct sn_thread *t, const struct sn_touch *touch,
                 uint32_t where)
{
    trap->touch = *touch;
    trap->number = t->number;
    trap->point = sn_tsvd_of(t)->point;
    trap->where = where;
    trap->caught = 0;
    trap->frame = 0;
}

/* Under the bucket's lock; others only read it. */
static void change_count(uint32_t b, uint32_t by)
{
    uint32_t *count = &sn_tsvd.trap_count[b];
    __atomic_store_n(count, *count + by, __ATOMIC_RELEASE); /* pairs with sn_tsvd_point() */
}

/* Under the bucket's lock. */
static void link_in(struct sn_trap *trap, uint32_t b)
{
    trap->next = bucket[b].first;
    bucket[b].first = trap;
    change_count(b, 1);
}

/* Sets the trap, and looks once more for one that was set since check(). */
static bool set(struct sn_trap *trap, struct sn_trap *other)
{
    uint32_t b = sn_trap_bucket(trap->touch.key);
    bool found = false;
    sn_spin_lock(&bucket[b].lock);
    for (struct sn_trap *o = bucket[b].first; o; o = o->next)
        if (conflict(o, &trap->touch, trap->number)) {
            uint32_t news = is_news(o->point, trap->thread);
            o->caught += news;
            trap->caught += news;
            found = true;
            find_where(o);
            *other = *o;
        }
    link_in(trap, b);
    sn_spin_unlock(&bucket[b].lock);
    return found;
}

/* Returns how many were caught. */
static uint32_t clear(struct sn_trap *trap)
{
    uint32_t b = sn_trap_bucket(trap->touch.key), caught;
    sn_spin_lock(&bucket[b].lock);
    for (struct sn_trap **p = &bucket[b].first; *p; p = &(*p)->next)
        if (*p == trap) {
            *p = trap->next;
            change_count(b, -1u);
            break;
        }
    caught = trap->caught;
    trap->frame = 0;
    sn_spin_unlock(&bucket[b].lock);
    __atomic_store_n(&trap->thread, 0, __ATOMIC_RELEASE);
    return caught;
}

void sn_trap_forget(struct sn_thread *t)
{
    for (uint32_t i = 0; i < MAX_TRAPS; i++)
        if (__atomic_load_n(&traps[i].thread, __ATOMIC_RELAXED) == t)
            clear(&traps[i]);
}

/* The other threads are gone, and their traps with them; nobody holds a lock. */
void sn_trap_forked(void)
{
    for (uint32_t i = 0; i < MAX_TRAPS; i++)
        traps[i].thread = 0;
    for (uint32_t i = 0; i < BUCKETS; i++) {
        bucket[i].lock = 0;
        bucket[i].first = 0;
        sn_tsvd.trap_count[i] = 0;
    }
}

/* ---- inferred happens-before (section 3.4.4) ---- */

static bool overlaps(uint32_t i, const struct sn_thread *t, const struct sn_tsvd_thread *s,
                     uint64_t now)
{
    return recent[i].point && recent[i].thread != t->number && recent[i].end >= s->last &&
           recent[i].start <= now;
}

/* The delay that ended last among those that the thread's gap overlaps is the cause. What the same
 * thread was delayed at before is ordered with it, and so with what comes after it. */
static void find_causes(struct sn_thread *t, struct sn_tsvd_thread *s, uint64_t now)
{
    uint64_t best = 0;
    uint32_t thread = 0;
    s->nafter = 0;
    for (uint32_t i = 0; i < RECENT; i++)
        if (overlaps(i, t, s, now) && recent[i].end > best) {
            best = recent[i].end;
            thread = recent[i].thread;
        }
    for (uint32_t i = 0; i < RECENT && s->nafter < SN_MAX_CAUSES; i++)
        if (overlaps(i, t, s, now) && recent[i].thread == thread)
            s->after_point[s->nafter++] = recent[i].point;
    if (s->nafter)
        s->after = (uint32_t)sn_opt.hb_window + 1;
    s->after_serial = 0;
}

static void infer(struct sn_thread *t, struct sn_tsvd_thread *s, uint64_t now)
{
    if (now - s->last >= sn_tsvd.gap)
        find_causes(t, s, now);
    if (!s->after)
        return;
    s->after--;
    for (uint32_t i = 0; i < s->nafter; i++)
        sn_pair_order(s->after_point[i], s->point, s->after_serial);
}

static void delay_is_over(struct sn_thread *t, uint32_t point, uint64_t start)
{
    uint64_t end = sn_ticks();
    uint32_t i = __atomic_fetch_add(&nrecent, 1, __ATOMIC_RELAXED) % RECENT;
    recent[i].point = 0;
    recent[i].start = start;
    recent[i].end = end;
    recent[i].thread = t->number;
    __atomic_store_n(&recent[i].point, point, __ATOMIC_RELEASE);
    __atomic_store_n(&sn_tsvd.last_delay_end, end, __ATOMIC_RELAXED);
}

/* ---- near misses ---- */

static void add_pairs(struct sn_thread *t, struct sn_tsvd_thread *s, const struct sn_touch *x,
                      uint64_t now)
{
    uint32_t found[SN_MAX_HISTORY], n = 0;
    struct sn_history *h = sn_history_lock(x->key);
    for (uint32_t i = 0; i < sn_tsvd.history; i++) {
        const struct sn_past *p = &h->past[i];
        if (sn_is_near_miss(t, p, x, now))
            found[n++] = p->point;
    }
    sn_spin_unlock(&h->lock);
    while (n-- > 0)
        if (sn_pair_is_open(found[n], s->point))
            sn_pair_add(found[n], s->point);
}

/* ---- delays ---- */

static bool may_delay(struct sn_tsvd_thread *s)
{
    return sn_opt.delay_ms > 0 && __atomic_load_n(&sn_tsvd.threads, __ATOMIC_RELAXED) > 1 &&
           s->delayed_ms < (uint64_t)sn_opt.max_delay_ms &&
           __atomic_load_n(&delayed_ms, __ATOMIC_RELAXED) < 5 * (uint64_t)sn_opt.max_delay_ms;
}

static bool wants_delay(struct sn_tsvd_thread *s, int action)
{
    uint32_t probability = __atomic_load_n(&sn_points[s->point].probability, __ATOMIC_RELAXED);
    if (sn_tsvd.mode >= SN_TSVD_RANDOM || (action & SN_DO_NOW))
        return action & (SN_DO_DELAY | SN_DO_NOW);
    return probability && (action & (SN_DO_DELAY | SN_DO_PAIR | SN_DO_NEW));
}

static uint64_t delay_length(struct sn_tsvd_thread *s)
{
    uint64_t ms = (uint64_t)sn_opt.delay_ms;
    return sn_tsvd.mode == SN_TSVD_RANDOM ? 1 + sn_tsvd_random(s) % ms : ms;
}

/* Mode static-random: the place has had its turn; another one is next, each with the same chance,
 * however often it is reached (section 3.3). */
static void pass_on(struct sn_tsvd_thread *s)
{
    uint32_t n = __atomic_load_n(&sn_tsvd.npoints, __ATOMIC_ACQUIRE);
    uint32_t next = sn_tsvd.used[sn_tsvd_random(s) % n];
    __atomic_fetch_and(&sn_points[s->point].flags, ~SN_SITE_ARMED, __ATOMIC_RELAXED);
    __atomic_fetch_or(&sn_points[next].flags, SN_SITE_ARMED, __ATOMIC_RELAXED);
}

/* A trap on each of the objects for that time. Returns how many were caught in them. */
static uint32_t stand(struct sn_thread *t, const struct sn_call *c, const struct sn_touch *touch,
                      unsigned n, uint64_t us)
{
    struct sn_trap *mine[SN_CONTRACT_EFFECTS], other;
    uint32_t where = sn_tsvd_where(t, c), caught = 0, set_up = 0;
    uint64_t end = sn_now_ns() + us * 1000;
    for (unsigned i = 0; i < n; i++) {
        struct sn_trap *trap = new_trap(t);
        if (!trap)
            break;
        mine[set_up++] = trap;
        fill(trap, t, &touch[i], where);
        if (set(trap, &other))
            sn_tsvd_report(t, c, &touch[i], &other);
    }
    __atomic_store_n(&sn_tsvd_of(t)->stands, 1, __ATOMIC_RELAXED);
    sn_delay_sleep(t, end, mine, set_up);
    __atomic_store_n(&sn_tsvd_of(t)->stands, 0, __ATOMIC_RELAXED);
    while (set_up-- > 0)
        caught += clear(mine[set_up]);
    return caught;
}

/* ---- long calls: a trap until they return, without any delay ---- */

/* Ends the long calls of the thread whose frame is at or below that; the others stay. */
static void end_holds(struct sn_thread *t, uintptr_t frame)
{
    struct sn_tsvd_thread *s = sn_tsvd_of(t);
    uintptr_t innermost = 0;
    if (!s->hold_frame)
        return;
    for (uint32_t i = 0; i < MAX_TRAPS; i++) {
        struct sn_trap *trap = &traps[i];
        if (__atomic_load_n(&trap->thread, __ATOMIC_RELAXED) != t || !trap->frame)
            continue;
        if (trap->frame <= frame)
            clear(trap);
        else if (!innermost || trap->frame < innermost)
            innermost = trap->frame;
    }
    s->hold_frame = innermost;
}

/* Calls that a longjmp has left will not return any more. */
void sn_trap_drop_left(struct sn_thread *t, const struct sn_call *c)
{
    end_holds(t, (uintptr_t)c);
}

void sn_trap_hold(struct sn_thread *t, struct sn_call *c, const struct sn_touch *touch, unsigned n)
{
    struct sn_tsvd_thread *s = sn_tsvd_of(t);
    struct sn_trap other;
    uint32_t set_up = 0;
    c->outer_hold = s->hold_frame;
    for (unsigned i = 0; i < n; i++) {
        bool is_long = sn_contract_effect(touch[i].effect)->is_long && set_up < SN_HELD;
        struct sn_trap *trap = is_long ? new_trap(t) : 0;
        if (!trap)
            continue;
        fill(trap, t, &touch[i], 0);
        trap->frame = (uintptr_t)c;
        c->held[set_up++] = (uint16_t)(trap - traps + 1);
        s->hold_frame = (uintptr_t)c;
        if (set(trap, &other))
            sn_tsvd_report(t, c, &touch[i], &other);
    }
}

static bool set_if_alone(struct sn_trap *trap)
{
    uint32_t b = sn_trap_bucket(trap->touch.key);
    bool alone = true;
    sn_spin_lock(&bucket[b].lock);
    for (struct sn_trap *o = bucket[b].first; o && alone; o = o->next)
        alone = !conflict(o, &trap->touch, trap->number);
    if (alone)
        link_in(trap, b);
    sn_spin_unlock(&bucket[b].lock);
    return alone;
}

static void drop_held(struct sn_call *c)
{
    for (unsigned i = 0; i < SN_HELD && c->held[i]; i++) {
        clear(&traps[(c->held[i] - 1u) % MAX_TRAPS]);
        c->held[i] = 0;
    }
}

bool sn_trap_hold_fast(struct sn_thread *t, struct sn_call *c, const struct sn_touch *touch,
                       unsigned n)
{
    struct sn_tsvd_thread *s = sn_tsvd_of(t);
    unsigned held = 0;
    for (unsigned i = 0; i < n && held < SN_HELD; i++) {
        struct sn_trap *trap = sn_contract_effect(touch[i].effect)->is_long ? new_trap(t) : 0;
        if (!trap)
            continue; /* not held, and nobody is found in it */
        fill(trap, t, &touch[i], 0);
        trap->frame = (uintptr_t)c;
        if (!set_if_alone(trap)) {
            __atomic_store_n(&trap->thread, 0, __ATOMIC_RELEASE);
            drop_held(c);
            return false;
        }
        c->held[held++] = (uint16_t)(trap - traps + 1);
    }
    c->outer_hold = s->hold_frame;
    if (held)
        s->hold_frame = (uintptr_t)c;
    return true;
}

/* The frame tells whether a trap is still that of this call: after a fork it is not. */
void sn_engine_call_leave(struct sn_call *c)
{
    struct sn_thread *t = c->held[0] ? sn_self : 0;
    if (!t || !sn_hook_enter(c->pc))
        return;
    for (unsigned i = 0; i < SN_HELD && c->held[i]; i++) {
        struct sn_trap *trap = &traps[(c->held[i] - 1u) % MAX_TRAPS];
        if (trap->thread && trap->frame == (uintptr_t)c)
            clear(trap);
    }
    sn_tsvd_of(t)->hold_frame = c->outer_hold;
    sn_hook_leave(t);
}

void sn_engine_call_unwound(void)
{
    struct sn_thread *t = sn_self;
    if (!t || !sn_hook_enter(t->pc))
        return;
    end_holds(t, sn_tsvd_of(t)->hold_frame);
    sn_hook_leave(t);
}

/* Another thread came to a place that is suspected with this one, and it was about another object.
 * Only the last point of every thread is known: a hint. */
static bool partner_came(const struct sn_thread *t, uint32_t point, uint64_t since)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        struct sn_thread *o = sn_thread_at(i);
        const struct sn_tsvd_thread *s = sn_tsvd_of(o);
        if (o != t && o->state == SN_T_RUNNING && s->begun && s->last >= since &&
            sn_pair_state(point, s->point) == SN_PAIR_DANGEROUS)
            return true;
    }
    return false;
}

static void delay(struct sn_thread *t, const struct sn_call *c, const struct sn_touch *touch,
                  unsigned n)
{
    struct sn_tsvd_thread *s = sn_tsvd_of(t);
    uint32_t point = s->point;
    enum sn_evidence why = s->evidence;
    uint64_t ms = delay_length(s), start = sn_ticks();
    __atomic_fetch_add(&sn_points[point].delays, 1, __ATOMIC_RELAXED);
    uint32_t caught = stand(t, c, touch, n, ms * 1000);
    ms = (sn_ticks() - start) / sn_tsvd.ticks_per_ms; /* it may have ended early */
    sn_count(DELAYS);
    sn_count_add(SN_C_DELAYS_MS, ms);
    s->delayed_ms += ms;
    __atomic_fetch_add(&delayed_ms, ms, __ATOMIC_RELAXED);
    delay_is_over(t, point, start);
    if (sn_tsvd.mode == SN_TSVD_STATIC)
        pass_on(s);
    else if (!caught)
        sn_pair_decay(point, partner_came(t, point, start) ? SN_EVIDENCE_NONE : why);
}

/* Threads that are started one after the other, each with little to do, would run one after the
 * other. So each waits a moment at its first point: then they run together, as they may on another
 * day (the paper forces asynchrony to the same end). It costs no delay, so that a trap is set, too.
 * On a busy machine the others may need longer to get there. */
static void first_point(struct sn_thread *t, const struct sn_call *c, const struct sn_touch *touch,
                        unsigned n)
{
    enum { US = 2000, TIMES = 5, PATIENT = 100, THREADS = 64 };
    uint64_t cpu = sn_delay_cpu_ns();
    if (sn_opt.delay_ms == 0 || __atomic_fetch_add(&nfirst, 1, __ATOMIC_RELAXED) >= THREADS)
        return;
    for (int i = 0; i < TIMES || (i < PATIENT && sn_delay_is_starved(t, cpu)); i++) {
        bool more = sn_delay_somebody_begins(t);
        stand(t, c, touch, sn_tsvd.mode <= SN_TSVD_HB ? n : 0, US);
        if (!more)
            break;
    }
}

void sn_tsvd_slow(struct sn_thread *t, const struct sn_call *c, const struct sn_touch *touch,
                  unsigned n, int action)
{
    struct sn_tsvd_thread *s = sn_tsvd_of(t);
    uint64_t now = sn_ticks();
    struct sn_trap other;
    sn_count(CALLS);
    if (action & SN_DO_NEW)
        sn_trapset_point(s->point);
    for (unsigned i = 0; i < n && (action & SN_DO_TRAP); i++)
        if (check(t, &touch[i], &other))
            sn_tsvd_report(t, c, &touch[i], &other);
    if ((action & SN_DO_GAP) && sn_tsvd.mode == SN_TSVD)
        infer(t, s, now);
    for (unsigned i = 0; i < n && (action & SN_DO_PAIR); i++)
        add_pairs(t, s, &touch[i], now);
    bool wants = wants_delay(s, action) && may_delay(s);
    if ((wants || (action & SN_DO_FIRST)) && !sn_delay_is_hopeless(t, action)) {
        if (wants)
            delay(t, c, touch, n);
        else
            first_point(t, c, touch, n);
    }
    s->last = sn_ticks();
}
