/*
 * order.c: the baton that makes one order of all events; record.h says what it is for.
 *
 * Who wants it stands in a queue and sleeps on a futex of its own. The holder gives it on to the
 * first of the queue: at an operation that may wait, after a slice of some more events, or when it
 * seems to wait itself: SPINS looks at the same places. Slices are long, or short by the seed's
 * chance, so that threads also meet in the middle of what they do; each run is another one. A
 * holder that is asleep in the kernel, outside every hook, loses it: it has done the access that it
 * was told about (there is no system call between a hook and its access), so nothing becomes
 * inexact. The same goes for one that is in code which is not recorded, whether it sleeps or
 * computes. Elsewhere who computes keeps it; only after STUBBORN_MS it is taken away, and counted.
 *
 * The queue is guarded by `lock`; owner changes only under it, or by its holder.
 */
#include "record.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <time.h>

#include "core/count.h"
#include "core/options.h"
#include "core/spin.h"
#include "core/stop.h"
#include "core/sys.h"
#include "runtime/proc.h"

enum { SLICE = 400, SHORT = 8, SPINS = 8, LOOK_MS = 1, STUBBORN_MS = 2000 };

uint32_t sn_order_owner, sn_order_wanted;
int32_t sn_order_slice = SLICE;

static uint32_t lock;
static struct sn_thread *first, *last;

static uint32_t handed_on; /* futex: how often it went to another thread; atomic */
static uint32_t onlookers; /* threads that wait for that; atomic */

/* The holder's, or under the lock. */
static uint32_t roll(void)
{
    static uint64_t state;
    state =
        (state ? state : (uint64_t)sn_opt.seed) * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33);
}

/* Of the first slices most are short, later few, or long programs would take too long. */
static void begin_slice(void)
{
    enum { FIRST = 2000 };
    uint32_t x = roll();
    bool is_short = handed_on < FIRST ? x % 4 != 0 : x % 16 == 0;
    sn_order_slice = is_short ? (int32_t)(1 + x / 16 % SHORT) : SLICE;
}

static void sleep_on(uint32_t *word, uint32_t while_it_is, unsigned most_ms)
{
    struct timespec limit = {.tv_nsec = most_ms * 1000000l};
    sn_sys4(SYS_futex, word, FUTEX_WAIT_PRIVATE, while_it_is, &limit);
}

static void wake(uint32_t *word, int most)
{
    sn_sys3(SYS_futex, word, FUTEX_WAKE_PRIVATE, most);
}

/* Another thread has it now. */
static void count_hand_on(void)
{
    __atomic_fetch_add(&handed_on, 1, __ATOMIC_SEQ_CST);
    if (SN_UNLIKELY(__atomic_load_n(&onlookers, __ATOMIC_SEQ_CST)))
        wake(&handed_on, INT_MAX);
}

/* Under the lock: the next in the queue gets it; null: nobody wants it. */
static struct sn_thread *hand_on(void)
{
    struct sn_thread *t = first;
    if (t) {
        first = sn_rec_of(t)->behind;
        if (!first)
            last = 0;
        __atomic_fetch_sub(&sn_order_wanted, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&sn_rec_of(t)->turn, 1, __ATOMIC_RELEASE); /* pairs with await() */
    }
    begin_slice();
    if (t)
        count_hand_on();
    __atomic_store_n(&sn_order_owner, t ? t->index : 0, __ATOMIC_RELEASE);
    return t;
}

void sn_order_give(struct sn_thread *t)
{
    sn_rec_of(t)->hooks++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&sn_order_owner, __ATOMIC_ACQUIRE) != t->index)
        return;
    sn_write_settle(t);
    sn_spin_lock(&lock);
    struct sn_thread *next = hand_on();
    sn_spin_unlock(&lock);
    if (next)
        wake(&sn_rec_of(next)->turn, 1);
}

static void join_queue(struct sn_thread *t)
{
    struct sn_recorded *r = sn_rec_of(t);
    r->behind = 0;
    r->queued = 1;
    if (last)
        sn_rec_of(last)->behind = t;
    else
        first = t;
    last = t;
    __atomic_fetch_add(&sn_order_wanted, 1, __ATOMIC_RELAXED);
}

static void leave_queue(struct sn_thread *t)
{
    struct sn_thread **at = &first, *before = 0;
    while (*at && *at != t) {
        before = *at;
        at = &sn_rec_of(*at)->behind;
    }
    if (!*at)
        return;
    *at = sn_rec_of(t)->behind;
    if (last == t)
        last = before;
    __atomic_fetch_sub(&sn_order_wanted, 1, __ATOMIC_RELAXED);
}

static bool is_outside(const struct sn_thread *t)
{
    return !__atomic_load_n(&t->busy, __ATOMIC_ACQUIRE) &&
           !__atomic_load_n(&t->in_hook, __ATOMIC_ACQUIRE);
}

/* The holder may have gone to sleep where no hook sees it, or be computing for long. */
struct watch {
    uint32_t owner;
    uint64_t hooks;
    unsigned asleep, looks;
    bool away; /* in code that is not recorded */
};

static bool has_lost_it(struct watch *w)
{
    uint32_t owner = __atomic_load_n(&sn_order_owner, __ATOMIC_ACQUIRE);
    struct sn_thread *h = owner ? sn_thread_at(owner - 1) : 0;
    uint64_t hooks = h ? __atomic_load_n(&sn_rec_of(h)->hooks, __ATOMIC_RELAXED) : 0;
    if (!h)
        return false;
    if (owner != w->owner || hooks != w->hooks || !is_outside(h)) {
        *w = (struct watch){.owner = owner, .hooks = hooks};
        return false;
    }
    w->away = __atomic_load_n(&sn_rec_of(h)->away, __ATOMIC_RELAXED) == hooks;
    w->looks++;
    if (w->away)
        return w->looks >= 2;
    char state = sn_proc_state(h->kernel_tid);
    bool gone = state == 0 || state == 'Z' || state == 'X';
    w->asleep = state == 'S' || gone ? w->asleep + 1 : 0;
    return w->asleep >= 2 || w->looks >= STUBBORN_MS / LOOK_MS;
}

/* The holder counts its hooks before it looks who owns the order; after the barrier it has either
 * counted, and keeps it, or it will see the new owner. Its last access is settled for it. */
static bool take_away(struct sn_thread *t, const struct watch *w)
{
    struct sn_thread *h = sn_thread_at(w->owner - 1);
    sn_spin_lock(&lock);
    bool taken = sn_order_owner == w->owner;
    if (taken) {
        __atomic_store_n(&sn_order_owner, t->index, __ATOMIC_SEQ_CST);
        sn_sys3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
        taken = __atomic_load_n(&sn_rec_of(h)->hooks, __ATOMIC_SEQ_CST) == w->hooks;
        if (!taken)
            __atomic_store_n(&sn_order_owner, w->owner, __ATOMIC_SEQ_CST);
    }
    if (taken) {
        leave_queue(t);
        begin_slice();
        if (w->away)
            sn_order_long_call(sn_rec_of(h)->away_in);
        else if (w->asleep >= 2)
            sn_write_settle(h);
        else
            sn_count(LOST_ORDER);
    }
    sn_spin_unlock(&lock);
    return taken;
}

/* A fork waits until nobody is inside. */
static void stand_aside(struct sn_thread *t)
{
    uint32_t busy = t->busy, in_hook = t->in_hook;
    __atomic_store_n(&t->in_hook, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&t->busy, 0, __ATOMIC_RELEASE);
    while (__atomic_load_n(&sn_stop, __ATOMIC_ACQUIRE))
        sn_sleep_us(50);
    __atomic_store_n(&t->busy, busy, __ATOMIC_SEQ_CST);
    __atomic_store_n(&t->in_hook, in_hook, __ATOMIC_SEQ_CST);
}

static void await(struct sn_thread *t)
{
    struct sn_recorded *r = sn_rec_of(t);
    struct watch w = {0};
    while (!__atomic_load_n(&r->turn, __ATOMIC_ACQUIRE)) {
        sleep_on(&r->turn, 0, LOOK_MS);
        if (__atomic_load_n(&r->turn, __ATOMIC_ACQUIRE))
            break;
        if (__atomic_load_n(&sn_stop, __ATOMIC_ACQUIRE))
            stand_aside(t);
        if (__atomic_load_n(&first, __ATOMIC_RELAXED) == t && has_lost_it(&w) && take_away(t, &w))
            break;
    }
    __atomic_store_n(&r->turn, 0, __ATOMIC_RELAXED);
    r->queued = 0;
}

SN_NOINLINE void sn_order_wait(struct sn_thread *t)
{
    sn_spin_lock(&lock);
    bool mine = sn_order_owner == 0 || sn_order_owner == t->index;
    if (mine) {
        begin_slice();
        count_hand_on();
        __atomic_store_n(&sn_order_owner, t->index, __ATOMIC_RELEASE);
    } else {
        join_queue(t);
    }
    sn_spin_unlock(&lock);
    if (!mine)
        await(t);
}

SN_NOINLINE void sn_order_share(struct sn_thread *t)
{
    if (--sn_order_slice > 0 && sn_rec_of(t)->spins < SPINS)
        return;
    sn_rec_of(t)->spins = 0;
    sn_order_give(t);
    sn_order_wait(t);
}

/* What a call has told others they can use at once: sometimes, the less often the more calls there
 * were, they get the time to. In all that is some hundred waits of a thread, and they end when
 * somebody has come; when nobody comes there will be no more. */
void sn_order_after_call(struct sn_thread *t)
{
    enum { OFTEN = 2, RARER = 8, WAIT_MS = 5, NAP_US = 100, IN_VAIN = 6 };
    struct sn_recorded *r = sn_rec_of(t);
    if (sn_thread_count() < 2 || r->in_vain == IN_VAIN)
        return;
    if (!r->calls++)
        r->until_nap = roll() % (2 * OFTEN);
    if (r->until_nap) {
        r->until_nap--;
        return;
    }
    r->until_nap = roll() % (2 * (r->calls / RARER + OFTEN));
    uint32_t before = __atomic_load_n(&handed_on, __ATOMIC_RELAXED);
    sn_order_give(t);
    __atomic_fetch_add(&onlookers, 1, __ATOMIC_SEQ_CST);
    sleep_on(&handed_on, before, WAIT_MS);
    __atomic_fetch_sub(&onlookers, 1, __ATOMIC_RELAXED);
    bool in_vain = __atomic_load_n(&handed_on, __ATOMIC_RELAXED) == before;
    r->in_vain = in_vain ? r->in_vain + 1 : 0;
    if (!in_vain)
        sn_sleep_us(NAP_US);
    sn_order_take(t);
}

void sn_order_forked(struct sn_thread *self)
{
    lock = 0;
    first = last = 0;
    sn_order_wanted = onlookers = 0;
    begin_slice();
    sn_order_owner = self ? self->index : 0;
}
