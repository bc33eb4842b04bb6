/*
 * model_omp.c: OpenMP as clang calls its runtime (__kmpc_…): parallel regions, work sharing, critical
 * sections, barriers, reductions, and explicit tasks. Every member of a team is a task of its own, and
 * so is every explicit task: the highest concurrency that the rules allow.
 */
#include <string.h>

#include "check/lib.h"
#include "check/sync.h"

#define TEAM_MOST 4u
#define LOOPS 16u

struct loop { /* a dynamically scheduled loop */
    bool begun;
    int64_t next, last, step, chunk;
};

struct sn_team {
    struct sn_team *outer;
    uint32_t size, outer_rank;
    uint32_t member[TEAM_MOST]; /* tasks; the first is the one that forked */
    uint32_t singles;
    struct loop loop[LOOPS];
    struct sn_vsync *barrier, *reduction;
    uint32_t tasks;             /* explicit ones that still run */
    struct sn_vclock task_clock;
};

/* --- parallel regions --- */

static struct sn_team *new_team(struct sn_vm *vm, struct sn_task *t)
{
    struct sn_team *team = sn_run_arena_take(&vm->arena, sizeof *team);
    uint32_t wanted = vm->lib->omp_threads, at = sn_simmem_take(&vm->mem, 16, 16, 0);
    team->outer = t->team;
    team->outer_rank = t->rank;
    team->size = wanted == 0 || wanted > TEAM_MOST ? TEAM_MOST - 1 : wanted;
    team->barrier = sn_vsync_at(vm, at, SN_VSYNC_BARRIER);
    team->barrier->value = team->size;
    team->reduction = sn_vsync_at(vm, at, SN_VSYNC_MUTEX);
    vm->lib->omp_threads = 0;
    return team;
}

static uint32_t number_block(struct sn_vm *vm, uint32_t v)
{
    uint32_t at = sn_simmem_take(&vm->mem, 4, 16, 0);
    sn_poke(vm, at, 4, v);
    return at;
}

static void enter_team(struct sn_task *t, struct sn_team *team, uint32_t rank)
{
    t->team = team;
    t->rank = rank;
    t->singles = t->loops = 0;
    team->member[rank] = t->id;
}

/* The end of the region: its members have ended, and what they did is known. */
static enum sn_result join_team(struct sn_vm *vm, struct sn_task *t)
{
    struct sn_team *team = t->team;
    for (uint32_t k = 1; k < team->size; k++) {
        struct sn_task *m = vm->task[team->member[k]];
        if (m->state != SN_EXITED) {
            t->phase = 1;
            sn_task_block(vm, t, SN_WAIT_JOIN, NULL, m->id);
            return SN_BLOCK;
        }
    }
    if (team->tasks > 0) {
        t->phase = 1;
        sn_task_block(vm, t, SN_WAIT_BARRIER, team->barrier, 0);
        return SN_BLOCK;
    }
    for (uint32_t k = 1; k < team->size; k++)
        sn_vsync_acquire(vm, t, &vm->task[team->member[k]]->clock);
    sn_vsync_acquire(vm, t, &team->task_clock);
    t->rank = team->outer_rank;
    t->team = team->outer;
    t->phase = 0;
    return SN_DONE;
}

static enum sn_result region_returned(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k,
                                      struct sn_reg result)
{
    (void)k, (void)result;
    enum sn_result r = join_team(vm, t);
    if (r == SN_BLOCK)
        t->nkont--; /* the call is repeated, and waits */
    return r;
}

#define REGION_ARGS 8u

/* __kmpc_fork_call(where, n, microtask, shared…): every member calls microtask(&gtid, &btid, shared…). */
static enum sn_result m_fork(struct sn_call *c)
{
    struct sn_vm *vm = c->vm;
    struct sn_task *t = c->t;
    struct sn_reg func = sn_arg(c, 2), args[REGION_ARGS];
    if (t->phase == 1)
        return join_team(vm, t);
    uint32_t f = func.u & SN_VAGUE ? SN_NONE : sn_func_at(vm->code, func.v);
    unsigned n = c->nargs > 3 ? c->nargs - 3 : 0;
    if (f == SN_NONE || n + 2 > REGION_ARGS)
        return SN_DONE;
    for (unsigned k = 0; k < n; k++)
        args[2 + k] = c->arg[3 + k];
    struct sn_team *team = new_team(vm, t);
    for (uint32_t rank = 1; rank < team->size; rank++) {
        args[0] = (struct sn_reg){number_block(vm, rank), 0};
        args[1] = (struct sn_reg){number_block(vm, rank), 0};
        struct sn_task *m = sn_start_thread(vm, t, func, args, n + 2);
        if (m == NULL)
            return SN_END;
        m->role = "OpenMP thread";
        enter_team(m, team, rank);
    }
    enter_team(t, team, 0);
    args[0] = (struct sn_reg){number_block(vm, 0), 0};
    args[1] = args[0];
    sn_push_continuation(t, region_returned, SN_NONE);
    return sn_call_back(vm, t, func.v, args, n + 2);
}

static enum sn_result m_push_num_threads(struct sn_call *c)
{
    struct sn_reg n = sn_arg(c, sn_model_of(c)->extra ? 0 : 2);
    c->vm->lib->omp_threads = n.u & SN_VAGUE ? 0 : (uint32_t)n.v;
    return SN_DONE;
}

static enum sn_result m_thread_num(struct sn_call *c) { return sn_return(c, c->t->rank); }
static enum sn_result m_num_threads(struct sn_call *c) { return sn_return(c, c->t->team ? c->t->team->size : 1); }
static enum sn_result m_max_threads(struct sn_call *c) { return sn_return(c, TEAM_MOST - 1); }
static enum sn_result m_in_parallel(struct sn_call *c) { return sn_return(c, c->t->team != NULL); }

/* --- explicit tasks --- */

static enum sn_result wait_for_children(struct sn_call *c)
{
    struct sn_task *t = c->t;
    if (t->children > 0) {
        sn_task_block(c->vm, t, SN_WAIT_JOIN, NULL, UINT32_MAX);
        return SN_BLOCK;
    }
    sn_vsync_acquire(c->vm, t, &t->children_clock);
    return sn_return(c, 0);
}

static enum sn_result task_returned(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k, struct sn_reg result)
{
    struct sn_task *parent = vm->task[t->omp_parent];
    (void)k, (void)result;
    parent->children--;
    sn_vclock_join(&vm->arena, &parent->children_clock, &t->clock);
    if (parent->state == SN_BLOCKED && parent->wait == SN_WAIT_JOIN && parent->wait_task == UINT32_MAX)
        sn_task_wake(vm, parent);
    if (t->team != NULL) {
        sn_vclock_join(&vm->arena, &t->team->task_clock, &t->clock);
        if (--t->team->tasks == 0)
            sn_wake_all(vm, t->team->barrier);
    }
    return sn_begin_thread_exit(vm, t);
}

/* kmp_task_t: shareds, entry, part, two words, then the private data; the shareds follow. */
static enum sn_result m_task_alloc(struct sn_call *c)
{
    struct sn_reg size = sn_arg(c, 3), shareds = sn_arg(c, 4), entry = sn_arg(c, 5);
    uint64_t head = (size.v + 15) / 16 * 16;
    if (size.v > 1u << 16 || shareds.v > 1u << 16)
        return SN_END;
    uint32_t at = sn_simmem_take(&c->vm->mem, head + shareds.v + 16, 16, SN_UNKNOWN);
    if (at == 0)
        return SN_END;
    sn_poke(c->vm, at, 8, at + head);
    sn_poke(c->vm, at + 8, 8, entry.v);
    return sn_return(c, at);
}

/* __kmpc_omp_task(where, gtid, task). One with dependences (extra 1) runs at once: in order. */
static enum sn_result m_task(struct sn_call *c)
{
    struct sn_reg task = sn_arg(c, 2), args[2] = {{c->t->rank, 0}, task};
    struct sn_reg entry = {sn_peek(c->vm, task.v + 8, 8), task.u};
    if (sn_model_of(c)->extra) {
        sn_push_continuation(c->t, sn_step_done, SN_NONE);
        return sn_call_back(c->vm, c->t, entry.v, args, 2);
    }
    struct sn_task *made = sn_start_thread(c->vm, c->t, entry, args, 2);
    if (made == NULL)
        return c->vm->stop_reason ? SN_END : sn_return(c, 0);
    made->role = "OpenMP task";
    made->kont[0].step = task_returned;
    made->omp_parent = (int32_t)c->t->id;
    made->team = c->t->team;
    made->rank = c->t->rank;
    c->t->children++;
    if (made->team != NULL)
        made->team->tasks++;
    return sn_return(c, 0);
}

static enum sn_result m_taskwait(struct sn_call *c) { return wait_for_children(c); }

/* --- work sharing --- */

/* All explicit tasks are done at a barrier. */
static enum sn_result pass_barrier(struct sn_call *c)
{
    struct sn_team *team = c->t->team;
    if (team == NULL || team->size < 2)
        return sn_return(c, 0);
    if (c->t->phase == 0 && team->tasks > 0) {
        sn_task_block(c->vm, c->t, SN_WAIT_BARRIER, team->barrier, 0);
        return SN_BLOCK;
    }
    sn_vsync_acquire(c->vm, c->t, &team->task_clock);
    return sn_barrier_pass(c, team->barrier);
}

static enum sn_result m_barrier(struct sn_call *c) { return pass_barrier(c); }

static int64_t signed_value(struct sn_call *c, struct sn_reg at, unsigned bytes)
{
    struct sn_reg r = {0, 0};
    sn_load_slow(c->vm, c->t, at, bytes, 0, &r);
    return bytes == 4 ? (int32_t)r.v : (int64_t)r.v;
}

static void put_value(struct sn_call *c, struct sn_reg at, unsigned bytes, int64_t v)
{
    if (at.v != 0)
        sn_store_slow(c->vm, c->t, at, bytes, SN_ACC_WRITE, (struct sn_reg){bytes == 4 ? (uint32_t)v : (uint64_t)v, 0});
}

enum { STATIC_CHUNKED = 33 };

/* __kmpc_for_static_init_N(where, gtid, schedule, &last, &lower, &upper, &stride, step, chunk). */
static enum sn_result m_static_init(struct sn_call *c)
{
    unsigned bytes = (unsigned)sn_model_of(c)->extra;
    struct sn_team *team = c->t->team;
    int64_t n = team ? team->size : 1, rank = team ? c->t->rank : 0;
    int64_t lower = signed_value(c, sn_arg(c, 4), bytes), upper = signed_value(c, sn_arg(c, 5), bytes);
    int64_t step = bytes == 4 ? (int32_t)sn_arg(c, 7).v : (int64_t)sn_arg(c, 7).v;
    int64_t chunk = bytes == 4 ? (int32_t)sn_arg(c, 8).v : (int64_t)sn_arg(c, 8).v;
    if (step == 0)
        return SN_DONE;
    int64_t trips = (upper - lower) / step + 1;
    bool empty = step > 0 ? upper < lower : upper > lower;
    trips = empty ? 0 : trips;
    bool chunked = (sn_arg(c, 2).v & 0xff) == STATIC_CHUNKED && chunk > 0;
    int64_t size = chunked ? chunk : (trips + n - 1) / n;
    int64_t first = lower + rank * size * step, end = first + (size - 1) * step;
    bool beyond = step > 0 ? end > upper : end < upper;
    put_value(c, sn_arg(c, 6), bytes, chunked ? n * size * step : trips * step);
    put_value(c, sn_arg(c, 4), bytes, first);
    put_value(c, sn_arg(c, 5), bytes, beyond && !chunked ? upper : end);
    if (!chunked && rank * size >= trips) { /* nothing is left for this one */
        put_value(c, sn_arg(c, 4), bytes, upper + step);
        put_value(c, sn_arg(c, 5), bytes, upper);
    }
    put_value(c, sn_arg(c, 3), 4, rank == n - 1);
    return SN_DONE;
}

static struct loop *loop_of(struct sn_task *t, bool begin)
{
    static struct loop alone; /* outside of any team: one task, one loop at a time */
    if (t->team == NULL)
        return &alone;
    if (begin)
        t->loops++;
    return &t->team->loop[t->loops % LOOPS];
}

/* __kmpc_dispatch_init_N(where, gtid, schedule, lower, upper, step, chunk). */
static enum sn_result m_dispatch_init(struct sn_call *c)
{
    bool narrow = sn_model_of(c)->extra == 4;
    struct loop *l = loop_of(c->t, true);
    int64_t v[4];
    for (unsigned k = 0; k < 4; k++)
        v[k] = narrow ? (int32_t)sn_arg(c, 3 + k).v : (int64_t)sn_arg(c, 3 + k).v;
    if (l->begun && c->t->team != NULL)
        return SN_DONE; /* another member was first */
    *l = (struct loop){true, v[0], v[1], v[2] ? v[2] : 1, v[3] > 0 ? v[3] : 1};
    if (c->t->team != NULL)
        c->t->team->loop[(c->t->loops + LOOPS / 2) % LOOPS].begun = false; /* long over */
    return SN_DONE;
}

/* __kmpc_dispatch_next_N(where, gtid, &last, &lower, &upper, &step): the next chunk, or 0. */
static enum sn_result m_dispatch_next(struct sn_call *c)
{
    unsigned bytes = (unsigned)sn_model_of(c)->extra;
    struct loop *l = loop_of(c->t, false);
    bool over = l->step > 0 ? l->next > l->last : l->next < l->last;
    if (over)
        return sn_return(c, 0);
    int64_t end = l->next + (l->chunk - 1) * l->step;
    bool final = l->step > 0 ? end >= l->last : end <= l->last;
    put_value(c, sn_arg(c, 3), bytes, l->next);
    put_value(c, sn_arg(c, 4), bytes, final ? l->last : end);
    put_value(c, sn_arg(c, 5), bytes, l->step);
    put_value(c, sn_arg(c, 2), 4, final);
    l->next = end + l->step;
    return sn_return(c, 1);
}

static enum sn_result m_single(struct sn_call *c)
{
    struct sn_team *team = c->t->team;
    if (team == NULL)
        return sn_return(c, 1);
    bool first = c->t->singles++ == team->singles;
    team->singles += first;
    return sn_return(c, first);
}

static enum sn_result m_master(struct sn_call *c) { return sn_return(c, c->t->rank == 0); }

/* --- locks --- */

static struct sn_vsync *critical_of(struct sn_call *c)
{
    struct sn_reg name = sn_arg(c, (unsigned)sn_model_of(c)->extra);
    return name.u & SN_VAGUE ? NULL : sn_vsync_at(c->vm, name.v, SN_VSYNC_MUTEX);
}

static enum sn_result m_critical(struct sn_call *c)
{
    struct sn_vsync *s = critical_of(c);
    return s ? sn_lock_or_wait(c->vm, c->t, s, false) : SN_DONE;
}

static enum sn_result m_end_critical(struct sn_call *c)
{
    struct sn_vsync *s = critical_of(c);
    if (s != NULL && s->owner == (int32_t)c->t->id)
        sn_lock_give(c->vm, c->t, s);
    return SN_DONE;
}

static enum sn_result m_test_lock(struct sn_call *c)
{
    struct sn_vsync *s = critical_of(c);
    if (s == NULL || !sn_lock_free_for(s, c->t, false))
        return sn_return(c, 0);
    sn_lock_take(c->vm, c->t, s, false);
    return sn_return(c, 1);
}

static enum sn_result m_nest_lock(struct sn_call *c)
{
    struct sn_vsync *s = critical_of(c);
    if (s != NULL && s->owner == (int32_t)c->t->id) {
        s->depth++;
        return SN_DONE;
    }
    return s ? sn_lock_or_wait(c->vm, c->t, s, false) : SN_DONE;
}

static enum sn_result m_nest_unlock(struct sn_call *c)
{
    struct sn_vsync *s = critical_of(c);
    if (s != NULL && s->owner == (int32_t)c->t->id && --s->depth == 0)
        sn_lock_give(c->vm, c->t, s);
    return SN_DONE;
}

/* A reduction is done by each member under the team's lock (the runtime's method 1). */
static enum sn_result m_reduce(struct sn_call *c)
{
    struct sn_team *team = c->t->team;
    enum sn_result r = team ? sn_lock_or_wait(c->vm, c->t, team->reduction, false) : SN_DONE;
    c->ret = (struct sn_reg){1, 0};
    return r;
}

static enum sn_result m_end_reduce(struct sn_call *c)
{
    struct sn_team *team = c->t->team;
    if (team != NULL && team->reduction->owner == (int32_t)c->t->id)
        sn_lock_give(c->vm, c->t, team->reduction);
    return sn_model_of(c)->extra ? pass_barrier(c) : SN_DONE;
}

static enum sn_result m_flush(struct sn_call *c)
{
    sn_fence(c->vm, c->t, SN_SEQ_CST);
    return SN_DONE;
}

static enum sn_result m_nothing(struct sn_call *c) { return sn_return(c, 0); }
static enum sn_result m_wtime(struct sn_call *c) { return sn_return_input(c, 62); }

#define P (SN_MODEL_POINT | SN_MODEL_ANY)
static const struct sn_model models[] = {
    {"__kmpc_fork_call", m_fork, P, 0}, {"__kmpc_global_thread_num", m_thread_num, 0, 0},
    {"__kmpc_push_num_threads", m_push_num_threads, 0, 0}, {"omp_set_num_threads", m_push_num_threads, 0, 1},
    {"omp_get_thread_num", m_thread_num, 0, 0}, {"omp_get_num_threads", m_num_threads, 0, 0},
    {"omp_get_max_threads", m_max_threads, 0, 0}, {"omp_get_num_procs", m_max_threads, 0, 0},
    {"omp_in_parallel", m_in_parallel, 0, 0}, {"omp_get_wtime", m_wtime, 0, 0}, {"omp_set_dynamic", m_nothing, 0, 0},
    {"omp_set_nested", m_nothing, 0, 0}, {"omp_get_level", m_in_parallel, 0, 0},
    {"__kmpc_serialized_parallel", m_nothing, 0, 0}, {"__kmpc_end_serialized_parallel", m_nothing, 0, 0},
    {"__kmpc_barrier", m_barrier, P, 0}, {"__kmpc_for_static_init_4", m_static_init, 0, 4},
    {"__kmpc_for_static_init_4u", m_static_init, 0, 4}, {"__kmpc_for_static_init_8", m_static_init, 0, 8},
    {"__kmpc_for_static_init_8u", m_static_init, 0, 8}, {"__kmpc_for_static_fini", m_nothing, 0, 0},
    {"__kmpc_dispatch_init_4", m_dispatch_init, P, 4}, {"__kmpc_dispatch_init_4u", m_dispatch_init, P, 4},
    {"__kmpc_dispatch_init_8", m_dispatch_init, P, 8}, {"__kmpc_dispatch_init_8u", m_dispatch_init, P, 8},
    {"__kmpc_dispatch_next_4", m_dispatch_next, P, 4}, {"__kmpc_dispatch_next_4u", m_dispatch_next, P, 4},
    {"__kmpc_dispatch_next_8", m_dispatch_next, P, 8}, {"__kmpc_dispatch_next_8u", m_dispatch_next, P, 8},
    {"__kmpc_dispatch_fini_4", m_nothing, 0, 0}, {"__kmpc_dispatch_fini_8", m_nothing, 0, 0},
    {"__kmpc_dispatch_deinit", m_nothing, 0, 0},
    {"__kmpc_single", m_single, P, 0}, {"__kmpc_end_single", m_nothing, 0, 0}, {"__kmpc_master", m_master, 0, 0},
    {"__kmpc_end_master", m_nothing, 0, 0}, {"__kmpc_masked", m_master, 0, 0}, {"__kmpc_end_masked", m_nothing, 0, 0},
    {"__kmpc_critical", m_critical, P, 2}, {"__kmpc_critical_with_hint", m_critical, P, 2},
    {"__kmpc_end_critical", m_end_critical, P, 2}, {"__kmpc_reduce", m_reduce, P, 0},
    {"__kmpc_reduce_nowait", m_reduce, P, 0}, {"__kmpc_end_reduce", m_end_reduce, P, 1},
    {"__kmpc_end_reduce_nowait", m_end_reduce, P, 0}, {"__kmpc_flush", m_flush, P, 0},
    {"__kmpc_ordered", m_nothing, 0, 0}, {"__kmpc_end_ordered", m_nothing, 0, 0},
    {"__kmpc_omp_task_alloc", m_task_alloc, 0, 0}, {"__kmpc_omp_task", m_task, P, 0},
    {"__kmpc_omp_task_with_deps", m_task, P, 1}, {"__kmpc_omp_taskwait", m_taskwait, P, 0},
    {"__kmpc_taskgroup", m_nothing, 0, 0}, {"__kmpc_end_taskgroup", m_taskwait, P, 0},
    {"__kmpc_omp_taskyield", m_nothing, 0, 0}, {"__kmpc_omp_task_begin_if0", m_nothing, 0, 0},
    {"__kmpc_omp_task_complete_if0", m_nothing, 0, 0},
    {"omp_init_lock", m_nothing, 0, 0}, {"omp_destroy_lock", m_nothing, 0, 0}, {"omp_set_lock", m_critical, P, 0},
    {"omp_unset_lock", m_end_critical, P, 0}, {"omp_test_lock", m_test_lock, P, 0},
    {"omp_init_nest_lock", m_nothing, 0, 0}, {"omp_destroy_nest_lock", m_nothing, 0, 0},
    {"omp_set_nest_lock", m_nest_lock, P, 0}, {"omp_unset_nest_lock", m_nest_unlock, P, 0},
};
const struct sn_model_table sn_models_omp = {models, sizeof models / sizeof *models};
