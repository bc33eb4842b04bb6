/*
 * model_glib_loop.c: GLib's main loops. Sources (idle, timeout) are events of whichever thread runs
 * the loop, one after the other, in any order; adding a source orders what was done before it with
 * the event. One default context is simulated.
 */
#include <string.h>

#include "check/lib.h"
#include "check/sync.h"

#define SOURCES 64u
#define EVENTS_MOST 24u /* dispatched by one g_main_loop_run(): then the loop idles */

struct source {
    uint32_t id; /* 0: free */
    uint64_t func;
    struct sn_reg data;
    bool idle;
    struct sn_vclock clock;
};

struct sn_dispatcher {
    struct source source[SOURCES];
    uint32_t last_id, events;
    struct sn_vsync wait; /* who runs an empty loop */
};

static struct sn_dispatcher *dispatcher(struct sn_vm *vm)
{
    if (vm->lib->dispatcher == NULL)
        vm->lib->dispatcher = sn_run_arena_take(&vm->arena, sizeof *vm->lib->dispatcher);
    return vm->lib->dispatcher;
}

static enum sn_result add_source(struct sn_call *c, struct sn_reg func, struct sn_reg data, bool idle)
{
    struct sn_dispatcher *d = dispatcher(c->vm);
    for (unsigned k = 0; k < SOURCES; k++) {
        struct source *s = &d->source[k];
        if (s->id != 0)
            continue;
        if (func.u & SN_VAGUE)
            break;
        *s = (struct source){.id = ++d->last_id, .func = func.v, .data = data, .idle = idle};
        sn_vsync_release(c->vm, c->t, &s->clock);
        sn_wake_all(c->vm, &d->wait);
        return sn_return(c, s->id);
    }
    return sn_return_input(c, 16);
}

/* extra: which argument is the function; the data follows it. 16: an idle source. */
static enum sn_result m_add(struct sn_call *c)
{
    unsigned k = (unsigned)sn_model_of(c)->extra & 15;
    return add_source(c, sn_arg(c, k), sn_arg(c, k + 1), sn_model_of(c)->extra & 16);
}

static enum sn_result m_remove(struct sn_call *c)
{
    struct sn_dispatcher *d = dispatcher(c->vm);
    struct sn_reg id = sn_arg(c, 0);
    for (unsigned k = 0; k < SOURCES; k++) {
        if (id.u == 0 && id.v != 0 && d->source[k].id == id.v) {
            d->source[k].id = 0;
            return sn_return(c, 1);
        }
    }
    return sn_return(c, 0);
}

static struct source *pick(struct sn_vm *vm, struct sn_dispatcher *d)
{
    uint64_t n = 0;
    for (unsigned k = 0; k < SOURCES; k++)
        n += d->source[k].id != 0;
    uint64_t chosen = sn_choose(vm, n);
    for (unsigned k = 0; k < SOURCES; k++)
        if (d->source[k].id != 0 && chosen-- == 0)
            return &d->source[k];
    return NULL;
}

/* --- the loop: a block whose first word says that it was asked to end --- */

static enum sn_result m_loop_new(struct sn_call *c)
{
    uint32_t at = sn_simmem_take(&c->vm->mem, 16, 16, 0);
    return at ? sn_return(c, at) : SN_END;
}

static enum sn_result m_loop_quit(struct sn_call *c)
{
    struct sn_reg loop = sn_arg(c, 0);
    if (loop.u == 0) {
        sn_poke(c->vm, loop.v, 4, 1);
        sn_vsync_release(c->vm, c->t, &sn_vsync_at(c->vm, loop.v, SN_VSYNC_EVENT)->clock);
    }
    sn_wake_all(c->vm, &dispatcher(c->vm)->wait);
    return SN_DONE;
}

static enum sn_result event_returned(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k,
                                     struct sn_reg result)
{
    struct sn_dispatcher *d = dispatcher(vm);
    for (unsigned i = 0; i < SOURCES; i++)
        if (d->source[i].id == k->n[0] && (uint32_t)result.v == 0)
            d->source[i].id = 0; /* G_SOURCE_REMOVE */
    t->phase = k->n[1] ? 2 : 1;
    t->nkont--;
    return SN_BLOCK; /* ready, but the call is repeated: it looks for the next event */
}

static enum sn_result dispatch(struct sn_call *c, struct source *s, bool once)
{
    struct sn_dispatcher *d = dispatcher(c->vm);
    d->events++;
    sn_vsync_acquire(c->vm, c->t, &s->clock);
    struct sn_continuation *k = sn_push_continuation(c->t, event_returned, SN_NONE);
    k->n[0] = s->id;
    k->n[1] = once;
    struct sn_reg data = s->data;
    return sn_call_back(c->vm, c->t, s->func, &data, 1);
}

static enum sn_result m_loop_run(struct sn_call *c)
{
    struct sn_dispatcher *d = dispatcher(c->vm);
    struct sn_reg loop = sn_arg(c, 0);
    struct sn_task *t = c->t;
    if (loop.u == 0 && sn_peek(c->vm, loop.v, 4) != 0) {
        sn_vsync_acquire(c->vm, t, &sn_vsync_at(c->vm, loop.v, SN_VSYNC_EVENT)->clock);
        return SN_DONE;
    }
    struct source *s = pick(c->vm, d);
    if (s != NULL && d->events < EVENTS_MOST)
        return dispatch(c, s, false);
    t->phase = 1;
    sn_task_block(c->vm, t, SN_WAIT_EVENT, &d->wait, 0);
    return SN_BLOCK;
}

/* g_main_context_iteration(context, may_block): one event. */
static enum sn_result m_iteration(struct sn_call *c)
{
    if (c->t->phase == 2)
        return sn_return(c, 1);
    struct source *s = pick(c->vm, dispatcher(c->vm));
    return s ? dispatch(c, s, true) : sn_return(c, 0);
}

static enum sn_result m_nothing(struct sn_call *c) { return sn_return(c, 0); }

#define P (SN_MODEL_POINT | SN_MODEL_ANY)
static const struct sn_model models[] = {
    {"g_idle_add", m_add, P, 16 | 0}, {"g_idle_add_full", m_add, P, 16 | 1}, {"g_timeout_add", m_add, P, 1},
    {"g_timeout_add_seconds", m_add, P, 1}, {"g_timeout_add_full", m_add, P, 2},
    {"g_timeout_add_seconds_full", m_add, P, 2}, {"g_main_context_invoke", m_add, P, 16 | 1},
    {"g_source_remove", m_remove, P, 0}, {"g_main_loop_new", m_loop_new, 0, 0}, {"g_main_loop_run", m_loop_run, P, 0},
    {"g_main_loop_quit", m_loop_quit, P, 0}, {"g_main_loop_unref", m_nothing, 0, 0}, {"g_main_loop_ref", m_nothing, 0, 0},
    {"g_main_context_iteration", m_iteration, P, 0}, {"g_main_context_default", m_nothing, 0, 0},
    {"g_main_context_wakeup", m_nothing, P, 0}, {"g_main_context_new", m_nothing, 0, 0},
    {"g_main_context_unref", m_nothing, 0, 0}, {"g_main_context_pending", m_nothing, 0, 0},
};
const struct sn_model_table sn_models_glib_loop = {models, sizeof models / sizeof *models};
