/*
 * guard.c: Algorithm 1 in the program itself. No lock hooks and no allocator hooks are needed:
 * whether others wait for this thread is looked up when it is about to be stalled, which is rare;
 * memory is forgotten where the program's own code allocates it.
 */
#include <fcntl.h>

#include "core/sys.h"
#include "engine/guard/tasks.h"
#include "guard.h"
#include "log.h"
#include "recorder.h"
#include "standalone.h"

enum { THREAD = (1 << SN_REC_THREAD_BITS) - 1, THREADS = 1024, PAIRS = 8192 };

/* What a violation costs in vain: a stall, or a look at the others that finds no use in one. */
enum { STALL = 16, LOOK = 1, GIVE_UP = 4 * STALL, GIVE_UP_PLACE = 16 * STALL };

__attribute__((aligned(64))) struct sn_sa_config sn_sa_config = {
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

static uint32_t kernel_tid(void)
{
    uint32_t tid = sn_sa_tid();
    if (SN_LIKELY(tid_is_known == 1))
        return tid;
    uint32_t real = (uint32_t)sn_sys0(SYS_gettid);
    if (!tid_is_known)
        tid_is_known = real == tid ? 1 : 2;
    return real;
}

/* As the recorder has it. */
static uint32_t thread_id(void)
{
    return kernel_tid() & THREAD;
}

static const struct sn_sa_more *more_at(uint32_t id)
{
    return (const struct sn_sa_more *)((char *)&sn_sa_config + sn_sa_config.more) + id - 1;
}

static int is_in_set(const struct sn_sa_site *s, uint32_t pred)
{
    const uint32_t *members = (const uint32_t *)((char *)&sn_sa_config + sn_sa_config.members);
    const struct sn_sa_more *more = more_at((uint32_t)(s - sn_sa_site_at(1)) + 1);
    return sn_sa_is_near(s, pred) || sn_rec_is_member(members + more->first, more->count, pred);
}

static inline int is_plain(uint32_t site)
{
    return site && sn_sa_site_at(site)->plain;
}

/* Two reads may change places when neither begins a write: one that training did not see between
 * a read and what comes before it is looked through, as far as the recorder goes back. */
static SN_NOINLINE int passes_reads(const struct sn_sa_site *s, sn_rec_word word, uint32_t me)
{
    if (!s->reads || !word || !is_plain(sn_rec_rpre(word, me)))
        return 0;
    return sn_rec_thread(word) == me || is_plain(sn_rec_before(word)) ||
           is_in_set(s, sn_rec_before(word));
}

/* Where readers do not take each other's place, another one may have come after this thread. */
static SN_NOINLINE int passes_readers(const struct sn_sa_site *s, sn_rec_word word, uint32_t me)
{
    uint32_t last = sn_rec_last(word);
    return s->reads && word && sn_rec_thread(word) == me &&
           sn_sa_site_at(last)->kind == SN_SA_STAYS && is_in_set(s, last);
}

static inline int passes(const struct sn_sa_site *s, sn_rec_word word, uint32_t me)
{
    return SN_LIKELY(is_in_set(s, sn_rec_rpre(word, me))) || passes_reads(s, word, me) ||
           passes_readers(s, word, me);
}

static inline int is_there(const struct sn_sa_site *s, uint32_t id, sn_rec_word word)
{
    return s->kind == SN_SA_LIGHT || (s->kind == SN_SA_STAYS && sn_rec_last(word) == id);
}

static inline int try_record(const struct sn_sa_site *s, uint32_t id, sn_rec_word *word,
                             uint32_t me, sn_rec_word *old)
{
    *old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    for (;;) {
        if (SN_UNLIKELY(!passes(s, *old, me)))
            return 0;
        if (is_there(s, id, *old))
            return 1;
        sn_rec_word new = sn_rec_next(*old, id, me);
        if (new == *old ||
            __atomic_compare_exchange_n(word, old, new, 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return 1;
    }
}

static void record_anyway(const struct sn_sa_site *s, uint32_t id, sn_rec_word *word, uint32_t me)
{
    sn_rec_word old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    while (!is_there(s, id, old) &&
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

/* Whose access has made it right is to have done it. */
static void settle(sn_rec_word seen, uint32_t me)
{
    uint32_t thread = sn_rec_thread(seen);
    if (seen && thread != me)
        sn_tasks_settle(sn_tasks_find(thread, THREAD), sn_sa_config.step_us);
}

static SN_NOINLINE void violated(const struct sn_sa_site *s, uint32_t id, sn_rec_word *word,
                                 uint32_t me, sn_rec_word seen)
{
    enum { ANY = UINT32_MAX };
    uint32_t pred = sn_rec_rpre(seen, me), steps = sn_sa_config.steps;
    uint32_t most = steps * 10, left; /* when the others get no processor */
    struct attempts a = {tried_at(id, pred), tried_at(id, ANY),
                         pred ? tried_at(ANY, pred) : tried_at(id, 0)};
    struct sn_tasks now, next;
    sn_rec_word old;
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
        sn_tasks_look(kernel_tid(), &now);
    /* The word is read after the look: somebody who is gone has come before. */
    for (left = most; sn_sa_config.steps; left--) {
        old = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        if (passes(s, old, me)) {
            of_use(&a);
            sn_log_violation(fd, id, pred, 1, sn_now_ns() - begin);
            fd = -1;
            settle(old, me);
            if (try_record(s, id, word, me, &old))
                return; /* the access must follow its record at once */
        }
        if (!steps || !left || !now.may_come || now.for_me || !stall(me))
            break;
        sn_tasks_look(kernel_tid(), &next);
        steps -= !sn_tasks_starved(&now, &next, sn_sa_config.step_us);
        now = next;
    }
    in_vain(&a, left == most && sn_sa_config.steps ? LOOK : STALL);
    sn_log_violation(fd, id, pred, 0, sn_now_ns() - begin);
    record_anyway(s, id, word, me);
}

/* What may fault must not do it between a record and its access. */
static inline void make_room(uintptr_t addr, sn_rec_word *word)
{
    if (SN_UNLIKELY(!__atomic_load_n(word, __ATOMIC_RELAXED))) {
        sn_sa_mark(addr);
        __atomic_fetch_or(word, 0, __ATOMIC_RELAXED);
    }
}

static inline void touch(uintptr_t addr, uint32_t id, const struct sn_sa_site *s, uint32_t me)
{
    sn_rec_word *word = sn_sa_word(addr), seen;
    if (SN_UNLIKELY(!word))
        return;
    if (SN_LIKELY(s->kind != SN_SA_LIGHT))
        make_room(addr, word);
    if (SN_UNLIKELY(!try_record(s, id, word, me, &seen)))
        violated(s, id, word, me, seen);
}

/* The first time this may fault, and wait for a thread that maps memory: not between a record and
 * its access. */
static inline void become_ready(void)
{
    struct sn_sa_state *state = sn_sa_shared ? sn_sa_shared : sn_sa_find();
    if (state && tid_is_known == 1 && sn_sa_config.ready != state)
        __atomic_store_n(&sn_sa_config.ready, state, __ATOMIC_RELEASE);
}

/* A thread that comes to the same place again is not asked again, nor one that comes from where the
 * same was asked before (usual.c): what was let through there is told once. */
static int was_asked(uintptr_t addr, uint32_t id, uint32_t me)
{
    sn_rec_word *word = sn_sa_word(addr), old = word ? __atomic_load_n(word, __ATOMIC_ACQUIRE) : 0;
    if (!old || sn_rec_thread(old) != me || sn_sa_site_at(id)->kind == SN_SA_LIGHT)
        return 0;
    if (sn_rec_last(old) != id && sn_rec_last(old) != more_at(id)->after)
        return 0;
    __atomic_store_n(word, sn_rec_next(old, id, me), __ATOMIC_RELEASE);
    return 1;
}

SN_NOINLINE void sn_sa_slow(uintptr_t addr, uint32_t id)
{
    uint32_t me = thread_id();
    if (SN_UNLIKELY(sn_sa_crowded != 0))
        sn_sa_gather();
    become_ready();
    if (!was_asked(addr, id, me))
        touch(addr, id, sn_sa_site_at(id), me);
}

/* Who comes first is decided at the first word; the others follow without a locked instruction. */
static void range(uintptr_t addr, uint64_t size, uint32_t id, const struct sn_sa_site *s)
{
    if (!size)
        return;
    uint32_t me = thread_id(), passed = UINT32_MAX;
    uintptr_t end = addr + (size < SN_REC_RANGE ? size : SN_REC_RANGE);
    uintptr_t a = addr & ~(uintptr_t)(SN_REC_GRAIN - 1);
    sn_rec_word *last = sn_sa_word(end - 1);
    if (last)
        make_room(end - 1, last);
    touch(a, id, s, me);
    for (a += SN_REC_GRAIN; a < end; a += SN_REC_GRAIN) {
        sn_rec_word *word = sn_sa_word(a), old = word ? __atomic_load_n(word, __ATOMIC_ACQUIRE) : 0;
        sn_rec_word new = sn_rec_next(old, id, me);
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
    const struct sn_sa_site *s = sn_sa_site_at(id);
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
