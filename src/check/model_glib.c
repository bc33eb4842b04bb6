/*
 * model_glib.c: GLib's threads, thread pools, asynchronous queues, once, and memory. Its locks are in
 * model_lock.c, its main loop in model_glib_loop.c.
 */
#include <string.h>

#include "check/lib.h"
#include "check/sync.h"

/* --- threads: a GThread is the task's handle --- */

static enum sn_result m_thread_new(struct sn_call *c) /* (name, func, data) */
{
    struct sn_reg data = sn_arg(c, 2);
    struct sn_task *made = sn_start_thread(c->vm, c->t, sn_arg(c, 1), &data, 1);
    if (made == NULL && c->vm->stop_reason != NULL)
        return SN_END;
    sn_return(c, made ? SN_HANDLE(made) : 0);
    return sn_after_start(c);
}

static enum sn_result m_thread_join(struct sn_call *c)
{
    struct sn_reg handle = sn_arg(c, 0);
    struct sn_task *target = handle.u & SN_VAGUE ? NULL : sn_task_of_handle(c->vm, handle.v);
    if (target == NULL) {
        sn_vague(c->vm, c->t);
        return sn_return(c, 0);
    }
    if (target->state != SN_EXITED) {
        sn_task_block(c->vm, c->t, SN_WAIT_JOIN, NULL, target->id);
        sn_deadlock_check(c->vm, c->t);
        return SN_BLOCK;
    }
    target->joined = true;
    sn_vsync_acquire(c->vm, c->t, &target->clock);
    c->ret = target->result;
    return SN_DONE;
}

static enum sn_result m_thread_self(struct sn_call *c) { return sn_return(c, SN_HANDLE(c->t)); }

static enum sn_result m_yield(struct sn_call *c)
{
    sn_return(c, 0);
    return SN_YIELD;
}

/* --- thread pools: a block with function and user data; every item is a task --- */

static enum sn_result m_pool_new(struct sn_call *c) /* (func, user_data, max, exclusive, error) */
{
    uint32_t at = sn_simmem_take(&c->vm->mem, 32, 16, 0);
    if (at == 0)
        return SN_END;
    sn_poke(c->vm, at, 8, sn_arg(c, 0).v);
    sn_poke(c->vm, at + 8, 8, sn_arg(c, 1).v);
    sn_poke(c->vm, at + 16, 8, sn_arg(c, 0).u | sn_arg(c, 1).u);
    sn_poke(c->vm, at + 24, 4, sn_arg(c, 2).v == 1 && sn_arg(c, 2).u == 0);
    return sn_return(c, at);
}

/* With a single worker the items are in order: each begins when the one before has ended. */
static enum sn_result pool_item_returned(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k,
                                         struct sn_reg result)
{
    struct sn_vsync *pool = sn_vsync_at(vm, k->n[0], SN_VSYNC_EVENT);
    (void)result;
    sn_vclock_join(&vm->arena, &pool->clock, &t->clock);
    if (pool->owner == (int32_t)t->id)
        pool->owner = -1;
    pool->value--;
    sn_wake_all(vm, pool);
    return sn_begin_thread_exit(vm, t);
}

static enum sn_result m_pool_push(struct sn_call *c) /* (pool, data, error) */
{
    struct sn_reg pool = sn_arg(c, 0), args[2] = {sn_arg(c, 1), {0, 0}};
    if (pool.u != 0)
        return sn_return(c, 1);
    struct sn_vsync *s = sn_vsync_at(c->vm, pool.v, SN_VSYNC_EVENT);
    bool single = sn_peek(c->vm, pool.v + 24, 4) != 0;
    if (single && s->owner >= 0) { /* the next item waits for the worker */
        sn_task_block(c->vm, c->t, SN_WAIT_ONCE, s, 0);
        return SN_BLOCK;
    }
    struct sn_reg func = {sn_peek(c->vm, pool.v, 8), sn_peek(c->vm, pool.v + 16, 8)};
    args[1] = (struct sn_reg){sn_peek(c->vm, pool.v + 8, 8), func.u};
    struct sn_task *made = sn_start_thread(c->vm, c->t, func, args, 2);
    if (made == NULL)
        return c->vm->stop_reason ? SN_END : sn_return(c, 1);
    made->role = "thread of a pool";
    made->kont[0].step = pool_item_returned;
    made->kont[0].n[0] = pool.v;
    if (single) {
        s->owner = (int32_t)made->id;
        sn_vsync_acquire(c->vm, made, &s->clock);
    }
    s->value++;
    return sn_return(c, 1);
}

static enum sn_result m_pool_free(struct sn_call *c) /* (pool, immediate, wait) */
{
    struct sn_reg pool = sn_arg(c, 0);
    if (pool.u != 0 || sn_arg(c, 2).v == 0)
        return SN_DONE;
    struct sn_vsync *s = sn_vsync_at(c->vm, pool.v, SN_VSYNC_EVENT);
    if (s->value > 0) {
        sn_task_block(c->vm, c->t, SN_WAIT_ONCE, s, 0);
        return SN_BLOCK;
    }
    sn_vsync_acquire(c->vm, c->t, &s->clock);
    return SN_DONE;
}

/* --- asynchronous queues: items in a ring of simulated memory, ordered by one clock --- */

#define QUEUE_ITEMS 256u

static enum sn_result m_queue_new(struct sn_call *c)
{
    uint32_t at = sn_simmem_take(&c->vm->mem, 16 + QUEUE_ITEMS * 8, 16, 0);
    return at ? sn_return(c, at) : SN_END;
}

static struct sn_vsync *queue_of(struct sn_call *c)
{
    struct sn_reg q = sn_arg(c, 0);
    return q.u & SN_VAGUE || !sn_usable(c->vm, c->t, q, 16 + QUEUE_ITEMS * 8, true) ? NULL
                                                                                 : sn_vsync_at(c->vm, q.v, SN_VSYNC_SEM);
}

static enum sn_result m_queue_push(struct sn_call *c)
{
    struct sn_vsync *s = queue_of(c);
    struct sn_reg item = sn_arg(c, 1);
    if (s == NULL || s->value >= QUEUE_ITEMS)
        return SN_DONE;
    uint64_t tail = sn_peek(c->vm, s->addr + 8, 8), at = s->addr + 16 + tail % QUEUE_ITEMS * 8;
    sn_poke(c->vm, at, 8, item.v);
    sn_range_tag(&c->vm->mem, at, 8, (uint8_t)item.u);
    sn_poke(c->vm, s->addr + 8, 8, tail + 1);
    s->value++;
    sn_vsync_release(c->vm, c->t, &s->clock);
    sn_wake_all(c->vm, s);
    return SN_DONE;
}

enum { POP_WAIT, POP_TRY, POP_TIMED };

static enum sn_result m_queue_pop(struct sn_call *c)
{
    struct sn_vsync *s = queue_of(c);
    int64_t how = sn_model_of(c)->extra;
    if (s == NULL)
        return sn_return_input(c, 64);
    if (s->value == 0) {
        if (how == POP_TRY || c->t->timed_out)
            return sn_return(c, 0);
        c->t->timed = how == POP_TIMED;
        sn_task_block(c->vm, c->t, SN_WAIT_SEM, s, 0);
        return SN_BLOCK;
    }
    uint64_t head = sn_peek(c->vm, s->addr, 8), at = s->addr + 16 + head % QUEUE_ITEMS * 8;
    c->ret = (struct sn_reg){sn_peek(c->vm, at, 8), sn_range_tags(&c->vm->mem, at, 8)};
    sn_poke(c->vm, s->addr, 8, head + 1);
    s->value--;
    sn_vsync_acquire(c->vm, c->t, &s->clock);
    return SN_DONE;
}

static enum sn_result m_queue_length(struct sn_call *c)
{
    struct sn_vsync *s = queue_of(c);
    return sn_return(c, s ? (uint64_t)s->value : 0);
}

/* --- once: g_once_init_enter(&location), g_once_init_leave(&location, value) --- */

static enum sn_result m_once_enter(struct sn_call *c)
{
    struct sn_reg at = sn_arg(c, 0);
    if (at.u & SN_VAGUE || !sn_usable(c->vm, c->t, at, 8, false))
        return sn_return_input(c, 1);
    struct sn_vsync *s = sn_vsync_at(c->vm, at.v, SN_VSYNC_ONCE);
    if (s->value == 2) {
        sn_vsync_acquire(c->vm, c->t, &s->clock);
        return sn_return(c, 0);
    }
    if (s->value == 1) {
        sn_task_block(c->vm, c->t, SN_WAIT_ONCE, s, 0);
        return SN_BLOCK;
    }
    s->value = 1;
    s->owner = (int32_t)c->t->id;
    return sn_return(c, 1);
}

static enum sn_result m_once_leave(struct sn_call *c)
{
    struct sn_reg at = sn_arg(c, 0), v = sn_arg(c, 1);
    if (at.u & SN_VAGUE || !sn_usable(c->vm, c->t, at, 8, true))
        return SN_DONE;
    struct sn_vsync *s = sn_vsync_at(c->vm, at.v, SN_VSYNC_ONCE);
    sn_poke(c->vm, at.v, 8, v.v);
    s->value = 2;
    s->owner = -1;
    sn_vsync_release(c->vm, c->t, &s->clock);
    sn_wake_all(c->vm, s);
    return SN_DONE;
}

/* --- atomics that GLib exports as functions --- */

enum { ATOMIC_GET, ATOMIC_SET, ATOMIC_ADD, ATOMIC_INC, ATOMIC_DEC, ATOMIC_CAS };

static enum sn_result m_atomic(struct sn_call *c)
{
    unsigned bytes = sn_model_of(c)->extra & 16 ? 8 : 4;
    struct sn_reg at = sn_arg(c, 0), old = {0, SN_UNKNOWN}, now;
    bool writes = true;
    if (at.u & SN_VAGUE || sn_load_slow(c->vm, c->t, at, bytes, SN_ACC_ATOMIC, &old) != SN_DONE)
        return sn_return_input(c, bytes * 8);
    struct sn_vsync *s = sn_vsync_at(c->vm, at.v, SN_VSYNC_ATOMIC);
    sn_vsync_acquire(c->vm, c->t, &s->clock);
    c->ret = old;
    switch (sn_model_of(c)->extra & 15) {
    case ATOMIC_GET: writes = false; now = old; break;
    case ATOMIC_SET: now = sn_arg(c, 1); break;
    case ATOMIC_ADD: now = (struct sn_reg){old.v + sn_arg(c, 1).v, old.u | sn_arg(c, 1).u}; break;
    case ATOMIC_INC: now = (struct sn_reg){old.v + 1, old.u}; break;
    case ATOMIC_DEC:
        now = (struct sn_reg){old.v - 1, old.u};
        c->ret = (struct sn_reg){(uint32_t)now.v == 0, old.u};
        break;
    default:
        writes = old.v == sn_arg(c, 1).v;
        now = sn_arg(c, 2);
        c->ret = (struct sn_reg){writes, old.u | sn_arg(c, 1).u};
    }
    if (!writes)
        return SN_DONE;
    now.v &= bytes == 4 ? UINT32_MAX : UINT64_MAX;
    enum sn_result r = sn_store_slow(c->vm, c->t, at, bytes, SN_ACC_ATOMIC | SN_ACC_WRITE, now);
    sn_vsync_release(c->vm, c->t, &s->clock);
    return r;
}

/* --- memory --- */

static enum sn_result m_malloc(struct sn_call *c)
{
    bool zero = sn_model_of(c)->extra & 1, product = sn_model_of(c)->extra & 2;
    struct sn_reg n = sn_arg(c, 0);
    if (product) {
        n.u |= sn_arg(c, 1).u;
        n.v *= sn_arg(c, 1).v;
    }
    if (n.v == 0 && n.u == 0)
        return sn_return(c, 0);
    return sn_allocate(c, n, 16, zero);
}

static enum sn_result m_free(struct sn_call *c)
{
    sn_release(c->vm, c->t, sn_arg(c, 0), sn_model_of(c)->name);
    return SN_DONE;
}

static enum sn_result m_nothing(struct sn_call *c) { return sn_return(c, 0); }

static enum sn_result m_print(struct sn_call *c)
{
    uint64_t taint;
    unsigned format = (unsigned)sn_model_of(c)->extra;
    sn_format(c->vm, c->t, sn_arg(c, format), c->t->va_next, NULL, 0, &taint);
    return SN_DONE;
}

static enum sn_result m_usleep(struct sn_call *c)
{
    c->vm->now_ns += 1000000;
    return SN_YIELD;
}

static enum sn_result m_monotonic(struct sn_call *c)
{
    c->ret = (struct sn_reg){(c->vm->now_ns += 1000) / 1000, SN_INPUT};
    return SN_DONE;
}

#define P (SN_MODEL_POINT | SN_MODEL_ANY)
static const struct sn_model models[] = {
    {"g_thread_new", m_thread_new, P, 0}, {"g_thread_try_new", m_thread_new, P, 0}, {"g_thread_join", m_thread_join, P, 0},
    {"g_thread_self", m_thread_self, 0, 0}, {"g_thread_unref", m_nothing, 0, 0}, {"g_thread_yield", m_yield, P, 0},
    {"g_thread_pool_new", m_pool_new, 0, 0}, {"g_thread_pool_push", m_pool_push, P, 0},
    {"g_thread_pool_free", m_pool_free, P, 0}, {"g_async_queue_new", m_queue_new, 0, 0},
    {"g_async_queue_new_full", m_queue_new, 0, 0}, {"g_async_queue_push", m_queue_push, P, 0},
    {"g_async_queue_pop", m_queue_pop, P, POP_WAIT}, {"g_async_queue_try_pop", m_queue_pop, P, POP_TRY},
    {"g_async_queue_timeout_pop", m_queue_pop, P, POP_TIMED}, {"g_async_queue_length", m_queue_length, P, 0},
    {"g_async_queue_ref", m_nothing, 0, 0}, {"g_async_queue_unref", m_nothing, 0, 0},
    {"g_once_init_enter", m_once_enter, P, 0}, {"g_once_init_leave", m_once_leave, P, 0},
    {"g_once_init_enter_pointer", m_once_enter, P, 0}, {"g_once_init_leave_pointer", m_once_leave, P, 0},
    {"g_atomic_int_get", m_atomic, P, ATOMIC_GET}, {"g_atomic_int_set", m_atomic, P, ATOMIC_SET},
    {"g_atomic_int_add", m_atomic, P, ATOMIC_ADD}, {"g_atomic_int_inc", m_atomic, P, ATOMIC_INC},
    {"g_atomic_int_dec_and_test", m_atomic, P, ATOMIC_DEC}, {"g_atomic_int_compare_and_exchange", m_atomic, P, ATOMIC_CAS},
    {"g_atomic_pointer_get", m_atomic, P, 16 | ATOMIC_GET}, {"g_atomic_pointer_set", m_atomic, P, 16 | ATOMIC_SET},
    {"g_atomic_pointer_compare_and_exchange", m_atomic, P, 16 | ATOMIC_CAS},
    {"g_malloc", m_malloc, 0, 0}, {"g_malloc0", m_malloc, 0, 1}, {"g_malloc_n", m_malloc, 0, 2},
    {"g_malloc0_n", m_malloc, 0, 3}, {"g_try_malloc", m_malloc, 0, 0}, {"g_try_malloc0", m_malloc, 0, 1},
    {"g_slice_alloc", m_malloc, 0, 0}, {"g_slice_alloc0", m_malloc, 0, 1}, {"g_free", m_free, 0, 0},
    {"g_print", m_print, 0, 0}, {"g_printerr", m_print, 0, 0}, {"g_log", m_print, 0, 2}, {"g_usleep", m_usleep, P, 0},
    {"g_get_monotonic_time", m_monotonic, 0, 0}, {"g_get_real_time", m_monotonic, 0, 0},
};
const struct sn_model_table sn_models_glib = {models, sizeof models / sizeof *models};
