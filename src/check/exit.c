/*
 * exit.c: how threads and the program end: thread-specific destructors, exit handlers, destructor
 * functions (the finalizers of C), setjmp/longjmp and cancellation.
 *
 * Each ending is a continuation that calls one handler after the other.
 */
#include <string.h>

#include "check/issue.h"
#include "check/lib.h"
#include "check/strategy.h"
#include "check/sync.h"

#define DESTRUCTOR_ROUNDS 4 /* PTHREAD_DESTRUCTOR_ITERATIONS */

/* The next thread-specific value that has a destructor, or -1. */
static int next_value(const struct sn_vm *vm, const struct sn_task *t)
{
    for (size_t k = 0; k < t->ntsd; k++)
        if (t->tsd[k].value != 0 && !(t->tsd[k].taint & SN_VAGUE) && vm->lib->key[k].used &&
            vm->lib->key[k].destructor != 0)
            return (int)k;
    return -1;
}

static void end_task(struct sn_vm *vm, struct sn_task *t)
{
    for (struct sn_vsync *s = vm->sync_list; s != NULL; s = s->list_next) {
        if (s->kind != SN_VSYNC_MUTEX || s->owner != (int32_t)t->id)
            continue;
        if (!s->robust) {
            sn_issue_misuse(vm, t, "thread ends while it holds a lock", NULL, s->addr, &s->taken, "locked here");
            continue;
        }
        s->owner = -1; /* the next one is told that the owner died */
        s->value = 1;
        sn_vclock_join(&vm->arena, &s->clock, &t->clock);
        sn_wake_all(vm, s);
    }
    sn_task_exit(vm, t);
}

/* One destructor per step; values set by destructors get theirs in a further round. */
static enum sn_result thread_exit_step(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k,
                                       struct sn_reg result)
{
    (void)result;
    int key = k->n[0] < DESTRUCTOR_ROUNDS * SN_KEYS_MAX ? next_value(vm, t) : -1;
    if (key < 0) {
        end_task(vm, t);
        return SN_EXIT;
    }
    struct sn_reg value = {t->tsd[key].value, t->tsd[key].taint};
    t->tsd[key].value = 0;
    k->n[0]++;
    return sn_call_back(vm, t, vm->lib->key[key].destructor, &value, 1);
}

enum sn_result sn_begin_thread_exit(struct sn_vm *vm, struct sn_task *t)
{
    while (t->nact > 0)
        sn_task_pop(vm, t);
    t->nkont = 0;
    sn_push_continuation(t, thread_exit_step, SN_NONE);
    return sn_callback_return(vm, t, (struct sn_reg){0, 0});
}

enum sn_result sn_step_done(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k, struct sn_reg result)
{
    (void)vm, (void)t, (void)k, (void)result;
    return SN_DONE;
}

enum sn_result sn_thread_returned(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k,
                                  struct sn_reg result)
{
    (void)k;
    t->result = result;
    return sn_begin_thread_exit(vm, t);
}

/* Exit handlers, last registered first; then the program's destructor functions. */
static enum sn_result exit_step(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k,
                                struct sn_reg result)
{
    (void)result;
    struct sn_libstate *lib = vm->lib;
    bool quick = k->n[0] != 0;
    while (lib->nhandler > 0) {
        struct sn_handler h = lib->handler[--lib->nhandler];
        if (h.quick == quick)
            return sn_call_back(vm, t, h.func, &h.arg, 1);
    }
    if (!quick && k->n[1] < vm->code->ndtor)
        return sn_call_back(vm, t, sn_func_addr(vm->code->dtor[k->n[1]++]), NULL, 0);
    return SN_END;
}

enum sn_result sn_begin_exit(struct sn_vm *vm, struct sn_task *t, bool quick)
{
    if (vm->lib->exiting)
        return SN_END;
    vm->lib->exiting = true;
    sn_push_continuation(t, exit_step, SN_NONE)->n[0] = quick;
    return sn_callback_return(vm, t, (struct sn_reg){0, 0});
}

enum sn_result sn_main_returned(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k,
                                struct sn_reg result)
{
    (void)k;
    t->pending = (struct sn_visible){{SN_OBJECT_ANY, 0}, true}; /* it ends all other threads */
    if (t->nact == 0 && sn_at_point(vm, t))
        return SN_POINT;
    t->result = result;
    return sn_begin_exit(vm, t, false);
}

/* --- models --- */

static enum sn_result m_exit(struct sn_call *c)
{
    return sn_begin_exit(c->vm, c->t, sn_model_of(c)->extra != 0);
}

static enum sn_result m_die(struct sn_call *c)
{
    c->vm->stop_reason = "ended by the program";
    return SN_END;
}

static void add_handler(struct sn_call *c, struct sn_reg func, struct sn_reg arg, bool quick)
{
    struct sn_libstate *lib = c->vm->lib;
    if (func.u == 0 && lib->nhandler < SN_HANDLERS_MAX)
        lib->handler[lib->nhandler++] = (struct sn_handler){func.v, arg, true, quick};
}

static enum sn_result m_atexit(struct sn_call *c)
{
    add_handler(c, sn_arg(c, 0), (struct sn_reg){0, 0}, sn_model_of(c)->extra != 0);
    return sn_return(c, 0);
}

static enum sn_result m_cxa_atexit(struct sn_call *c)
{
    add_handler(c, sn_arg(c, 0), sn_arg(c, 1), false);
    return sn_return(c, 0);
}

static enum sn_result m_setjmp(struct sn_call *c)
{
    struct sn_libstate *lib = c->vm->lib;
    struct sn_task *t = c->t;
    struct sn_reg buffer = sn_arg(c, 0);
    size_t k = 0;
    while (k < lib->njump && lib->jump[k].buffer != buffer.v)
        k++;
    if (buffer.u == 0 && k < SN_JUMPS_MAX) {
        lib->jump[k] = (struct sn_jump){buffer.v, t->id, (uint32_t)t->nact, t->pc, c->dst, (uint32_t)t->nkont};
        lib->njump += k == lib->njump;
    }
    return sn_return(c, 0);
}

enum sn_result sn_jump_back(struct sn_vm *vm, struct sn_task *t, uint64_t buffer, uint64_t value)
{
    struct sn_libstate *lib = vm->lib;
    for (size_t k = 0; k < lib->njump; k++) {
        struct sn_jump j = lib->jump[k];
        if (j.buffer != buffer || j.task != t->id || j.depth > t->nact || j.kont > t->nkont)
            continue;
        while (t->nact > j.depth)
            sn_task_pop(vm, t);
        t->nkont = j.kont;
        t->phase = 0;
        t->pc = j.pc + 1;
        if (j.dst != SN_NONE)
            t->reg[t->act[t->nact - 1].base + j.dst] = (struct sn_reg){value, 0};
        return SN_CALLED; /* go on at t->pc */
    }
    vm->stop_reason = "longjmp to an unknown place";
    return SN_END;
}

static enum sn_result m_longjmp(struct sn_call *c)
{
    struct sn_reg buffer = sn_arg(c, 0), value = sn_arg(c, 1);
    if (buffer.u != 0) {
        c->vm->stop_reason = "longjmp to an unknown place";
        return SN_END;
    }
    return sn_jump_back(c->vm, c->t, buffer.v, value.v ? value.v : 1);
}

static enum sn_result m_register_cancel(struct sn_call *c)
{
    struct sn_libstate *lib = c->vm->lib;
    if (lib->ncleanup < SN_HANDLERS_MAX)
        lib->cleanup[lib->ncleanup++] = (struct sn_cleanup){c->t->id, sn_arg(c, 0).v};
    return SN_DONE;
}

/* Takes the task's newest cleanup handler off; false when it has none. */
static bool pop_cleanup(struct sn_vm *vm, const struct sn_task *t, uint64_t *buffer)
{
    struct sn_libstate *lib = vm->lib;
    for (size_t k = lib->ncleanup; k-- > 0;) {
        if (lib->cleanup[k].task != t->id)
            continue;
        *buffer = lib->cleanup[k].buffer;
        memmove(&lib->cleanup[k], &lib->cleanup[k + 1], (lib->ncleanup - k - 1) * sizeof lib->cleanup[0]);
        lib->ncleanup--;
        return true;
    }
    return false;
}

static enum sn_result m_unregister_cancel(struct sn_call *c)
{
    uint64_t buffer;
    pop_cleanup(c->vm, c->t, &buffer);
    return SN_DONE;
}

/* Runs the next cleanup handler, or ends the task. */
static enum sn_result unwind(struct sn_vm *vm, struct sn_task *t)
{
    uint64_t buffer;
    if (pop_cleanup(vm, t, &buffer))
        return sn_jump_back(vm, t, buffer, 1);
    return sn_begin_thread_exit(vm, t);
}

static enum sn_result m_unwind_next(struct sn_call *c) { return unwind(c->vm, c->t); }

static enum sn_result m_thread_exit(struct sn_call *c)
{
    c->t->result = sn_arg(c, 0);
    return unwind(c->vm, c->t);
}

bool sn_cancel_now(struct sn_vm *vm, struct sn_task *t, enum sn_result *r)
{
    if (!t->cancel_pending || t->cancel_off)
        return false;
    t->cancel_pending = false;
    t->phase = 0;
    t->result = (struct sn_reg){~0ull, 0}; /* PTHREAD_CANCELED */
    *r = unwind(vm, t);
    return true;
}

static const struct sn_model models[] = {
    {"exit", m_exit, SN_MODEL_POINT | SN_MODEL_ANY, 0},
    {"quick_exit", m_exit, SN_MODEL_POINT | SN_MODEL_ANY, 1},
    {"_exit", m_die, SN_MODEL_POINT | SN_MODEL_ANY, 0},
    {"_Exit", m_die, SN_MODEL_POINT | SN_MODEL_ANY, 0},
    {"abort", m_die, SN_MODEL_POINT | SN_MODEL_ANY, 0},
    {"__assert_fail", m_die, SN_MODEL_POINT | SN_MODEL_ANY, 0},
    {"__assert_perror_fail", m_die, SN_MODEL_POINT | SN_MODEL_ANY, 0},
    {"__assert", m_die, SN_MODEL_POINT | SN_MODEL_ANY, 0},
    {"__stack_chk_fail", m_die, SN_MODEL_POINT | SN_MODEL_ANY, 0},
    {"__fortify_fail", m_die, SN_MODEL_POINT | SN_MODEL_ANY, 0},
    {"__chk_fail", m_die, SN_MODEL_POINT | SN_MODEL_ANY, 0},
    {"err", m_die, SN_MODEL_POINT | SN_MODEL_ANY, 0},
    {"errx", m_die, SN_MODEL_POINT | SN_MODEL_ANY, 0},
    {"verr", m_die, SN_MODEL_POINT | SN_MODEL_ANY, 0},
    {"verrx", m_die, SN_MODEL_POINT | SN_MODEL_ANY, 0},
    {"atexit", m_atexit, 0, 0},
    {"at_quick_exit", m_atexit, 0, 1},
    {"on_exit", m_cxa_atexit, 0, 0},
    {"__cxa_atexit", m_cxa_atexit, 0, 0},
    {"__cxa_thread_atexit", m_cxa_atexit, 0, 0},
    {"setjmp", m_setjmp, 0, 0},
    {"_setjmp", m_setjmp, 0, 0},
    {"sigsetjmp", m_setjmp, 0, 0},
    {"__sigsetjmp", m_setjmp, 0, 0},
    {"longjmp", m_longjmp, 0, 0},
    {"_longjmp", m_longjmp, 0, 0},
    {"siglongjmp", m_longjmp, 0, 0},
    {"__pthread_register_cancel", m_register_cancel, 0, 0},
    {"__pthread_unregister_cancel", m_unregister_cancel, 0, 0},
    {"__pthread_unwind_next", m_unwind_next, 0, 0},
    {"pthread_exit", m_thread_exit, SN_MODEL_POINT | SN_MODEL_LOCAL, 0},
    {"thrd_exit", m_thread_exit, SN_MODEL_POINT | SN_MODEL_LOCAL, 0},
};
const struct sn_model_table sn_models_exit = {models, sizeof models / sizeof *models};
