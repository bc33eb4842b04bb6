/*
 * hybrid.c: the hybrid race engine (RaceFuzzer's phase 1): lock sets, and happens-before without lock
 * edges. What it finds may be ordered in every run all the same: candidates, to be confirmed. This
 * file maps events to lock sets and messages; access.c is the memory path.
 */
#include "hybrid.h"

#include "access.h"
#include "core/benign.h"
#include "core/count.h"
#include "core/engine.h"
#include "core/options.h"
#include "core/stop.h"
#include "core/sync.h"
#include "report.h"
#include "runtime/draft.h"

const char sn_engine_name[] = "hybrid";
const int sn_engine_gates = 0;
const int sn_engine_sees_blocks = 1;
const int sn_engine_own_heap = 1;
const int sn_engine_needs_code = 1;

static int find_block(uintptr_t addr, struct sn_draft_block *out)
{
    uintptr_t start;
    struct sn_block *b = sn_block_containing(addr, &start);
    if (!b)
        return 0;
    *out = (struct sn_draft_block){start, b->size & ~SN_BLOCK_FREED, b->where, b->thread,
                                   (b->size & SN_BLOCK_FREED) != 0};
    return 1;
}

void sn_engine_init(void)
{
    sn_sync_on_drop = sn_clock_sync_drop;
    sn_draft_find_block = find_block;
}

/* A thread counts for itself; the sums go to the run file when it ends, or the process does. */
static void flush_counts(struct sn_thread *t)
{
    struct sn_hybrid_thread *r = sn_hybrid_of(t);
    uint64_t skipped = r->skipped, passed = r->passed;
    r->skipped = r->passed = 0;
    sn_count_add(SN_C_EVENTS, skipped + passed);
    if (sn_opt.filter)
        sn_count_add(sn_opt.filter == SN_FILTER_TREE ? SN_C_FILTERED_TREE : SN_C_FILTERED_SPAN,
                     skipped);
}

void sn_engine_exit(void)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++)
        flush_counts(sn_thread_at(i));
}

void sn_engine_forked(struct sn_thread *self)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        struct sn_hybrid_thread *r = sn_hybrid_of(sn_thread_at(i));
        r->skipped = r->passed = 0; /* the parent's to count */
    }
    (void)self; /* clocks and shadow are the child's own copy; its other threads are gone */
}

void sn_engine_thread_new(struct sn_thread *t, struct sn_thread *parent)
{
    sn_clock_thread_new(t, parent);
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

static void lock_event(struct sn_thread *t, const struct sn_event *ev)
{
    struct sn_hybrid_thread *r = sn_hybrid_of(t);
    struct sn_sync *s = ev->sync ? ev->sync : sn_sync_get(ev->addr, SN_SYNC_ANY);
    if (!s)
        return;
    if (ev->op == SN_EV_LOCK || ev->op == SN_EV_RDLOCK)
        r->locks = sn_lockset_add(r->cache, r->locks, s, ev->op == SN_EV_RDLOCK);
    else if (r->locks == SN_LOCKSET_UNKNOWN && t->nheld <= 1)
        r->locks = 0; /* the last lock goes: the set is known again */
    else
        r->locks = sn_lockset_remove(r->cache, r->locks, s);
    r->span++;
    sn_clock_set_key(t);
}

enum message { RECEIVE, SEND, SEND_ALONE };

static void message(struct sn_thread *t, const struct sn_event *ev, enum sn_sync_kind kind,
                    enum message what)
{
    struct sn_sync *s = sn_sync_get(ev->addr, kind);
    if (!s)
        return;
    sn_sync_lock(s);
    if (what == RECEIVE)
        sn_clock_receive(t, s);
    else
        sn_clock_send(t, s, what == SEND_ALONE);
    sn_sync_unlock(s);
}

static void allocated(struct sn_thread *t, const struct sn_event *ev)
{
    size_t size = ev->size ? ev->size : 1;
    sn_shadow_clear(ev->addr, size);
    sn_block_set(ev->addr, size, sn_ctx_site(t, ev->pc), t->number);
}

/* More of a block than this is not marked as freed, only forgotten: marking costs as much as
 * writing the block, and large blocks go back to the kernel anyway. */
enum { MARK_FREED = 16 * 1024 };

static void freed(struct sn_thread *t, const struct sn_event *ev)
{
    struct sn_block *b = sn_block_at(ev->addr);
    if (!b || (b->size & SN_BLOCK_FREED))
        return;
    size_t size = b->size, mark = size < MARK_FREED ? size : MARK_FREED;
    sn_sync_drop_range(ev->addr, size);
    sn_hybrid_walk(t, ev->addr, mark, sn_ctx_site(t, ev->pc | SN_CTX_TAG(SN_OP_FREE, 0)), SN_WRITE);
    if (size > mark)
        sn_shadow_clear(ev->addr + mark, size - mark);
    b->size |= SN_BLOCK_FREED;
}

static void joined(struct sn_thread *t, const struct sn_event *ev)
{
    struct sn_thread *other = sn_thread_by_number((uint32_t)ev->value);
    if (other)
        sn_clock_join(t, other);
}

static void ignore(struct sn_hybrid_thread *r, uint64_t what, uint32_t by)
{
    r->ignore_reads += what & 1 ? by : 0;
    r->ignore_writes += what & 2 ? by : 0;
    r->ignore_sync += what & 4 ? by : 0;
}

static void barrier(struct sn_thread *t, const struct sn_event *ev, enum message what)
{
    struct sn_event round = *ev;
    round.addr = sn_event_round(ev);
    message(t, &round, SN_SYNC_BARRIER, what);
}

static void message_event(struct sn_thread *t, const struct sn_event *ev)
{
    switch (ev->op) {
    case SN_EV_JOIN:
        joined(t, ev);
        break;
    case SN_EV_COND_SIGNAL:
    case SN_EV_COND_BROADCAST:
        message(t, ev, SN_SYNC_COND, SEND);
        break;
    case SN_EV_COND_WAKE:
        message(t, ev, SN_SYNC_COND, RECEIVE);
        break;
    case SN_EV_BARRIER_ENTER:
        barrier(t, ev, SEND);
        break;
    case SN_EV_BARRIER_LEAVE:
        barrier(t, ev, RECEIVE);
        break;
    case SN_EV_SEM_POST:
        message(t, ev, SN_SYNC_SEM, SEND);
        break;
    case SN_EV_SEM_WAIT:
        message(t, ev, SN_SYNC_SEM, RECEIVE);
        break;
    case SN_EV_ONCE_DONE:
        message(t, ev, SN_SYNC_ONCE, SEND_ALONE);
        break;
    case SN_EV_ONCE_SEEN:
        message(t, ev, SN_SYNC_ONCE, RECEIVE);
        break;
    case SN_EV_ACQUIRE:
        message(t, ev, SN_SYNC_ANY, RECEIVE);
        break;
    case SN_EV_RELEASE:
        message(t, ev, SN_SYNC_ANY, SEND_ALONE);
        break;
    case SN_EV_RELEASE_MERGE:
        message(t, ev, SN_SYNC_ANY, SEND);
        break;
    default:
        break;
    }
}

static void dispatch(struct sn_thread *t, const struct sn_event *ev)
{
    struct sn_hybrid_thread *r = sn_hybrid_of(t);
    switch (ev->op) {
    case SN_EV_START:
        r->followed = 1;
        sn_clock_set_key(t);
        break;
    case SN_EV_END:
        r->followed = 0;
        sn_hybrid_key = SN_KEY_NONE;
        flush_counts(t);
        break;
    case SN_EV_LOCK:
    case SN_EV_RDLOCK:
    case SN_EV_UNLOCK:
    case SN_EV_RDUNLOCK:
        lock_event(t, ev);
        break;
    case SN_EV_ALLOC:
        allocated(t, ev);
        break;
    case SN_EV_FREE:
        freed(t, ev);
        break;
    case SN_EV_MAP:
    case SN_EV_UNMAP:
        sn_sync_drop_range(ev->addr, ev->size);
        sn_shadow_clear(ev->addr, ev->size);
        break;
    case SN_EV_IGNORE:
        ignore(r, ev->value, 1);
        break;
    case SN_EV_WATCH:
        ignore(r, ev->value, (uint32_t)-1);
        break;
    case SN_EV_BENIGN:
        sn_benign_add(ev->addr, ev->size);
        break;
    default:
        r->span++;
        if (!r->ignore_sync)
            message_event(t, ev);
        break;
    }
}

void sn_engine_event(struct sn_thread *t, const struct sn_event *ev)
{
    if (!sn_hybrid_of(t)->epoch || t->busy)
        return;
    sn_busy_enter(t);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    dispatch(t, ev);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    sn_busy_leave(t);
}
