/*
 * race.c: the happens-before race engine: FastTrack with exact byte histories. This file maps
 * events to clock operations; access.c is the memory path.
 */
#include "race.h"

#include "access.h"
#include "core/benign.h"
#include "core/count.h"
#include "core/stop.h"
#include "core/runfile.h"
#include "core/engine.h"
#include "core/sync_cache.h"
#include "epoch.h"
#include "locking.h"
#include "message.h"
#include "runtime/draft.h"

const char sn_engine_name[] = "race";
const int sn_engine_gates = 0;
const int sn_engine_sees_blocks = 1;
const int sn_engine_own_heap = 1;
const int sn_engine_needs_code = 1;

static int find_block(uintptr_t addr, struct sn_draft_block *out)
{
    uintptr_t start;
    struct sn_block b;
    if (!sn_block_containing(addr, &start, &b))
        return 0;
    *out = (struct sn_draft_block){start, b.size, b.where, b.thread, b.freed};
    return 1;
}

void sn_engine_init(void)
{
    sn_sync_on_drop = sn_clock_sync_drop;
    sn_draft_find_block = find_block;
}

void sn_engine_exit(void)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++)
        if (sn_thread_at(i)->state == SN_T_RUNNING)
            sn_clock_tell_counts(sn_thread_at(i));
}

/* What another thread did is in the child's copy of the memory; there is none to do more. */
static void outlive(struct sn_thread *self, struct sn_thread *gone)
{
    if (self && sn_race_of(self)->clock)
        sn_message_join(self, gone);
    sn_clock_thread_gone(gone);
}

void sn_engine_forked(struct sn_thread *self)
{
    sn_slots_forked();
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++)
        if (sn_thread_at(i) != self)
            outlive(self, sn_thread_at(i));
    if (self)
        sn_slots_learn(self);
}

void sn_engine_thread_new(struct sn_thread *t, struct sn_thread *parent)
{
    if (sn_clock_thread_new(t, parent))
        sn_message_thread_new(t, parent);
}

void sn_engine_thread_gone(struct sn_thread *t)
{
    sn_clock_thread_gone(t);
}

enum sn_gate_answer sn_engine_gate(struct sn_thread *t, struct sn_event *ev)
{
    (void)t, (void)ev;
    return SN_GO;
}

/* Readers' releases are kept apart, so that readers do not order each other; and at several places,
 * so that few readers have a place in common: writers go round. */
enum { READERS = 8 };

static uintptr_t readers_of(uintptr_t lock, uint32_t slot)
{
    return lock + 1 + 2 * (uintptr_t)(slot % READERS);
}

/* A library's lock may be smaller than what its readers need. */
static uintptr_t readers_base(const struct sn_sync *lock)
{
    return lock->kind == SN_SYNC_LIBRARY ? lock->addr | (uintptr_t)1 << 61 : lock->addr;
}

void sn_race_acquire_readers(struct sn_thread *t, const struct sn_sync *lock)
{
    for (uint32_t i = 0; i < READERS; i++) {
        struct sn_sync *readers = sn_sync_known(t, readers_of(readers_base(lock), i));
        if (!readers)
            continue;
        sn_sync_lock(readers);
        sn_clock_acquire(t, readers);
        sn_sync_unlock(readers);
    }
}

void sn_race_release_reader(struct sn_thread *t, const struct sn_sync *lock)
{
    uintptr_t place = readers_of(readers_base(lock), sn_race_of(t)->slot);
    struct sn_sync *readers = sn_sync_of(t, place, SN_SYNC_READERS);
    if (!readers)
        return;
    sn_sync_lock(readers);
    sn_clock_release_merge(t, readers);
    sn_sync_unlock(readers);
}

/* Where the lock was taken; the hook has pushed it to the held array. */
static uint32_t where_taken(struct sn_thread *t, const struct sn_sync *s, const struct sn_event *ev)
{
    const struct sn_held *h = t->nheld ? &t->held[t->nheld - 1] : 0;
    return h && h->lock == s ? h->where : sn_ctx_site(t, ev->pc | SN_CTX_TAG(SN_OP_LOCK, 0));
}

/* Locks of the program's own, and tests; the other hooks do it inline. */
static void lock_event(struct sn_thread *t, const struct sn_event *ev)
{
    struct sn_sync *s = ev->sync ? ev->sync : sn_sync_get(ev->addr, SN_SYNC_ANY);
    if (!s)
        return;
    struct sn_taking how = {.flags = ev->flags,
                            .shared = ev->op == SN_EV_RDLOCK || ev->op == SN_EV_RDUNLOCK};
    if (ev->op == SN_EV_LOCK || ev->op == SN_EV_RDLOCK) {
        how.where = where_taken(t, s, ev);
        sn_engine_took(t, s, how, sn_engine_takes(t));
    } else {
        struct sn_held h = {.lock = s, .id = s->id, .shared = how.shared};
        sn_engine_gave(t, &h, sn_engine_gives(t, s, how));
    }
}

static void message(struct sn_thread *t, const struct sn_event *ev, enum sn_sync_kind kind,
                    void (*what)(struct sn_thread *, struct sn_sync *))
{
    struct sn_sync *s = sn_sync_get(ev->addr, kind);
    if (!s)
        return;
    sn_sync_lock(s);
    what(t, s);
    sn_sync_unlock(s);
    if (what == sn_clock_acquire)
        sn_message_receive(t, ev->addr);
    else
        sn_message_send(t, ev->addr);
}

static void barrier(struct sn_thread *t, const struct sn_event *ev)
{
    struct sn_event round = *ev;
    round.addr = sn_event_round(ev);
    message(t, &round, SN_SYNC_BARRIER,
            ev->op == SN_EV_BARRIER_ENTER ? sn_clock_release_merge : sn_clock_acquire);
}

static void allocated(struct sn_thread *t, const struct sn_event *ev)
{
    uint32_t where = sn_ctx_site(t, ev->pc);
    sn_shadow_clear(ev->addr, ev->size ? ev->size : 1);
    sn_block_set(ev->addr, ev->size ? ev->size : 1, where, t->number);
}

/* More of a block than this is not marked as freed, only forgotten: marking costs as much as
 * writing the block, and large blocks go back to the kernel anyway. */
enum { MARK_FREED = 16 * 1024 };

static void freed(struct sn_thread *t, const struct sn_event *ev)
{
    sn_block_is_wanted(ev->addr);
    uint32_t where = sn_ctx_site(t, ev->pc | SN_CTX_TAG(SN_OP_FREE, 0));
    size_t size = sn_block_size(ev->addr), mark = size < MARK_FREED ? size : MARK_FREED;
    if (!size)
        return;
    sn_race_range(t, ev->addr, mark, where, 1);
    sn_race_of(t)->in_epoch++;
    sn_recent_forget(sn_race_of(t)->sets, sn_race_of(t)->epoch, ev->addr, size);
    if (size > mark)
        sn_shadow_clear(ev->addr + mark, size - mark);
    sn_block_set_freed(ev->addr);
}

static void joined(struct sn_thread *t, const struct sn_event *ev)
{
    struct sn_thread *other = sn_thread_by_number((uint32_t)ev->value);
    if (!other)
        return;
    sn_clock_join(t, other);
    sn_message_join(t, other);
}

static void ignore(struct sn_race_thread *r, uint64_t what, int32_t by)
{
    r->ignore_reads += what & 1 ? by : 0;
    r->ignore_writes += what & 2 ? by : 0;
    r->ignore_sync += what & 4 ? by : 0;
}

static void dispatch(struct sn_thread *t, const struct sn_event *ev)
{
    switch (ev->op) {
    case SN_EV_JOIN:
        joined(t, ev);
        break;
    case SN_EV_MAP:
    case SN_EV_UNMAP:
        sn_sync_drop_range(ev->addr, ev->size);
        sn_shadow_clear(ev->addr, ev->size);
        sn_recent_forget(sn_race_of(t)->sets, sn_race_of(t)->epoch, ev->addr, ev->size);
        break;
    case SN_EV_COND_SIGNAL: /* POSIX promises no order here beyond the mutex: messages only */
    case SN_EV_COND_BROADCAST:
        sn_message_send(t, ev->addr);
        break;
    case SN_EV_COND_WAKE:
        sn_message_receive(t, ev->addr);
        break;
    case SN_EV_LOCK_DESTROY:
        for (uint32_t i = 0; i < READERS; i++)
            sn_sync_drop(readers_of(ev->addr, i));
        break;
    case SN_EV_BARRIER_ENTER:
    case SN_EV_BARRIER_LEAVE:
        barrier(t, ev);
        break;
    case SN_EV_SEM_POST:
        message(t, ev, SN_SYNC_SEM, sn_clock_release_merge);
        break;
    case SN_EV_SEM_WAIT:
        message(t, ev, SN_SYNC_SEM, sn_clock_acquire);
        break;
    case SN_EV_ONCE_DONE:
        message(t, ev, SN_SYNC_ONCE, sn_clock_release);
        break;
    case SN_EV_ONCE_SEEN:
        message(t, ev, SN_SYNC_ONCE, sn_clock_acquire);
        break;
    case SN_EV_ACQUIRE:
        message(t, ev, SN_SYNC_ANY, sn_clock_acquire);
        break;
    case SN_EV_RELEASE:
        message(t, ev, SN_SYNC_ANY, sn_clock_release);
        break;
    case SN_EV_RELEASE_MERGE:
        message(t, ev, SN_SYNC_ANY, sn_clock_release_merge);
        break;
    default:
        break;
    }
}

static void block_event(struct sn_thread *t, const struct sn_event *ev)
{
    sn_busy_enter(t);
    if (ev->op == SN_EV_ALLOC)
        allocated(t, ev);
    else
        freed(t, ev);
    sn_busy_leave(t);
    sn_race_of(t)->syncs++;
}

static void other_event(struct sn_thread *t, const struct sn_event *ev)
{
    struct sn_race_thread *r = sn_race_of(t);
    if (ev->op == SN_EV_START) { /* the thread is followed from here */
        r->hot = &sn_race_hot;
        sn_race_hot.sets = r->sets;
        sn_race_hot.dir = sn_shadow_dir; /* a program's own has an empty one, of one entry */
        __atomic_signal_fence(__ATOMIC_RELEASE);
        sn_race_hot.regions = (1u << SN_DIR_BITS) - 1;
        sn_race_hot.epoch = r->epoch;
        sn_race_hot.self = sn_race_hot.calls = t;
    }
    sn_busy_enter(t);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (ev->op == SN_EV_IGNORE || ev->op == SN_EV_WATCH)
        ignore(r, ev->value, ev->op == SN_EV_IGNORE ? 1 : -1);
    else if (ev->op == SN_EV_BENIGN)
        sn_benign_add(ev->addr, ev->size);
    else if (!r->ignore_sync)
        dispatch(t, ev);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    sn_busy_leave(t);
    r->syncs++;
    if (ev->op == SN_EV_END) {
        sn_clock_tell_counts(t);
        r->hot = 0;
        sn_race_hot.epoch = 0;
        sn_race_hot.self = 0;
        sn_race_hot.calls = &sn_race_nobody;
    }
}

void sn_engine_event(struct sn_thread *t, const struct sn_event *ev)
{
    struct sn_race_thread *r = sn_race_of(t);
    if (!r->epoch || t->busy)
        return;
    if (SN_UNLIKELY(__atomic_load_n(&sn_renewal_due, __ATOMIC_RELAXED)))
        sn_epoch_renew(t);
    switch (ev->op) {
    case SN_EV_LOCK:
    case SN_EV_RDLOCK:
    case SN_EV_UNLOCK:
    case SN_EV_RDUNLOCK:
        lock_event(t, ev);
        break;
    case SN_EV_ALLOC:
    case SN_EV_FREE:
        block_event(t, ev);
        break;
    default:
        other_event(t, ev);
        break;
    }
}
