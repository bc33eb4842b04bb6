/* epoch.c: batches, slots, and renewal. */
#include "epoch.h"

#include "core/count.h"
#include "core/options.h"
#include "core/spin.h"
#include "core/stop.h"
#include "core/sys.h"
#include "kept.h"
#include "message.h"
#include "readset.h"
#include "shadow.h"

enum {
    FIRST = SN_SET_LINES >> SN_BATCH_BITS, /* smaller numbers are those of sets; 0 is "never" */
    RESERVE = 1 << 16, /* batches for those who take epochs until the others have stopped */
};

uint16_t sn_batch_slot[SN_BATCHES];
uint32_t sn_batch_thread[SN_BATCHES];
uint32_t sn_clock_slots;
uint32_t sn_renewal_due;

static uint32_t next_batch = FIRST;             /* atomic */
static uint32_t renew_at;                       /* a batch; 0: not known yet */
static uint64_t kept[SN_BATCHES / 64] SN_LARGE; /* a bit for each batch that was somebody's then */

/* Slots of finished threads, with their last epoch. */
static struct {
    uint32_t lock;
    uint32_t n;
    struct {
        uint32_t slot, final;
    } free[SN_MAX_SLOTS];
} slots;

/* Slots that were left at the last renewal. */
static struct {
    uint32_t n, slot[SN_MAX_SLOTS];
} old;

static int is_kept(uint32_t batch)
{
    return (int)(kept[batch / 64] >> (batch & 63) & 1);
}

static uint32_t until_renewal(uint32_t from)
{
    uint32_t most = SN_BATCHES - RESERVE;
    uint64_t wanted = from + ((uint64_t)sn_opt.epochs >> SN_BATCH_BITS);
    return sn_opt.epochs && wanted < most ? (uint32_t)wanted : most;
}

/* When it is tried again, if the others could not be stopped. */
static uint32_t until_next_try(void)
{
    uint32_t wait = sn_opt.epochs ? 1 : RESERVE / 64;
    return __atomic_load_n(&next_batch, __ATOMIC_RELAXED) + wait;
}

uint32_t sn_epoch_take(const struct sn_thread *t)
{
    uint32_t b;
    do {
        b = __atomic_fetch_add(&next_batch, 1, __ATOMIC_RELAXED);
    } while (b < SN_BATCHES && is_kept(b));
    if (SN_UNLIKELY(!renew_at))
        renew_at = until_renewal(FIRST);
    if (b >= renew_at)
        __atomic_fetch_or(&sn_renewal_due, SN_DUE_EPOCHS, __ATOMIC_RELAXED);
    if (b >= SN_BATCHES) {
        __atomic_store_n(&next_batch, SN_BATCHES, __ATOMIC_RELAXED);
        sn_count(LOST_EPOCH);
        return 0;
    }
    sn_batch_slot[b] = (uint16_t)sn_race_of((struct sn_thread *)t)->slot;
    sn_batch_thread[b] = t->number;
    return b << SN_BATCH_BITS;
}

static uint32_t new_slot(void)
{
    uint32_t slot = sn_clock_slots;
    if (slot < SN_MAX_SLOTS)
        __atomic_store_n(&sn_clock_slots, slot + 1, __ATOMIC_RELEASE);
    return slot;
}

uint32_t sn_slot_take(const struct sn_race_thread *parent)
{
    uint32_t slot = SN_MAX_SLOTS;
    sn_spin_lock(&slots.lock);
    for (uint32_t i = slots.n, tries = 0; i-- > 0 && tries < 64; tries++) {
        if (parent && parent->clock[slots.free[i].slot] >= slots.free[i].final) {
            slot = slots.free[i].slot;
            slots.free[i] = slots.free[--slots.n];
            break;
        }
    }
    if (slot == SN_MAX_SLOTS)
        slot = new_slot();
    if (slot == SN_MAX_SLOTS && slots.n) {
        slot = slots.free[--slots.n].slot; /* orders two threads that were not: counted */
        sn_count(LOST_SLOT);
    }
    sn_spin_unlock(&slots.lock);
    return slot;
}

void sn_slots_lock(void)
{
    sn_spin_lock(&slots.lock);
}

void sn_slots_unlock(void)
{
    sn_spin_unlock(&slots.lock);
}

void sn_slots_forked(void)
{
    slots.lock = 0;
}

void sn_slots_learn(struct sn_thread *t)
{
    struct sn_race_thread *r = sn_race_of(t);
    if (!r->clock)
        return;
    for (uint32_t i = 0; i < slots.n; i++)
        if (r->clock[slots.free[i].slot] < slots.free[i].final)
            r->clock[slots.free[i].slot] = slots.free[i].final;
    r->stamp++;
}

void sn_slot_give(uint32_t slot, uint32_t final)
{
    slots.free[slots.n].slot = slot;
    slots.free[slots.n++].final = final;
}

/* What finished threads did, and what was left the last time, nobody remembers. */
static void free_slots(void)
{
    for (uint32_t i = 0; i < old.n; i++)
        slots.free[slots.n++].slot = old.slot[i];
    old.n = 0;
    for (uint32_t i = 0; i < slots.n; i++)
        slots.free[i].final = 0;
}

/* Another slot for a thread that goes on. */
static void move(struct sn_thread *t)
{
    struct sn_race_thread *r = sn_race_of(t);
    uint32_t from = r->slot, to = slots.n ? slots.free[--slots.n].slot : new_slot();
    if (to == SN_MAX_SLOTS) { /* its later accesses will seem to be known: some are missed */
        sn_count(LOST_SLOT);
        to = from;
    } else {
        old.slot[old.n++] = from;
    }
    sn_message_leave_slot(t);
    sn_clock_move(t, to);
}

static void renew_all(void)
{
    uint32_t n = sn_thread_count();
    __builtin_memset(kept, 0, sizeof kept);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = sn_race_of(sn_thread_at(i))->epoch >> SN_BATCH_BITS;
        kept[b / 64] |= 1ull << (b & 63);
    }
    sn_clock_generation++;
    sn_shadow_clear_all();
    sn_set_clear_all();
    sn_kept_forget_writers();
    free_slots();
    __atomic_store_n(&next_batch, FIRST, __ATOMIC_RELAXED);
    renew_at = SN_BATCHES;
    for (uint32_t i = 0; i < n; i++)
        sn_clock_empty(sn_thread_at(i));
    for (uint32_t i = 0; i < n; i++)
        if (sn_race_of(sn_thread_at(i))->epoch)
            move(sn_thread_at(i));
    renew_at = until_renewal(next_batch);
    sn_count(LOST_EPOCH);
}

static void collect_sets(void)
{
    sn_set_collect();
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++)
        if (sn_race_of(sn_thread_at(i))->sets)
            sn_set_forget_all(sn_race_of(sn_thread_at(i))->sets);
}

SN_NOINLINE void sn_epoch_renew(struct sn_thread *self)
{
    static uint32_t at_it;
    if (__atomic_exchange_n(&at_it, 1, __ATOMIC_ACQUIRE))
        return;
    uint32_t due = __atomic_exchange_n(&sn_renewal_due, 0, __ATOMIC_RELAXED);
    if (due && sn_stop_try(self)) {
        sn_slots_lock();
        if (due & SN_DUE_EPOCHS)
            renew_all();
        else
            collect_sets();
        sn_slots_unlock();
        sn_stop_end();
    } else if (due & SN_DUE_EPOCHS) {
        renew_at = until_next_try();
    }
    __atomic_store_n(&at_it, 0, __ATOMIC_RELEASE);
}
