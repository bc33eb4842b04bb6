/*
 * openmp_ompt.c: clang's OpenMP library (libomp, also Intel's libiomp5) tells a tool what happens
 * in it, by the interface OMPT of OpenMP 5: it calls ompt_start_tool() when it begins, if the
 * process has one. snag is that tool while it watches; else the question goes on to the next one.
 *
 * A region is kept in the library's word for it, a task in its. Tasks that the library makes for
 * itself, to make those of a loop, have nothing there. What sections that exclude each other order
 * is told by openmp_lock.c.
 */
#include "runtime/emit.h"
#include "runtime/openmp.h"
#include "runtime/real.h"

/* Numbers and shapes of the interface. */
enum {
    PARALLEL_BEGIN = 3,
    PARALLEL_END = 4,
    TASK_CREATE = 5,
    TASK_SCHEDULE = 6,
    IMPLICIT_TASK = 7,
    SYNC_REGION_WAIT = 16,
    DEPENDENCES = 18,
    SYNC_REGION = 23,
    REDUCTION = 31,
};
enum { BEGIN = 1, END = 2 };
enum { TASKWAIT = 5, TASKGROUP = 6, REDUCES = 7 }; /* the other regions are barriers */
enum { INITIAL = 0x1, EXPLICIT = 0x4, TARGET = 0x8, WAITS = 0x10 };
enum {
    COMPLETE = 1,
    CANCEL = 3,
    DETACH = 4,
    EARLY_FULFILL = 5,
    LATE_FULFILL = 6,
    WAIT_COMPLETE = 8,
};
enum { DEPEND_IN = 1, DEPEND_MUTEX = 4, SOURCE = 5, SINK = 6, DEPEND_SET = 7, ALL_MEMORY = 34 };

union word {
    uint64_t value;
    void *p;
};
struct dependence {
    union word variable;
    int how;
};
typedef void any_fn(void);
typedef any_fn *lookup_fn(const char *name);
typedef int memory_fn(void **addr, size_t *size, int block);
struct tool {
    int (*begin)(lookup_fn *lookup, int device, union word *own);
    void (*end)(union word *own);
    union word own;
};

static memory_fn *task_memory;
static __thread struct sn_omp_task *current __attribute__((tls_model("initial-exec")));

struct sn_omp_task *sn_ompt_current(void)
{
    return current;
}

static void *in(const union word *w)
{
    return w ? w->p : 0;
}

static void parallel_begin(union word *task, const void *frame, union word *region, unsigned wanted,
                           int flags, const void *pc)
{
    (void)task, (void)frame, (void)wanted, (void)flags;
    region->p = sn_omp_region_begin((uintptr_t)pc);
}

static void parallel_end(union word *region, union word *task, int flags, const void *pc)
{
    (void)flags;
    sn_omp_region_end(region->p, (uintptr_t)pc);
    region->p = 0;
    current = in(task);
}

/* The task that a thread begins with, outside of all regions, has one of its own. */
static struct sn_omp_task *begin_alone(void)
{
    struct sn_omp_region *r = sn_omp_region_begin(0);
    struct sn_omp_task *part = sn_omp_part_begin(r, 0);
    sn_omp_region_end(r, 0);
    return part;
}

/* A thread of the library's leaves a region only when it is needed for the next. */
static void implicit_task(int when, union word *region, union word *task, unsigned n,
                          unsigned index, int flags)
{
    (void)n, (void)index;
    struct sn_omp_region *r = in(region);
    if (when == BEGIN) {
        task->p = !r && (flags & INITIAL) ? begin_alone() : sn_omp_part_begin(r, 0);
        current = task->p;
    } else if (when == END) {
        sn_omp_part_end(in(task), 0);
        task->p = 0;
        current = 0;
    }
}

static void sync_region(int kind, int when, union word *region, union word *task, const void *code)
{
    (void)region;
    uintptr_t pc = (uintptr_t)code;
    struct sn_omp_task *k = in(task);
    if (kind == TASKWAIT && when == END)
        sn_omp_task_wait(k, pc);
    else if (kind == TASKGROUP)
        when == BEGIN ? sn_omp_group_begin(k) : sn_omp_group_end(k, pc);
    else if (kind != TASKWAIT && kind != REDUCES)
        when == BEGIN ? sn_omp_barrier_enter(k, pc) : sn_omp_barrier_leave(k, pc);
}

/* Reductions over tasks are made when a group's tasks have ended, before the group does; those of a
 * whole team's by whoever is the last. */
static void sync_region_wait(int kind, int when, union word *region, union word *task,
                             const void *pc)
{
    (void)region;
    if (kind != TASKGROUP || when != END)
        return;
    sn_omp_group_wait(in(task), (uintptr_t)pc);
    sn_omp_tell(SN_EV_ACQUIRE, sn_omp_reduced(in(task)), (uintptr_t)pc);
}

static void reduction(int kind, int when, union word *region, union word *task, const void *pc)
{
    (void)kind, (void)region, (void)pc;
    when == BEGIN ? sn_omp_unite_begin(in(task)) : sn_omp_unite_end(in(task));
}

static void task_create(union word *maker, const void *frame, union word *task, int flags,
                        int depends, const void *pc)
{
    (void)frame, (void)depends;
    if (!(flags & (EXPLICIT | TARGET | WAITS)))
        return;
    task->p = sn_omp_task_new(in(maker));
    sn_omp_task_made(task->p, (uintptr_t)pc);
}

static void dependences(union word *task, const struct dependence *d, int n)
{
    for (int i = 0; i < n; i++) {
        if (d[i].how == SOURCE || d[i].how == SINK) /* of a loop's iterations */
            continue;
        sn_omp_task_depend(in(task), d[i].how >= ALL_MEMORY ? 0 : d[i].variable.p,
                           d[i].how == DEPEND_IN      ? SN_OMP_IN
                           : d[i].how == DEPEND_MUTEX ? SN_OMP_MUTEX
                           : d[i].how == DEPEND_SET   ? SN_OMP_SET
                                                      : SN_OMP_OUT);
    }
}

/* The library gives the memory of a task to others, and no hook sees it. */
static void forget_memory(void)
{
    void *p = 0;
    size_t bytes = 0;
    if (task_memory)
        task_memory(&p, &bytes, 0);
    if (p)
        sn_omp_fresh(p, bytes);
}

static void end_task(union word *task, int how)
{
    struct sn_omp_task *k = task->p;
    switch (how) {
    case COMPLETE:
    case CANCEL:
        forget_memory();
        sn_omp_task_end(k, 0);
        task->p = 0;
        break;
    case DETACH: /* its code has ended, but somebody has to say that it has */
        forget_memory();
        sn_omp_task_done(k, 0);
        break;
    case EARLY_FULFILL:
        sn_omp_task_done(k, 0);
        break;
    case LATE_FULFILL:
        sn_omp_task_end(k, 0);
        task->p = 0;
        break;
    case WAIT_COMPLETE: /* a taskwait with dependences is a task that does nothing */
        sn_omp_task_begin(k, 0);
        sn_omp_task_forget(k);
        task->p = 0;
        break;
    default: /* it is put off */
        break;
    }
}

static void task_schedule(union word *task, int how, union word *next)
{
    if (next && !next->p)
        sn_omp_loop_taken(in(task), 0);
    if (in(task))
        end_task(task, how);
    if (how == EARLY_FULFILL || how == LATE_FULFILL || how == WAIT_COMPLETE)
        return; /* the thread goes on with what it does */
    sn_omp_task_begin(in(next), 0);
    current = in(next);
}

static int begin_tool(lookup_fn *lookup, int device, union word *own)
{
    (void)device, (void)own;
    int (*set)(int, any_fn *) = (int (*)(int, any_fn *))lookup("ompt_set_callback");
    if (!set)
        return 0;
    task_memory = (memory_fn *)lookup("ompt_get_task_memory");
    set(PARALLEL_BEGIN, (any_fn *)parallel_begin);
    set(PARALLEL_END, (any_fn *)parallel_end);
    set(TASK_CREATE, (any_fn *)task_create);
    set(TASK_SCHEDULE, (any_fn *)task_schedule);
    set(IMPLICIT_TASK, (any_fn *)implicit_task);
    set(SYNC_REGION_WAIT, (any_fn *)sync_region_wait);
    set(DEPENDENCES, (any_fn *)dependences);
    set(SYNC_REGION, (any_fn *)sync_region);
    set(REDUCTION, (any_fn *)reduction);
    return 1;
}

static void end_tool(union word *own)
{
    (void)own;
}

SN_EXPORT struct tool *ompt_start_tool(unsigned omp_version, const char *library);
SN_EXPORT struct tool *ompt_start_tool(unsigned omp_version, const char *library)
{
    static struct tool tool = {.begin = begin_tool, .end = end_tool};
    if (sn_run_dir)
        return &tool;
    struct tool *(*next)(unsigned, const char *) = sn_real_operator(SN_OPERATOR_ompt_start_tool);
    return next ? next(omp_version, library) : 0;
}

/* `flush` is a fence. */
SN_EXPORT void __kmpc_flush(void *place);
SN_EXPORT void __kmpc_flush(void *place)
{
    void __tsan_atomic_thread_fence(int);
    void (*real)(void *) = SN_OMP_REAL(__kmpc_flush);
    __tsan_atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (real)
        real(place);
}
