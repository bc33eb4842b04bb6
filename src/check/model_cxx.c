/*
 * model_cxx.c: what C++ code calls in its runtime library (Itanium ABI, libstdc++): threads, condition
 * variables, guards of static variables, the trees of std::map and std::set. Exceptions are not
 * followed: a throw ends the run.
 */
#include "check/issue.h"
#include "check/lib.h"
#include "check/sync.h"

static struct sn_reg word_at(struct sn_call *c, struct sn_reg at, uint64_t offset)
{
    struct sn_reg v = {0, SN_UNKNOWN};
    at.v += offset;
    sn_load_slow(c->vm, c->t, at, 8, 0, &v);
    return v;
}

static void put_word(struct sn_call *c, struct sn_reg at, uint64_t offset, struct sn_reg v)
{
    at.v += offset;
    sn_store_slow(c->vm, c->t, at, 8, SN_ACC_WRITE, v);
}

/* --- std::thread: the state object's third virtual function is what runs --- */

#define RUN_SLOT 16 /* behind the two destructors */

static enum sn_result m_start_thread(struct sn_call *c) /* (this, unique_ptr<State> *, depend) */
{
    struct sn_reg self = sn_arg(c, 0), owner = sn_arg(c, 1);
    struct sn_reg state = word_at(c, owner, 0), run = word_at(c, word_at(c, state, 0), RUN_SLOT);
    struct sn_reg handle = {c->vm->ntask + 1, 0};
    sn_poke(c->vm, owner.v, 8, 0);
    sn_poke(c->vm, self.v, 8, handle.v);
    struct sn_task *made = sn_start_thread(c->vm, c->t, run, &state, 1);
    if (made == NULL && c->vm->stop_reason != NULL)
        return SN_END;
    return sn_after_start(c);
}

static enum sn_result m_thread_join(struct sn_call *c)
{
    struct sn_reg self = sn_arg(c, 0);
    uint64_t handle = self.u & SN_VAGUE ? 0 : sn_peek(c->vm, self.v, 8);
    struct sn_task *target = sn_task_of_handle(c->vm, handle);
    if (target == NULL) {
        sn_vague(c->vm, c->t);
        return SN_DONE;
    }
    if (sn_model_of(c)->extra) {
        target->detached = true;
        sn_poke(c->vm, self.v, 8, 0);
        return SN_DONE;
    }
    if (target->state != SN_EXITED) {
        sn_task_block(c->vm, c->t, SN_WAIT_JOIN, NULL, target->id);
        sn_deadlock_check(c->vm, c->t);
        return SN_BLOCK;
    }
    sn_vsync_acquire(c->vm, c->t, &target->clock);
    target->joined = true;
    sn_poke(c->vm, self.v, 8, 0);
    return SN_DONE;
}

static enum sn_result m_small(struct sn_call *c)
{
    c->ret = (struct sn_reg){1 + sn_random_below(&c->vm->random_input, 4), SN_INPUT};
    return SN_DONE;
}

/* --- static variables of functions: one thread constructs, the others wait --- */

enum { GUARD_NEW, GUARD_RUNNING, GUARD_DONE };

static enum sn_result m_guard_acquire(struct sn_call *c)
{
    struct sn_reg guard = sn_arg(c, 0);
    if (guard.u & SN_VAGUE || !sn_usable(c->vm, c->t, guard, 8, false))
        return sn_return_input(c, 1);
    struct sn_vsync *s = sn_vsync_at(c->vm, guard.v, SN_VSYNC_ONCE);
    if (s->value == GUARD_DONE) {
        sn_vsync_acquire(c->vm, c->t, &s->clock);
        return sn_return(c, 0);
    }
    if (s->value == GUARD_RUNNING) {
        sn_task_block(c->vm, c->t, SN_WAIT_ONCE, s, 0);
        sn_deadlock_check(c->vm, c->t);
        return SN_BLOCK;
    }
    s->value = GUARD_RUNNING;
    s->owner = (int32_t)c->t->id;
    return sn_return(c, 1);
}

static enum sn_result m_guard_release(struct sn_call *c)
{
    struct sn_reg guard = sn_arg(c, 0);
    if (guard.u & SN_VAGUE)
        return SN_DONE;
    struct sn_vsync *s = sn_vsync_at(c->vm, guard.v, SN_VSYNC_ONCE);
    s->value = sn_model_of(c)->extra ? GUARD_NEW : GUARD_DONE;
    s->owner = -1;
    if (s->value == GUARD_DONE) {
        sn_poke(c->vm, guard.v, 1, 1);
        sn_vsync_at(c->vm, guard.v, SN_VSYNC_ATOMIC); /* the quick path reads it atomically */
        sn_vsync_release(c->vm, c->t, &sn_vsync_at(c->vm, guard.v, SN_VSYNC_ATOMIC)->clock);
        sn_vclock_join(&c->vm->arena, &s->clock, &c->t->clock);
    }
    sn_wake_all(c->vm, s);
    return SN_DONE;
}

/* std::call_once leaves what to call in a thread-local variable and hands this to pthread_once. */
static enum sn_result m_once_proxy(struct sn_call *c)
{
    const struct sn_bytecode *code = c->vm->code;
    for (size_t i = 0; i < code->nglobal; i++) {
        const struct sn_global *g = &code->global[i];
        if (!g->thread_local_var || __builtin_strcmp(sn_bytecode_string(code, g->name), "_ZSt11__once_call") != 0)
            continue;
        uint64_t func = sn_peek(c->vm, sn_task_tls(c->vm, c->t) + g->addr, 8);
        sn_push_continuation(c->t, sn_step_done, SN_NONE);
        return sn_call_back(c->vm, c->t, func, NULL, 0);
    }
    return SN_DONE;
}

/* --- red-black trees, without the colours: the order of the nodes is what matters --- */

enum { PARENT = 8, LEFT = 16, RIGHT = 24 };

static enum sn_result m_tree_insert(struct sn_call *c) /* (left, node, parent, header) */
{
    bool left = sn_arg(c, 0).v & 1;
    struct sn_reg x = sn_arg(c, 1), p = sn_arg(c, 2), header = sn_arg(c, 3), none = {0, 0};
    put_word(c, x, PARENT, p);
    put_word(c, x, LEFT, none);
    put_word(c, x, RIGHT, none);
    put_word(c, p, left ? LEFT : RIGHT, x);
    if (p.v == header.v) {
        put_word(c, header, PARENT, x);
        put_word(c, header, LEFT, x);
        put_word(c, header, RIGHT, x);
    } else if (word_at(c, header, left ? LEFT : RIGHT).v == p.v) {
        put_word(c, header, left ? LEFT : RIGHT, x);
    }
    return SN_DONE;
}

#define TREE_STEPS 10000u

/* The next node to one side: down that side's first child, or up to the first ancestor from there. */
static enum sn_result m_tree_step(struct sn_call *c)
{
    uint64_t to = sn_model_of(c)->extra ? LEFT : RIGHT, from = sn_model_of(c)->extra ? RIGHT : LEFT;
    struct sn_reg x = sn_arg(c, 0), y = word_at(c, x, to);
    unsigned steps = 0;
    if (y.v != 0) {
        for (struct sn_reg next = word_at(c, y, from); next.v != 0 && steps++ < TREE_STEPS; next = word_at(c, y, from))
            y = next;
        c->ret = y;
        return SN_DONE;
    }
    y = word_at(c, x, PARENT);
    while (x.v == word_at(c, y, to).v && steps++ < TREE_STEPS) {
        x = y;
        y = word_at(c, y, PARENT);
    }
    c->ret = word_at(c, x, to).v != y.v ? y : x;
    return SN_DONE;
}

static enum sn_result m_die(struct sn_call *c)
{
    c->vm->stop_reason = "an exception, or the end of the program";
    c->vm->bounded = true;
    return SN_END;
}

static enum sn_result m_nothing(struct sn_call *c)
{
    c->ret = sn_arg(c, 0);
    return SN_DONE;
}

static enum sn_result m_allocate(struct sn_call *c) { return sn_allocate(c, sn_arg(c, 0), 16, false); }

#define P SN_MODEL_POINT
static const struct sn_model models[] = {
    {"_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE", m_start_thread,
     P | SN_MODEL_LOCAL, 0},
    {"_ZNSt6thread4joinEv", m_thread_join, P | SN_MODEL_LOCAL, 0},
    {"_ZNSt6thread6detachEv", m_thread_join, 0, 1},
    {"_ZNSt6thread20hardware_concurrencyEv", m_small, 0, 0},
    {"_ZNSt6thread6_StateD2Ev", m_nothing, 0, 0},
    {"__cxa_guard_acquire", m_guard_acquire, P, 0},
    {"__cxa_guard_release", m_guard_release, P, 0},
    {"__cxa_guard_abort", m_guard_release, P, 1},
    {"__once_proxy", m_once_proxy, 0, 0},
    {"_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_", m_tree_insert, 0, 0},
    {"_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", m_tree_step, 0, 0},
    {"_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base", m_tree_step, 0, 0},
    {"_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base", m_tree_step, 0, 1},
    {"_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base", m_tree_step, 0, 1},
    {"_ZSt9terminatev", m_die, 0, 0},
    {"__cxa_throw", m_die, 0, 0},
    {"__cxa_rethrow", m_die, 0, 0},
    {"__cxa_pure_virtual", m_die, 0, 0},
    {"_Unwind_Resume", m_die, 0, 0},
    {"__cxa_allocate_exception", m_allocate, 0, 0},
    {"__cxa_free_exception", m_nothing, 0, 0},
    {"__cxa_begin_catch", m_nothing, 0, 0},
    {"__cxa_end_catch", m_nothing, 0, 0},
    {"_ZSt20__throw_system_errori", m_die, 0, 0},
    {"_ZSt17__throw_bad_allocv", m_die, 0, 0},
    {"_ZSt19__throw_logic_errorPKc", m_die, 0, 0},
    {"_ZSt20__throw_length_errorPKc", m_die, 0, 0},
    {"_ZSt20__throw_out_of_rangePKc", m_die, 0, 0},
    {"_ZSt24__throw_out_of_range_fmtPKcz", m_die, 0, 0},
    {"_ZSt28__throw_bad_array_new_lengthv", m_die, 0, 0},
    {"_ZSt25__throw_bad_function_callv", m_die, 0, 0},
    {"_ZNSt8ios_base4InitC1Ev", m_nothing, 0, 0},
    {"_ZNSt8ios_base4InitD1Ev", m_nothing, 0, 0},
};
const struct sn_model_table sn_models_cxx = {models, sizeof models / sizeof *models};
