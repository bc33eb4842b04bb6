/* record.c: the events that are no accesses, and the engine's beginning and end. */
#include "record.h"

#include <pthread.h>

#include "core/count.h"
#include "core/engine.h"
#include "core/stop.h"
#include "core/sync.h"
#include "graph.h"
#include "objects.h"
#include "runtime/instrumented.h"

const char sn_engine_name[] = "record";
const int sn_engine_gates = 1;
const int sn_engine_sees_blocks = 1;
const int sn_engine_own_heap = 0;
const int sn_engine_needs_code = 1;

void sn_engine_init(void)
{
    if (!sn_file_open())
        sn_count(LOST_SINK);
    sn_pair_init();
}

/* Other threads may still run: what they do from now on is not in the trace. */
void sn_engine_exit(void)
{
    struct sn_thread *t = sn_self;
    if (!t || !sn_file_live)
        return;
    sn_order_take(t);
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++)
        if (__atomic_load_n(&sn_thread_at(i)->state, __ATOMIC_ACQUIRE) == SN_T_RUNNING)
            sn_write_settle(sn_thread_at(i));
    sn_pair_tell_unchanged();
    sn_file_close();
    sn_order_give(t);
}

static void tell(struct sn_thread *t, enum sn_event_op op, const struct sn_event *from)
{
    struct sn_trace_event ev = {.ev = {.op = (uint8_t)op, .flags = from->flags},
                                .thread = t->number,
                                .site = sn_file_here(t, from->pc)};
    ev.ev.addr = from->addr;
    ev.ev.size = from->size;
    ev.ev.value = from->value;
    sn_file_event(&ev);
}

/* The child goes on with the locks that it holds. */
void sn_engine_forked(struct sn_thread *self)
{
    sn_order_forked(self);
    sn_file_forked();
    sn_graph_forked();
    if (!self || !sn_file_live)
        return;
    sn_rec_of(self)->write_size = sn_rec_of(self)->read_size = 0;
    sn_rec_of(self)->npairs = sn_rec_of(self)->has_start = 0;
    sn_rec_of(self)->back_at = sn_rec_of(self)->return_at = 0;
    tell(self, SN_EV_START, &(struct sn_event){.value = self->number});
    for (uint32_t i = 0; i < self->nheld; i++) {
        struct sn_event ev = {.addr = self->held[i].lock->addr};
        tell(self, self->held[i].shared ? SN_EV_RDLOCK : SN_EV_LOCK, &ev);
    }
}

void sn_engine_thread_new(struct sn_thread *t, struct sn_thread *parent)
{
    (void)parent;
    *sn_rec_of(t) = (struct sn_recorded){.pair = sn_rec_of(t)->pair};
}

void sn_engine_thread_gone(struct sn_thread *t)
{
    (void)t;
}

/* A lock that is free, as far as snag knows, will not keep the thread; should it do so after all,
 * the order is taken away from who sleeps. */
static bool may_wait(const struct sn_event *ev)
{
    switch (ev->op) {
    case SN_EV_LOCK:
    case SN_EV_RDLOCK:
        return !ev->sync || __atomic_load_n(&ev->sync->owner, __ATOMIC_RELAXED) ||
               __atomic_load_n(&ev->sync->readers, __ATOMIC_RELAXED);
    case SN_EV_UNLOCK:
    case SN_EV_RDUNLOCK:
    case SN_EV_COND_SIGNAL:
    case SN_EV_COND_BROADCAST:
    case SN_EV_SEM_POST:
        return false;
    default:
        return true;
    }
}

/* Before an operation that may wait. A thread's creation is asked about when it has happened: its
 * handle was written for the program. */
enum sn_gate_answer sn_engine_gate(struct sn_thread *t, struct sn_event *ev)
{
    if (ev->op == SN_EV_CREATE && sn_file_live && !sn_rec_of(t)->queued) {
        sn_order_take(t);
        sn_write_settle(t);
        sn_write_told(t, ev->addr, sizeof(pthread_t), sn_file_here(t, ev->pc));
    }
    if (may_wait(ev))
        sn_order_give(t);
    return SN_GO;
}

/* What tells nothing about the program's memory or order. */
static bool is_noise(enum sn_event_op op)
{
    return op == SN_EV_BLOCK || op == SN_EV_UNBLOCK || op == SN_EV_SLEEP || op == SN_EV_YIELD;
}

/* What an excluded function does is not in the trace, but for what everything else relies on. */
static bool is_hidden(const struct sn_event *ev)
{
    switch (ev->op) {
    case SN_EV_ALLOC:
    case SN_EV_FREE:
    case SN_EV_MAP:
    case SN_EV_UNMAP:
    case SN_EV_CREATE:
    case SN_EV_START:
    case SN_EV_END:
        return false;
    default:
        return ev->pc && sn_exclude_has(ev->pc);
    }
}

static void put(struct sn_thread *t, const struct sn_event *from)
{
    struct sn_event ev = *from;
    struct sn_thread *child;
    switch (ev.op) {
    case SN_EV_START: /* nobody can tell a thread that has begun from one that is about to */
        ev.size = 0;
        sn_objects_stack(t);
        sn_rec_of(t)->marked = 1;
        break;
    case SN_EV_END:
        ev.addr = t->pthread;
        ev.value = t->number;
        sn_pair_end_all(t);
        break;
    case SN_EV_JOIN:
        child = sn_thread_by_number((uint32_t)ev.value);
        ev.addr = child ? child->pthread : 0;
        break;
    case SN_EV_MAP: /* a new stack ends where the thread's own data, made by its creator, begin */
        if (t->pthread - ev.addr < ev.size)
            ev.size = t->pthread - ev.addr;
        break;
    case SN_EV_UNMAP:
        if (sn_objects_unloaded(ev.addr, ev.size))
            sn_pair_forget_modules();
        break;
    case SN_EV_ALLOC:
        sn_objects_add(ev.addr, ev.size ? ev.size : 1);
        break;
    case SN_EV_FREE:
        ev.size = sn_objects_remove(ev.addr);
        sn_graph_forget(ev.addr);
        break;
    default:
        break;
    }
    tell(t, ev.op, &ev);
}

/* A start routine that is not recorded is a call from nowhere; it can reach its argument. */
static void started(struct sn_thread *t, const struct sn_event *ev)
{
    uint64_t arg = (uint64_t)(uintptr_t)ev->arg;
    if (!ev->size || sn_pair_is_recorded(ev->size))
        return;
    sn_pair_begin(t, ev->size, 0, &arg, 1, SN_REACH_MODULE);
    sn_rec_of(t)->has_start = sn_rec_of(t)->npairs;
}

void sn_engine_event(struct sn_thread *t, const struct sn_event *ev)
{
    if (!sn_file_live)
        return;
    if (is_noise(ev->op)) {
        if (ev->op == SN_EV_BLOCK)
            sn_order_give(t);
        return;
    }
    if (sn_rec_of(t)->queued) {
        sn_count(LOST_NESTED);
        return;
    }
    if (sn_exclude_any && is_hidden(ev))
        return;
    sn_order_take(t);
    sn_write_settle(t);
    if (sn_rec_of(t)->npairs && !(ev->flags & SN_EF_HANDLER))
        sn_pair_settle(t, ev->pc);
    put(t, ev);
    if (ev->op == SN_EV_START)
        started(t, ev);
    if (ev->op == SN_EV_END)
        sn_order_give(t);
}
