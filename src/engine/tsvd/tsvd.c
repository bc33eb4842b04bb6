/*
 * tsvd.c: the engine's outside: beginning, end, threads, and the slow half of a call.
 */
#include "tsvd.h"

#include "core/options.h"
#include "core/sys.h"
#include "runtime/emit.h"
#include "runtime/fd.h"
#include "runtime/redirect.h"
#include "runtime/stub.h"
#include "runtime/thread_hooks.h"

enum { SLOTS = (1 << 16) * 4 };

const char sn_engine_name[] = "tsvd";
const int sn_engine_gates = 0;
const int sn_engine_sees_blocks = 0;
const int sn_engine_own_heap = 0;
const int sn_engine_needs_code = 0;

struct instant {
    uint64_t ns, ticks;
};

/* Both clocks at one moment. The thread may lose its processor between the two: the narrowest of
 * some tries counts. */
static struct instant now_by_both(void)
{
    struct instant best = {0, 0};
    uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before = sn_ticks(), ns = sn_now_ns(), width = sn_ticks() - before;
        if (width < narrowest) {
            narrowest = width;
            best = (struct instant){ns, before + width / 2};
        }
    }
    return best;
}

/* Ticks of the time stamp counter in a millisecond, by looking at the clock for a fifth of one. */
static uint64_t calibrate(void)
{
    struct instant begin = now_by_both(), end;
    while (sn_now_ns() < begin.ns + 200000)
        sn_cpu_relax();
    end = now_by_both();
    return (end.ticks - begin.ticks) * 1000000 / (end.ns - begin.ns);
}

static int64_t between(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

void sn_engine_init(void)
{
    sn_tsvd.mode = (uint32_t)sn_opt.tsvd_mode;
    /* One more than is asked for: the slow half looks again, when this access is among them. */
    sn_tsvd.history = (uint32_t)between(sn_opt.history, 1, SN_MAX_HISTORY - 1) + 1;
    sn_tsvd.phase_buffer = (uint32_t)sn_opt.phase_buffer;
    sn_tsvd.ticks_per_ms = calibrate();
    sn_tsvd.window =
        sn_opt.window_ms ? (uint64_t)sn_opt.window_ms * sn_tsvd.ticks_per_ms : UINT64_MAX;
    sn_tsvd.gap = (uint64_t)sn_opt.delay_ms * sn_tsvd.ticks_per_ms *
                  (uint64_t)between(sn_opt.hb_permille, 0, 1 << 30) / 1000;
    if (sn_opt.hb_permille > 1000000 || !sn_opt.delay_ms)
        sn_tsvd.gap = UINT64_MAX;
    sn_tsvd.slot_bytes =
        (uint32_t)(sizeof(struct sn_history) + sn_tsvd.history * sizeof(struct sn_past) + 63) &
        ~63u;
    sn_tsvd.slots = sn_map((size_t)SLOTS * sn_tsvd.slot_bytes);
    sn_assert(sn_tsvd.slots != 0);
    if (sn_tsvd.mode <= SN_TSVD_HB)
        sn_trapset_read();
}

void sn_engine_exit(void)
{
    sn_tsvd_report_coverage();
}

void sn_engine_forked(struct sn_thread *self)
{
    (void)self;
    sn_trap_forked();
    sn_tsvd.threads = 1;
}

void sn_engine_thread_new(struct sn_thread *t, struct sn_thread *parent)
{
    struct sn_tsvd_thread *s = sn_tsvd_of(t);
    *s = (struct sn_tsvd_thread){.last = sn_ticks()};
    s->random = ((uint64_t)sn_opt.seed + 1) * 0x9e3779b97f4a7c15ull ^
                ((uint64_t)t->number + 1) * 0xbf58476d1ce4e5b9ull;
    s->random |= 1;
    __atomic_fetch_add(&sn_tsvd.threads, 1, __ATOMIC_RELAXED);
    if (sn_tsvd.mode <= SN_TSVD_HB)
        sn_tsvd_clock_new(t, parent);
}

void sn_engine_thread_gone(struct sn_thread *t)
{
    sn_trap_forget(t);
}

enum sn_gate_answer sn_engine_gate(struct sn_thread *t, struct sn_event *ev)
{
    (void)t, (void)ev;
    return SN_GO;
}

void sn_engine_event(struct sn_thread *t, const struct sn_event *ev)
{
    struct sn_tsvd_thread *s = sn_tsvd_of(t);
    if (s->pending_mark || s->pending_lock[0])
        sn_tsvd_pending(t);
    if (ev->op == SN_EV_START) {
        s->last = sn_ticks();
        sn_redirect_refresh();
        if (t->number && !__atomic_exchange_n(&sn_tsvd.looked, 1, __ATOMIC_RELAXED)) {
            sn_redirect_arm_written();
            sn_trapset_arm();
        }
    } else if (ev->op == SN_EV_END) {
        __atomic_fetch_sub(&sn_tsvd.threads, 1, __ATOMIC_RELAXED);
        sn_trap_forget(t);
    } else if (ev->op == SN_EV_BLOCK) {
        bool reads = ev->addr && !ev->value && sn_fd_is_inside((int)ev->addr - 1);
        __atomic_store_n(&s->reads, reads, __ATOMIC_RELAXED);
    } else if (ev->op == SN_EV_UNBLOCK) {
        __atomic_store_n(&s->reads, 0, __ATOMIC_RELAXED);
    }
    if (sn_tsvd.mode <= SN_TSVD_HB)
        sn_tsvd_clock_event(t, ev);
}

/* What is forbidden beyond overlapping; and what the call makes known. */
static int rules(struct sn_thread *t, struct sn_call *c, const struct sn_touch *touch, unsigned n)
{
    unsigned acts = 0;
    for (unsigned i = 0; i < n; i++)
        acts |= touch[i].act;
    if (acts == SN_ACT_TOUCH)
        return 0;
    for (unsigned i = 0; i < n; i++) {
        struct sn_broken other;
        if (sn_object_broken(t, &touch[i], &other))
            sn_tsvd_report_broken(t, c, &touch[i], &other);
    }
    return sn_object_note(t, sn_object_needs_where(touch, n) ? sn_tsvd_where(t, c) : 0, touch, n);
}

static void whole_call(struct sn_thread *t, struct sn_call *c)
{
    struct sn_touch touch[SN_CONTRACT_EFFECTS];
    uint32_t entry = sn_stubs[c->stub].entry;
    if (sn_tsvd_of(t)->hold_frame && sn_tsvd_of(t)->hold_frame <= (uintptr_t)c)
        sn_trap_drop_left(t, c);
    unsigned n = sn_tsvd_touches_slow(t, c, sn_contract_entry(entry), touch);
    int action = n ? sn_tsvd_point(t, c->pc, entry, 0, touch, n) : 0;
    action |= rules(t, c, touch, n);
    if (action)
        sn_tsvd_slow(t, c, touch, n, action);
    if (sn_contract_entry(entry)->flags & SN_ENTRY_LONG)
        sn_trap_hold(t, c, touch, n);
}

void sn_engine_call_slow(struct sn_call *c, int action)
{
    struct sn_thread *t = sn_self;
    if (action == SN_DO_SIGNAL) {
        sn_signal_run_pending(t);
        return;
    }
    if (action == SN_DO_ADOPT) {
        t = sn_enter(c->pc);
        if (t) {
            whole_call(t, c);
            sn_hook_leave(t);
        }
        return;
    }
    if (action == SN_DO_ALL) {
        whole_call(t, c);
    } else {
        struct sn_touch touch[SN_CONTRACT_EFFECTS];
        uint32_t entry = sn_stubs[c->stub].entry;
        int n = sn_tsvd_touches(c, sn_contract_entry(entry), touch);
        if (n > 0)
            sn_tsvd_slow(t, c, touch, (unsigned)n, action);
        if (n > 0 && (sn_contract_entry(entry)->flags & SN_ENTRY_LONG))
            sn_trap_hold(t, c, touch, (unsigned)n);
    }
    sn_hook_leave(t);
}
