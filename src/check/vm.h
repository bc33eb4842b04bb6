/*
 * vm.h: the simulated machine: tasks (threads of the program under check) with their frames and
 * clocks, the memory, the synchronisation objects, and what one run has found out. After the paper's
 * sections 3.2 to 3.5; where snag differs:
 *
 * An uninterpreted value still has a definite value, invented by chance, and a mark that says so.
 * Branches on it are thereby taken at random, as in the paper, but two branches on one value agree,
 * and two loops up to one unknown bound make equally many rounds.
 */
#ifndef SN_CHECK_VM_H
#define SN_CHECK_VM_H

#include "check/clock.h"
#include "check/bytecode.h"
#include "check/context.h"
#include "check/memory.h"
#include "check/trail.h"

struct sn_vm;
struct sn_task;
struct sn_vsync;
struct sn_issues;
struct sn_rules;

/* How a model, a callback step or a stretch of interpretation ended. */
enum sn_result {
    SN_DONE,    /* go on behind the instruction */
    SN_BLOCK,   /* the task waits; the instruction is tried again when it is woken */
    SN_CALLED,  /* a callback was entered; its continuation decides */
    SN_EXIT,    /* the task has ended */
    SN_END,     /* the whole run has ended */
    SN_YIELD,   /* done, and somebody else's turn */
    SN_PREEMPT, /* the time slice is over */
    SN_POINT,   /* a scheduling point: the instruction has not been carried out */
    SN_IMMEDIATE, /* the callback was a model and has its result already, in t->immediate */
};

enum sn_task_state { SN_READY, SN_BLOCKED, SN_EXITED };

enum sn_wait {
    SN_WAIT_NONE,
    SN_WAIT_LOCK,    /* on: sync; somebody holds it */
    SN_WAIT_JOIN,    /* on: task */
    SN_WAIT_COND,
    SN_WAIT_SEM,
    SN_WAIT_BARRIER,
    SN_WAIT_ONCE,
    SN_WAIT_EVENT,   /* something outside the program may end it: never a deadlock */
};

/* A function being executed. */
struct sn_activation {
    uint32_t func;
    uint32_t base;       /* its first register */
    uint32_t pc;         /* saved while it calls: the call */
    uint32_t ctx;
    uint32_t dst;        /* where the caller wants the result */
    uint16_t nres;
    bool callback;       /* called by a model: its end goes to the continuation */
    uint32_t mem;        /* its memory, 0 none */
    uint32_t va;         /* variable arguments */
    uint32_t segment, sp; /* stack memory to fall back to */
};

/* What a model does when its callback returns: gets the result, may call again. */
struct sn_continuation;
typedef enum sn_result sn_step_fn(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k,
                                  struct sn_reg result);
struct sn_continuation {
    sn_step_fn *step;
    uint64_t n[8]; /* the step's own state */
    struct sn_reg result;
    uint32_t dst;  /* register that gets the result at the end, SN_NONE none */
    uint32_t depth;
};

/* What a visible operation touches: two operations commute unless they touch one object and one of
 * them writes. Addresses of sync objects and atomics; 0 none; SN_OBJECT_ANY everything. */
#define SN_OBJECT_ANY 1ull
struct sn_visible {
    uint64_t object[2];
    bool write;
};

struct sn_segment {
    uint32_t addr, bytes;
};

struct sn_tsd {
    uint64_t value;
    uint64_t taint;
};

struct sn_task {
    uint32_t id;
    enum sn_task_state state;
    uint32_t ready_at;           /* its place in vm->ready */
    uint32_t pc;                 /* next instruction */
    struct sn_activation *act;
    size_t nact, cap_act;
    struct sn_reg *reg;
    size_t cap_reg;
    struct sn_continuation *kont;
    size_t nkont, cap_kont;
    uint32_t epoch;
    struct sn_vclock clock, release_fence, acquire_pending;
    uint32_t ctx;
    uint16_t locks;              /* lock set */
    uint32_t tls;                /* address of its thread-local block, 0 not yet made */
    uint32_t va_next;
    uint64_t va_next_taint;
    struct sn_segment *segment;
    size_t nsegment, cap_segment;
    uint32_t seg_now, sp;
    enum sn_wait wait;
    struct sn_vsync *wait_sync;
    uint32_t wait_task;
    bool timed;                  /* the wait may time out */
    bool timed_out, signaled;    /* how the wait ended */
    uint32_t phase;              /* of a blocking call that has several */
    uint64_t scratch;
    uint32_t cond_mutex;         /* with which it waits on a condition */
    bool at_point, passed_point; /* stands before a visible operation; has been let through */
    struct sn_visible pending;   /* that operation */
    uint32_t errno_addr;
    bool joined, detached, joinable;
    bool signal_handler, daemon; /* a daemon does not keep the program alive */
    uint64_t blocked_signals;
    uint32_t pending_signal;     /* to be delivered when the task runs next; 0 none */
    bool pending_async;          /* … and it came from outside */
    uint32_t async_handler;      /* depth of handlers of signals from outside */
    bool cancel_pending, cancel_off;
    struct sn_reg result, immediate;
    struct sn_place_of made;     /* where it was created, and by whom */
    struct sn_tsd *tsd;
    size_t ntsd;
    const char *role;            /* "timer", "signal handler", …; null: a thread */
    uint64_t priority;           /* of PCT */
    uint32_t atomic_depth;       /* __VERIFIER_atomic_begin() */
    uint32_t sync_streak;        /* operations in a row without another task's turn */
    struct sn_team *team;        /* OpenMP: its team, its number in it, … */
    uint32_t rank, singles, loops;
    uint32_t children;           /* … explicit tasks that it has made and that still run */
    int32_t omp_parent;          /* of an explicit task */
    struct sn_vclock children_clock;
};

/* Bounds: the paper's section 4. */
struct sn_bounds {
    uint64_t steps, steps_per_run, heap_bytes;
};

struct sn_counts {
    uint64_t steps, instructions, runs, races_seen, unknown_calls, unknown_branches, switches;
};

struct sn_lockset_node {
    uint16_t parent;
    bool shared;
    uint32_t addr;
    struct sn_place_of taken;
};

#define SN_DICTIONARY 512

struct sn_vm {
    const struct sn_bytecode *code;
    struct sn_simmem mem;
    struct sn_run_arena arena;
    struct sn_contexts contexts;
    struct sn_bounds bounds;
    struct sn_counts counts;
    uint8_t *reached;            /* by function: some run has entered it */
    struct sn_task **task;
    size_t ntask, cap_task;      /* tasks of this run; later entries are kept for reuse */
    size_t ntask_made;
    uint32_t *ready;             /* tasks that are ready, in no order */
    size_t nready, cap_ready;
    uint32_t live;               /* tasks that have not ended, without daemons */
    bool concurrent;             /* more than one task has existed: accesses are recorded */
    bool exact;                  /* nothing uninterpreted has decided anything in this run */
    bool guessed;                /* … and it was more than an input: something that nobody knows */
    uint32_t vague_pc;           /* where that ended; SN_NONE at an entry with unknown arguments */
    bool vague_entry;            /* the run began with unknown arguments: what they point to is invented */
    bool used_input;             /* an invented input has decided something */
    bool was_concurrent;
    bool first_run;              /* of its entry: with the plainest inputs */
    int64_t fuel;                /* until the time slice ends */
    uint64_t steps;              /* of this run */
    uint64_t charged;            /* of these: not instructions, but work that costs as much */
    uint64_t random, random_input;
    uint64_t dictionary[SN_DICTIONARY]; /* constants that the program compares with */
    size_t ndictionary;
    uint64_t now_ns;             /* virtual time */
    /* sync.c */
    struct sn_vsync **sync;       /* hash by address */
    size_t nsync, cap_sync;
    struct sn_vsync *sync_list;
    struct sn_lockset_node *lockset;
    size_t nlockset, cap_lockset;
    /* history.c */
    struct sn_overflow_table *overflow;
    /* models */
    const struct sn_model **model; /* by sn_func.model */
    struct sn_rules *rules;      /* contracts of libraries; null: none apply */
    struct sn_libstate *lib;     /* what the library models remember in a run */
    struct sn_strategy *strategy;
    struct sn_issues *issues;
    struct sn_trail trail;
    const char *stop_reason;     /* why the run ended early */
    bool bounded;                /* … because a bound was reached: there was more to see */
    bool cancelled;
};

int sn_vm_init(struct sn_vm *vm, const struct sn_bytecode *code, const struct sn_bounds *b);
void sn_vm_free(struct sn_vm *vm);
void sn_vm_reset(struct sn_vm *vm, uint64_t seed);

/* Seeded chance: one stream for the schedule, one for inputs. */
uint64_t sn_random(uint64_t *state);
static inline uint64_t sn_random_below(uint64_t *state, uint64_t n) { return n ? sn_random(state) % n : 0; }
/* A value for an unknown or an input of that many bits; small and telling ones are likely. */
uint64_t sn_invent(struct sn_vm *vm, unsigned bits);

/* One of n possibilities that the program cannot influence (which waiter is woken): by chance, or as
 * the strategy wants it. */
uint64_t sn_choose(struct sn_vm *vm, uint64_t n);

/* task.c. Arguments are copied to the function's first registers. Null when there are too many. */
struct sn_task *sn_task_new(struct sn_vm *vm, struct sn_task *parent, uint32_t func,
                            const struct sn_reg *args, unsigned nargs);
/* A task of the library rather than of the program: whenever it is picked and no function of the
 * program is active in it, its continuation's step decides what happens next. It does not keep the
 * program alive. */
struct sn_task *sn_task_native(struct sn_vm *vm, struct sn_task *parent, sn_step_fn *step, const char *role);
void sn_task_exit(struct sn_vm *vm, struct sn_task *t);
void sn_task_block(struct sn_vm *vm, struct sn_task *t, enum sn_wait wait, struct sn_vsync *sync, uint32_t task);
void sn_task_wake(struct sn_vm *vm, struct sn_task *t);
void sn_task_tick(struct sn_vm *vm, struct sn_task *t); /* a new epoch begins */
/* Enters a function. false: too deep, the run must end. */
bool sn_task_push(struct sn_vm *vm, struct sn_task *t, uint32_t func, uint32_t base, uint32_t call_pc);
void sn_task_pop(struct sn_vm *vm, struct sn_task *t);
/* Stack memory. */
uint32_t sn_stack_take(struct sn_vm *vm, struct sn_task *t, uint64_t bytes, uint32_t align);
void sn_stack_drop(struct sn_vm *vm, struct sn_task *t, uint32_t segment, uint32_t sp);
uint32_t sn_task_tls(struct sn_vm *vm, struct sn_task *t);
struct sn_place_of sn_task_place(const struct sn_task *t);

/* model_signal.c: calls the handler of t->pending_signal before t's next instruction. */
enum sn_result sn_signal_deliver(struct sn_vm *vm, struct sn_task *t);

/* interp.c: runs the task until it cannot or should not go on. */
enum sn_result sn_interpret(struct sn_vm *vm, struct sn_task *t);

/* callback.c: a model pushes a continuation, then calls a function; the step gets its result. A
 * step that returns SN_DONE is finished, with the model's result in k->result. */
enum sn_result sn_call_back(struct sn_vm *vm, struct sn_task *t, uint64_t func_addr,
                            const struct sn_reg *args, unsigned nargs);
enum sn_result sn_callback_return(struct sn_vm *vm, struct sn_task *t, struct sn_reg result);
struct sn_continuation *sn_push_continuation(struct sn_task *t, sn_step_fn *step, uint32_t dst);

/* access.c: the careful versions of memory access, used when the quick ones see anything unusual. */
enum sn_result sn_load_slow(struct sn_vm *vm, struct sn_task *t, struct sn_reg addr, unsigned bytes,
                            uint8_t flags, struct sn_reg *out);
enum sn_result sn_store_slow(struct sn_vm *vm, struct sn_task *t, struct sn_reg addr, unsigned bytes,
                             uint8_t flags, struct sn_reg value);
enum sn_result sn_atomic_insn(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i, struct sn_reg *r);
enum sn_result sn_access_insn(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i, struct sn_reg *r);
enum sn_result sn_memory_insn(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i, struct sn_reg *r);
void sn_fence(struct sn_vm *vm, struct sn_task *t, unsigned order);
/* Whether that many bytes can be touched exactly; tells an issue if not. For models. */
bool sn_usable(struct sn_vm *vm, struct sn_task *t, struct sn_reg addr, uint64_t bytes, bool write);
/* The same with the access recorded in the history. */
bool sn_touch(struct sn_vm *vm, struct sn_task *t, struct sn_reg addr, uint64_t bytes, bool write);

/* Copies or sets a range with its tags; both ends are recorded. */
void sn_copy_range(struct sn_vm *vm, struct sn_task *t, struct sn_reg to, struct sn_reg from, uint64_t bytes);
void sn_fill_range(struct sn_vm *vm, struct sn_task *t, struct sn_reg to, struct sn_reg byte, uint64_t bytes);

/* The run ends here because a bound is reached. */
static inline enum sn_result sn_bound_reached(struct sn_vm *vm, const char *which)
{
    vm->stop_reason = which;
    vm->bounded = true;
    return SN_END;
}

/* Work that is no instruction but costs as much as n. */
static inline void sn_charge(struct sn_vm *vm, uint64_t n)
{
    vm->steps += n;
    vm->charged += n;
}

/* A branch, address or call was decided by a value with this taint. */
static inline void sn_decided_at(struct sn_vm *vm, uint64_t taint, uint32_t pc)
{
    if (taint & (SN_VAGUE | SN_INPUT)) {
        if (vm->exact)
            vm->vague_pc = pc;
        vm->exact = false;
        vm->guessed |= (taint & SN_VAGUE) != 0;
        vm->counts.unknown_branches++;
    }
    if (taint & (SN_INPUT | SN_CHOICE))
        vm->used_input = true;
}

/* The same for models: at the task's instruction. */
static inline void sn_vague(struct sn_vm *vm, const struct sn_task *t)
{
    if (vm->exact)
        vm->vague_pc = t->pc;
    vm->exact = false;
    vm->guessed = true;
}

#endif
