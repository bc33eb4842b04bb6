/*
 * lib.h: what the library models remember during a run.
 */
#ifndef SN_CHECK_LIB_H
#define SN_CHECK_LIB_H

#include "check/model.h"

#define SN_KEYS_MAX 128
#define SN_HANDLERS_MAX 128
#define SN_SIGNALS 65
#define SN_JUMPS_MAX 64
#define SN_NAMED_MAX 32

struct sn_key {
    bool used;
    uint64_t destructor; /* address, 0 none */
};

/* atexit, on_exit, __cxa_atexit, at_quick_exit. */
struct sn_handler {
    uint64_t func;
    struct sn_reg arg;
    bool has_arg;
    bool quick;
};

/* Where a setjmp() can be gone back to. */
struct sn_jump {
    uint64_t buffer;
    uint32_t task, depth, pc, dst, kont;
};

struct sn_cleanup { /* pthread_cleanup_push() */
    uint32_t task;
    uint64_t buffer;
};

struct sn_libstate {
    struct sn_key key[SN_KEYS_MAX];
    struct sn_handler handler[SN_HANDLERS_MAX];
    size_t nhandler;
    struct sn_jump jump[SN_JUMPS_MAX];
    size_t njump;
    struct sn_cleanup cleanup[SN_HANDLERS_MAX];
    size_t ncleanup;
    uint64_t signal_handler[SN_SIGNALS];
    struct sn_vclock exit_clock;
    bool exiting;
    uint64_t stream;     /* the FILE that stdio functions hand out */
    uint64_t strtok_state;
    uint32_t ctype_table[3];
    uint64_t named[SN_NAMED_MAX], named_length[SN_NAMED_MAX]; /* sem_open(): the names' texts */
    uint32_t named_object[SN_NAMED_MAX];
    size_t nnamed;
    struct sn_test_plan *tests;       /* unit tests that are to be run */
    struct sn_dispatcher *dispatcher; /* GLib main loops */
    uint32_t omp_threads;             /* wanted for the next parallel region, 0 any */
};

/* exit.c: how tasks and the program end. */
sn_step_fn sn_thread_returned, sn_main_returned, sn_step_done; /* sn_step_done: nothing more */
enum sn_result sn_begin_thread_exit(struct sn_vm *vm, struct sn_task *t);
enum sn_result sn_begin_exit(struct sn_vm *vm, struct sn_task *t, bool quick);
/* Goes back to the setjmp() of that buffer, in the same task. */
enum sn_result sn_jump_back(struct sn_vm *vm, struct sn_task *t, uint64_t buffer, uint64_t value);
/* If t has been cancelled and stands at a cancellation point, ends it. */
bool sn_cancel_now(struct sn_vm *vm, struct sn_task *t, enum sn_result *r);

/* Starts a thread at a function address. Null when it cannot be. */
struct sn_task *sn_start_thread(struct sn_vm *vm, struct sn_task *t, struct sn_reg func,
                                const struct sn_reg *args, unsigned nargs);
enum sn_result sn_after_start(struct sn_call *c); /* how a call ends that has started one */
struct sn_task *sn_task_of_handle(struct sn_vm *vm, uint64_t handle); /* pthread_t; null: none */
#define SN_HANDLE(t) ((uint64_t)(t)->id + 1)

/* model_string.c: a zero-terminated string in simulated memory. */
struct sn_text {
    bool ok;          /* every byte up to the end is interpreted and addressable */
    uint64_t addr, n; /* without the zero */
    uint64_t taint;
};
struct sn_text sn_text_at(struct sn_vm *vm, struct sn_task *t, struct sn_reg addr, uint64_t most, bool record);

bool sn_same_text(const struct sn_vm *vm, uint64_t a, uint64_t b, uint64_t n);

/* model_wait.c: arrives at a barrier, or leaves it when all have arrived. */
enum sn_result sn_barrier_pass(struct sn_call *c, struct sn_vsync *s);

/* model_signal.c: whether some handler may still run. */
bool sn_signals_expected(const struct sn_vm *vm);

/* model_verifier.c */
void sn_atomic_begin(struct sn_vm *vm, struct sn_task *t);
void sn_atomic_end(struct sn_vm *vm, struct sn_task *t);

/* model_alloc.c */
enum sn_result sn_allocate(struct sn_call *c, struct sn_reg bytes, uint64_t align, bool zero);
void sn_release(struct sn_vm *vm, struct sn_task *t, struct sn_reg addr, const char *by);
/* model_format.c: printf's work: the text, into out; returns its whole length. */
size_t sn_format(struct sn_vm *vm, struct sn_task *t, struct sn_reg format, uint64_t va, char *out,
                 size_t cap, uint64_t *taint);
uint64_t sn_va_area(const struct sn_vm *vm, uint64_t list); /* of a va_list: where the next argument is */

#endif
