/*
 * guard.c: Algorithm 1 in the program itself. No lock hooks and no allocator hooks are needed:
 * whether others wait for this thread is looked up when it is about to be stalled, which is rare;
 * memory is forgotten where the program's own code allocates it.
 */
#include <fcntl.h>

#include "core/sys.h"
#include "engine/guard/tasks.h"
#include "log.h"
#include "recorder.h"
#include "standalone.h"

/* Where glibc keeps the kernel's number of a thread; looked at once before it is believed. */
enum { TID_OFFSET = 0x2d0, THREADS = 1024, PAIRS = 8192, USUAL = 8 };

/* What a violation costs in vain: a stall, or a look at the others that finds no use in one. */
enum { STALL = 16, LOOK = 1, GIVE_UP = 4 * STALL, GIVE_UP_PLACE = 16 * STALL };

__attribute__((visibility("default"))) struct sn_sa_config sn_sa_config = {
    .step_us = 1000, .steps = 10, .budget_ms = 200};

static uint32_t tid_is_known; /* 0 not looked at, 1 yes, 2 no */

/* What a thread was stalled for in this second; threads may share an entry, and are then stalled
 * less. */
static struct {
    uint64_t second_ns, used_us;
} budget[THREADS];

/* A violation that no stall has ever made right, again and again, is no bug but an order that
 * training missed: it is let through. So is a place that comes after all kinds of others, or before
 * them, and never a stall was of use: training has not seen it like that. */
static struct tried {
    uint32_t site, pred, vain, good;
} tried[PAIRS];

static SN_NOINLINE uint32_t slow_tid(void)
{
    uint32_t tid = (uint32_t)sn_sys0(SYS_gettid), there;
    if (!tid_is_known) {
        __asm__("movl %%fs:%c1, %0" : "=r"(there) : "i"(TID_OFFSET));
        tid_is_known = there == tid ? 1 : 2;
    }
    return tid;
}

static inline uint32_t thread_id(void)
{
    uint32_t tid;
    if (SN_UNLIKELY(tid_is_known != 1))
        return slow_tid();
    __asm__ volatile("movl %%fs:%c1, %0" : "=r"(tid) : "i"(TID_OFFSET));
    return tid;
}

static inline const struct sn_sa_site *site_at(uint32_t id)
{
    return (const struct sn_sa_site *)((char *)&sn_sa_config + sn_sa_config.sites) + id - 1;
}

static inline int is_in_set(const struct sn_sa_site *s, uint32_t pred)
{
    const uint32_t *members = (const uint32_t *)((char *)&sn_sa_config + sn_sa_config.members);
    return sn_rec_is_member(members + s->first, s->count, pred);
}

static inline int is_plain(uint32_t site)
{
    return site - 1 < sn_sa_config.nplain;
}

/* Two reads may change places when neither begins a write: one that training did not see between
 * a read and what comes before it is looked through, as far as the recorder goes back. */
static SN_NOINLINE int passes_reads(const struct sn_sa_site *s, uint64_t word, uint32_t me)
{
    if (!s->reads || !word || !is_plain(sn_rec_rpre(word, me)))
        return 0;
    return sn_rec_thread(word) == me || is_plain(sn_rec_before(word)) ||
           is_in_set(s, sn_rec_before(word));
}

static inline int passes(const struct sn_sa_site *s, uint64_t word, uint32_t me)
{
    return SN_LIKELY(is_in_set(s, sn_rec_rpre(word, me))) || passes_reads(s, word, me);
}

static inline int try_record(const struct sn_sa_site *s, uint32_t id, uint64_t *word, uint32_t me,
                             uint64_t *old)
{
    *old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    for (;;) {
        if (SN_UNLIKELY(!passes(s, *old, me)))
            return 0;
        if (s->kind == SN_SA_LIGHT)
            return 1;
        uint64_t new = sn_rec_next(*old, id, me);
        if (new == *old ||
            __atomic_compare_exchange_n(word, old, new, 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return 1;
    }
}

static void record_anyway(const struct sn_sa_site *s, uint32_t id, uint64_t *word, uint32_t me)
{
    uint64_t old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    while (s->kind != SN_SA_LIGHT &&
           !__atomic_compare_exchange_n(word, &old, sn_rec_next(old, id, me), 1, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
        ;
}

static int stall(uint32_t me)
{
    uint64_t now = sn_now_ns(), us = sn_sa_config.step_us;
    if (now - budget[me % THREADS].second_ns > 1000000000ull) {
        budget[me % THREADS].second_ns = now;
        budget[me % THREADS].used_us = 0;
    }
    if (budget[me % THREADS].used_us + us > (uint64_t)sn_sa_config.budget_ms * 1000)
        return 0;
    budget[me % THREADS].used_us += us;
    sn_sleep_us(us);
    return 1;
}

/* The entry of the pair; another pair's gives way. */
static struct tried *tried_at(uint32_t site, uint32_t pred)
{
    struct tried *t = &tried[(site * 31 + pred) % PAIRS];
    if (t->site != site || t->pred != pred)
        *t = (struct tried){site, pred, 0, 0};
    return t;
}

struct attempts {
    struct tried *pair, *site, *pred;
};

static int is_hopeless(const struct attempts *a)
{
    return (!a->pair->good && a->pair->vain >= GIVE_UP) ||
           (!a->site->good && a->site->vain >= GIVE_UP_PLACE) ||
           (!a->pred->good && a->pred->vain >= GIVE_UP_PLACE);
}

static void in_vain(const struct attempts *a, uint32_t cost)
{
    a->pair->vain += cost;
    a->site->vain += cost;
    a->pred->vain += cost;
}

static void of_use(const struct attempts *a)
{
    a->pair->good++;
    a->site->good++;
    a->pred->good++;
}

static SN_NOINLINE void violated(const struct sn_sa_site *s, uint32_t id, uint64_t *word,
                                 uint32_t me, uint64_t seen)
{
    enum { ANY = UINT32_MAX };
    uint32_t pred = sn_rec_rpre(seen, me), steps = sn_sa_config.steps;
    uint32_t most = steps * 10, left; /* when the others get no processor */
    struct attempts a = {tried_at(id, pred), tried_at(id, ANY),
                         pred ? tried_at(ANY, pred) : tried_at(id, 0)};
    struct sn_tasks now, next;
    uint64_t old;
    if (is_hopeless(&a)) {
        record_anyway(s, id, word, me);
        return;
    }
    if (!a.pair->good) { /* shorter each time that it was in vain */
        uint32_t times = a.pair->vain / STALL;
        steps = (steps + (1u << times) - 1) >> times;
    }
    uint64_t begin = sn_now_ns();
    long fd = sn_log_open();
    if (steps)
        sn_tasks_look(me, &now);
    for (left = most; steps && left && now.may_come && !now.for_me && stall(me); left--) {
        old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        if (passes(s, old, me)) {
            of_use(&a);
            sn_log_violation(fd, id, pred, 1, sn_now_ns() - begin);
            fd = -1;
            sn_tasks_settle(sn_rec_thread(old) == me ? 0 : sn_rec_thread(old),
                            sn_sa_config.step_us);
            if (try_record(s, id, word, me, &old))
                return; /* the access must follow its record at once */
        }
        sn_tasks_look(me, &next);
        steps -= !sn_tasks_starved(&now, &next, sn_sa_config.step_us);
        now = next;
    }
    in_vain(&a, left == most && sn_sa_config.steps ? LOOK : STALL);
    sn_log_violation(fd, id, pred, 0, sn_now_ns() - begin);
    record_anyway(s, id, word, me);
}

static inline void touch(uintptr_t addr, uint32_t id, const struct sn_sa_site *s, uint32_t me)
{
    uint64_t *word = sn_sa_word(addr), seen;
    if (SN_UNLIKELY(!word))
        return;
    if (SN_UNLIKELY(!try_record(s, id, word, me, &seen)))
        violated(s, id, word, me, seen);
    if (SN_UNLIKELY(!seen && s->kind != SN_SA_LIGHT))
        sn_sa_mark(addr);
}

static SN_NOINLINE void slow_access(uintptr_t addr, uint32_t id)
{
    touch(addr, id, site_at(id), thread_id() & ((1u << SN_REC_THREAD_BITS) - 1));
}

/* Stubs of plain accesses come here: the address is the program's, the number is the stub's. What
 * is usual is done here, without a call. A thread that comes to the same place again has nothing to
 * do. A thread that was the last one goes on without a locked instruction: who would come right
 * between its two steps would have come between its access and the one before, and was checked
 * against that. */
__attribute__((visibility("default"))) void sn_sa_access(uintptr_t addr, uint32_t id);
void sn_sa_access(uintptr_t addr, uint32_t id)
{
    const struct sn_sa_state *state = sn_sa_shared;
    if (SN_UNLIKELY(!state || tid_is_known != 1 || state->ncolours)) {
        slow_access(addr, id);
        return;
    }
    uint64_t me = thread_id() & ((1u << SN_REC_THREAD_BITS) - 1);
    uintptr_t bias = state->dir[(addr >> SN_REC_REGION_BITS) & (SN_REC_DIR - 1)];
    uint64_t *word = (uint64_t *)(bias + 2 * (addr & ~(uintptr_t)(SN_REC_GRAIN - 1)));
    if (SN_UNLIKELY(!bias)) {
        slow_access(addr, id);
        return;
    }
    uint64_t old = __atomic_load_n(word, __ATOMIC_ACQUIRE),
             new = sn_rec_next(old, id, (uint32_t)me);
    if (new == old)
        return;
    const struct sn_sa_site *s = site_at(id);
    const uint32_t *set =
        (const uint32_t *)((char *)&sn_sa_config + sn_sa_config.members) + s->first;
    uint32_t pred = sn_rec_before(new);
    for (uint32_t i = 0; i < s->count && i < USUAL; i++)
        if (set[i] == pred) {
            if (sn_rec_thread(old) == me && old) {
                __atomic_store_n(word, new, __ATOMIC_RELEASE);
                return;
            }
            if (SN_LIKELY(old && __atomic_compare_exchange_n(word, &old, new, 1, __ATOMIC_ACQ_REL,
                                                             __ATOMIC_ACQUIRE)))
                return;
            break;
        }
    slow_access(addr, id);
}

/* Stubs of reads that change nobody's verdict (light.c) come here: nothing is written, so that what
 * all threads read stays in all caches. */
__attribute__((visibility("default"))) void sn_sa_light(uintptr_t addr, uint32_t id);
void sn_sa_light(uintptr_t addr, uint32_t id)
{
    const struct sn_sa_state *state = sn_sa_shared;
    if (SN_UNLIKELY(!state || tid_is_known != 1 || state->ncolours)) {
        slow_access(addr, id);
        return;
    }
    uint32_t me = thread_id() & ((1u << SN_REC_THREAD_BITS) - 1);
    uintptr_t bias = state->dir[(addr >> SN_REC_REGION_BITS) & (SN_REC_DIR - 1)];
    const struct sn_sa_site *s = site_at(id);
    const uint32_t *set =
        (const uint32_t *)((char *)&sn_sa_config + sn_sa_config.members) + s->first;
    if (SN_LIKELY(bias)) {
        uint64_t old = __atomic_load_n(
            (uint64_t *)(bias + 2 * (addr & ~(uintptr_t)(SN_REC_GRAIN - 1))), __ATOMIC_ACQUIRE);
        uint32_t pred = sn_rec_rpre(old, me);
        for (uint32_t i = 0; i < s->count && i < USUAL; i++)
            if (set[i] == pred)
                return;
    }
    slow_access(addr, id);
}

/* Who comes first is decided at the first word; the others follow without a locked instruction. */
static void range(uintptr_t addr, uint64_t size, uint32_t id, const struct sn_sa_site *s)
{
    uint32_t me = thread_id() & ((1u << SN_REC_THREAD_BITS) - 1), passed = UINT32_MAX;
    uintptr_t end = addr + (size < SN_REC_RANGE ? size : SN_REC_RANGE);
    uintptr_t a = addr & ~(uintptr_t)(SN_REC_GRAIN - 1);
    touch(a, id, s, me);
    for (a += SN_REC_GRAIN; a < end; a += SN_REC_GRAIN) {
        uint64_t *word = sn_sa_word(a), old = word ? __atomic_load_n(word, __ATOMIC_ACQUIRE) : 0;
        uint64_t new = sn_rec_next(old, id, me);
        if (!old || (sn_rec_before(new) != passed && !passes(s, old, me))) {
            touch(a, id, s, me);
            continue;
        }
        passed = sn_rec_before(new);
        if (new != old)
            __atomic_store_n(word, new, __ATOMIC_RELEASE);
    }
}

/* Stubs of other calls come here through sn_sa_before (entry.S), which keeps all registers. */
void sn_sa_call(uint32_t id, const uint64_t *args);
void sn_sa_call(uint32_t id, const uint64_t *args)
{
    const struct sn_sa_site *s = site_at(id);
    switch (s->kind) {
    case SN_SA_RANGE:
        range(args[0], args[1], id, s);
        break;
    case SN_SA_SET:
        range(args[0], args[2], id, s);
        break;
    case SN_SA_COPY:
        range(args[1], args[2], id, s);
        range(args[0], args[2], id, s);
        break;
    case SN_SA_FREE:
        if (args[0])
            range(args[0], sn_sa_usable((void *)args[0]), id, s);
        break;
    default:
        range(args[0], 1, id, s);
        break;
    }
}
