/*
 * openmp_gomp.c: regions, barriers and tasks of gcc's OpenMP library. Its threads wait at words of
 * its own, by system calls that no hook sees, so what its functions order is told here.
 *
 * A region's body, or a task's, is replaced by a function of this file, which runs it. A task's
 * data get a head in front, and the library copies both. Where the library looks into the data (a
 * loop's bounds, reductions, the event of a detached task), the head has the same words at the same
 * place.
 *
 * A scheduler sees the library's threads wait where bare_futex.c has taken over its system calls.
 * Else a thread is outside while it is in the library, which may wait or run tasks of others.
 *
 * clang's library has these functions as well. Then it is the one that tells (openmp_ompt.c), and
 * they are called as if nobody were here.
 */
#include "runtime/bare_futex.h"
#include "runtime/emit.h"
#include "runtime/openmp.h"
#include "runtime/plain.h"
#include "runtime/real.h"

typedef void body_fn(void *);
typedef void copy_fn(void *to, void *from);

struct region {
    void *reductions; /* the library looks for them there */
    body_fn *body;
    void *data;
    struct sn_omp_region *model;
};

static __thread struct sn_omp_task *current __attribute__((tls_model("initial-exec")));
static __thread unsigned waiting __attribute__((tls_model("initial-exec")));

/* Whether this file has to tell what the library does. */
static bool follows(const void *real)
{
    enum { UNKNOWN, YES, NO };
    static int answer;
    int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
    if (SN_UNLIKELY(known == UNKNOWN)) {
        const void *clangs = real ? sn_real_operator(SN_OPERATOR___kmpc_fork_call) : 0;
        known = !sn_run_dir || !real || (clangs && sn_real_same_file(real, clangs)) ? NO : YES;
        __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
    }
    return known == YES;
}

#define UNLESS_FOLLOWED(result_type, call)                                                         \
    if (!follows((const void *)real))                                                              \
    return real ? (call) : (result_type)0

void sn_gomp_go(uintptr_t pc)
{
    sn_bare_futex_caller = pc;
    if (!sn_bare_futex_is_followed())
        sn_omp_go(pc);
}

void sn_gomp_come(uintptr_t pc)
{
    sn_bare_futex_caller = 0;
    if (!sn_bare_futex_is_followed())
        sn_omp_come(pc);
}

/* Into the library, and back. */
static void go(uintptr_t pc)
{
    waiting++;
    sn_gomp_go(pc);
}

static void come(uintptr_t pc)
{
    sn_gomp_come(pc);
    waiting--;
}

struct depth {
    unsigned waiting;
    uintptr_t caller; /* who waits in the library meanwhile; 0: nobody */
};

/* What the library calls back is the program's own code. */
static struct depth begin_body(void)
{
    struct depth before = {waiting, sn_bare_futex_caller};
    sn_gomp_come(SN_CALLER);
    waiting = 0;
    return before;
}

static void end_body(struct depth before)
{
    waiting = before.waiting;
    if (waiting)
        sn_gomp_go(SN_CALLER);
    sn_bare_futex_caller = before.caller;
}

/* What every thread of a region runs instead of the region's body. */
static void run_part(void *arg)
{
    struct region *r = arg;
    struct sn_omp_task *before = current;
    struct depth depth = begin_body();
    current = sn_omp_part_begin(r->model, SN_CALLER);
    r->body(r->data);
    sn_omp_part_end(current, SN_CALLER);
    current = before;
    depth.waiting += !depth.waiting; /* a thread of the library's: it waits there */
    end_body(depth);
}

#define PARALLEL(name, params, result_type, first, keep, give, ...)                                \
    SN_EXPORT result_type name params;                                                             \
    SN_EXPORT result_type name params                                                              \
    {                                                                                              \
        result_type(*real) params = SN_OMP_REAL(name);                                             \
        UNLESS_FOLLOWED(result_type, real(fn, data, __VA_ARGS__));                                 \
        struct region r = {.body = fn, .data = data, .model = sn_omp_region_begin(SN_CALLER)};     \
        first;                                                                                     \
        go(SN_CALLER);                                                                             \
        keep real(run_part, &r, __VA_ARGS__);                                                      \
        come(SN_CALLER);                                                                           \
        sn_omp_region_end(r.model, SN_CALLER);                                                     \
        give;                                                                                      \
    }
#define PLAIN(name, params, ...) PARALLEL(name, params, void, , , , __VA_ARGS__)
#define LOOP long start, long end, long step
#define BODY body_fn *fn, void *data, unsigned threads
#define CHUNK (BODY, LOOP, long chunk, unsigned flags)
#define CHUNK_ARGS threads, start, end, step, chunk, flags
#define RUNTIME (BODY, LOOP, unsigned flags)
#define RUNTIME_ARGS threads, start, end, step, flags

PLAIN(GOMP_parallel, (BODY, unsigned flags), threads, flags)
PLAIN(GOMP_parallel_sections, (BODY, unsigned count, unsigned flags), threads, count, flags)
PLAIN(GOMP_parallel_loop_static, CHUNK, CHUNK_ARGS)
PLAIN(GOMP_parallel_loop_dynamic, CHUNK, CHUNK_ARGS)
PLAIN(GOMP_parallel_loop_guided, CHUNK, CHUNK_ARGS)
PLAIN(GOMP_parallel_loop_nonmonotonic_dynamic, CHUNK, CHUNK_ARGS)
PLAIN(GOMP_parallel_loop_nonmonotonic_guided, CHUNK, CHUNK_ARGS)
PLAIN(GOMP_parallel_loop_runtime, RUNTIME, RUNTIME_ARGS)
PLAIN(GOMP_parallel_loop_nonmonotonic_runtime, RUNTIME, RUNTIME_ARGS)
PLAIN(GOMP_parallel_loop_maybe_nonmonotonic_runtime, RUNTIME, RUNTIME_ARGS)
PARALLEL(GOMP_parallel_reductions, (BODY, unsigned flags), unsigned, r.reductions = *(void **)data,
         unsigned got =, return got, threads, flags)

#define BARRIER(name, result_type, params, keep, give, ...)                                        \
    SN_EXPORT result_type name params;                                                             \
    SN_EXPORT result_type name params                                                              \
    {                                                                                              \
        result_type(*real) params = SN_OMP_REAL(name);                                             \
        UNLESS_FOLLOWED(result_type, real(__VA_ARGS__));                                           \
        sn_omp_barrier_enter(current, SN_CALLER);                                                  \
        go(SN_CALLER);                                                                             \
        keep real(__VA_ARGS__);                                                                    \
        come(SN_CALLER);                                                                           \
        sn_omp_barrier_leave(current, SN_CALLER);                                                  \
        give;                                                                                      \
    }

BARRIER(GOMP_barrier, void, (void), , )
BARRIER(GOMP_loop_end, void, (void), , )
BARRIER(GOMP_sections_end, void, (void), , )
BARRIER(GOMP_workshare_task_reduction_unregister, void, (bool cancelled), , , cancelled)
BARRIER(GOMP_barrier_cancel, bool, (void), bool r =, return r)
BARRIER(GOMP_loop_end_cancel, bool, (void), bool r =, return r)
BARRIER(GOMP_sections_end_cancel, bool, (void), bool r =, return r)
BARRIER(GOMP_single_copy_end, void, (void *data), , , data)

/* Who is to run the block comes back at once, with nothing; the others with its data when it has.
 */
SN_EXPORT void *GOMP_single_copy_start(void);
SN_EXPORT void *GOMP_single_copy_start(void)
{
    void *(*real)(void) = SN_OMP_REAL(GOMP_single_copy_start);
    UNLESS_FOLLOWED(void *, real());
    sn_omp_barrier_enter(current, SN_CALLER);
    go(SN_CALLER);
    void *data = real();
    come(SN_CALLER);
    if (data)
        sn_omp_barrier_leave(current, SN_CALLER);
    return data;
}

#define WAIT(name, params, then, ...)                                                              \
    SN_EXPORT void name params;                                                                    \
    SN_EXPORT void name params                                                                     \
    {                                                                                              \
        void(*real) params = SN_OMP_REAL(name);                                                    \
        UNLESS_FOLLOWED(void, real(__VA_ARGS__));                                                  \
        go(SN_CALLER);                                                                             \
        real(__VA_ARGS__);                                                                         \
        come(SN_CALLER);                                                                           \
        then;                                                                                      \
    }

WAIT(GOMP_taskwait, (void), sn_omp_task_wait(current, SN_CALLER))
WAIT(GOMP_taskgroup_end, (void), sn_omp_group_end(current, SN_CALLER))

SN_EXPORT void GOMP_taskgroup_start(void);
SN_EXPORT void GOMP_taskgroup_start(void)
{
    void (*real)(void) = SN_OMP_REAL(GOMP_taskgroup_start);
    UNLESS_FOLLOWED(void, real());
    sn_omp_group_begin(current);
    real();
}

/* In front of a task's data. */
struct head {
    union {
        void *event;    /* of a detached task, set by the library before it copies */
        int64_t bounds; /* of a part of a loop; written by the library, two of them */
    };
    int64_t end;
    void *reductions; /* of a loop */
    body_fn *body;
    copy_fn *copy;
    struct sn_omp_task *task; /* the task; of a loop's part the one that made it */
    void (*told)(struct sn_omp_task *, uintptr_t); /* what its beginning comes after, when copied */
    char *data; /* before it is copied: where the program has it */
    uint32_t data_at, bytes;
    bool detached;
};

/* Events that were not fulfilled yet, and their tasks. */
struct detached {
    struct detached *next;
    void *event;
    struct sn_omp_task *task;
};
static struct detached *detached_tasks; /* under the lock */
static char detached_lock;

static void lock_detached(void)
{
    while (__atomic_test_and_set(&detached_lock, __ATOMIC_ACQUIRE))
        sn_sys0(SYS_sched_yield);
}

static void note_detached(void *event, struct sn_omp_task *k)
{
    struct detached *d = malloc(sizeof *d);
    if (!d)
        return;
    sn_omp_task_keep(k);
    lock_detached();
    *d = (struct detached){detached_tasks, event, k};
    detached_tasks = d;
    __atomic_clear(&detached_lock, __ATOMIC_RELEASE);
}

static struct sn_omp_task *take_detached(void *event)
{
    struct detached **at, *d;
    lock_detached();
    for (at = &detached_tasks; (d = *at) && d->event != event; at = &d->next)
        ;
    if (d)
        *at = d->next;
    __atomic_clear(&detached_lock, __ATOMIC_RELEASE);
    struct sn_omp_task *k = d ? d->task : 0;
    free(d);
    return k;
}

/* For clang's library openmp_ompt.c knows the task. */
SN_EXPORT void omp_fulfill_event(uintptr_t event);
SN_EXPORT void omp_fulfill_event(uintptr_t event)
{
    void (*real)(uintptr_t) = SN_OMP_REAL(omp_fulfill_event);
    struct sn_omp_task *k = take_detached((void *)event);
    sn_omp_task_done(k, SN_CALLER);
    sn_omp_task_forget(k);
    if (real)
        real(event);
}

static void copy_task(void *to, void *from)
{
    struct head *h = from;
    char *data = (char *)to + h->data_at;
    if (h->detached) {
        *(void **)h->data = h->event;
        note_detached(h->event, h->task);
    }
    sn_plain_memcpy(to, from, sizeof *h);
    if (h->copy)
        h->copy(data, h->data);
    else
        sn_plain_memcpy(data, h->data, h->bytes);
    h->told(h->task, SN_CALLER);
}

/* Nobody uses the data after this, but whoever ends the task gives them back. */
static void run(struct sn_omp_task *k, const struct head *h, char *data)
{
    struct sn_omp_task *before = current;
    struct depth depth = begin_body();
    sn_omp_task_begin(k, SN_CALLER);
    current = k;
    h->body(data);
    current = before;
    sn_omp_task_end(k, SN_CALLER);
    sn_omp_fresh(data, h->bytes);
    end_body(depth);
}

static void run_task(void *arg)
{
    const struct head *h = arg;
    run(h->task, h, (char *)arg + h->data_at);
}

/* How many parts a loop has is the library's choice: the task of each is made when it begins. */
static void run_loop_part(void *arg)
{
    const struct head *h = arg;
    char *data = (char *)arg + h->data_at;
    sn_plain_memcpy(data, &h->bounds, 2 * sizeof h->bounds);
    sn_omp_loop_taken(h->task, SN_CALLER);
    run(sn_omp_task_new(h->task), h, data);
}

/* The data begin at a multiple of `align`, which is a power of two. */
static struct head make_head(body_fn *fn, void *data, copy_fn *copy, long bytes, long *align)
{
    if (*align < (long)_Alignof(struct head))
        *align = _Alignof(struct head);
    return (struct head){.body = fn,
                         .data = data,
                         .copy = copy,
                         .bytes = (uint32_t)bytes,
                         .data_at = (uint32_t)((sizeof(struct head) + *align - 1) & -*align)};
}

static void depend_on(struct sn_omp_task *k, void *const *variable, uintptr_t n,
                      enum sn_omp_depend how)
{
    for (uintptr_t i = 0; i < n; i++)
        sn_omp_task_depend(k, variable[i], how);
}

/* An object of the type omp_depend_t: the variable and how. */
static void depend_on_objects(struct sn_omp_task *k, void *const *object, uintptr_t n)
{
    enum { IN = 1, MUTEXINOUTSET = 4, INOUTSET };
    for (uintptr_t i = 0; i < n; i++) {
        void *const *o = object[i];
        uintptr_t how = (uintptr_t)o[1];
        sn_omp_task_depend(k, o[0],
                           how == IN              ? SN_OMP_IN
                           : how == MUTEXINOUTSET ? SN_OMP_MUTEX
                           : how == INOUTSET      ? SN_OMP_SET
                                                  : SN_OMP_OUT);
    }
}

/* A list in one of two forms: the number of all, of those that are written, and the variables; or
 * zero, the number of all, of those of each kind, and the variables, objects last. */
static void depend(struct sn_omp_task *k, void *const *list)
{
    uintptr_t n = (uintptr_t)list[0], out = (uintptr_t)list[1];
    if (n) {
        depend_on(k, list + 2, out, SN_OMP_OUT);
        depend_on(k, list + 2 + out, n - out, SN_OMP_IN);
        return;
    }
    uintptr_t mutex = (uintptr_t)list[3], in = (uintptr_t)list[4];
    n = out;
    out = (uintptr_t)list[2];
    list += 5;
    depend_on(k, list, out, SN_OMP_OUT);
    depend_on(k, list + out, mutex, SN_OMP_MUTEX);
    depend_on(k, list + out + mutex, in, SN_OMP_IN);
    depend_on_objects(k, list + out + mutex + in, n - out - mutex - in);
}

enum { DEPEND = 1 << 3, NOGROUP = 1 << 11, REDUCTION = 1 << 12, DETACH = 1 << 13 };

#define TASK                                                                                       \
    body_fn *fn, void *data, copy_fn *copy, long bytes, long align, bool deferred, unsigned flags, \
        void **depends, int priority, void *detach
SN_EXPORT void GOMP_task(TASK);
SN_EXPORT void GOMP_task(TASK)
{
    void (*real)(TASK) = SN_OMP_REAL(GOMP_task);
    UNLESS_FOLLOWED(void,
                    real(fn, data, copy, bytes, align, deferred, flags, depends, priority, detach));
    struct head h = make_head(fn, data, copy, bytes, &align);
    h.detached = (flags & DETACH) != 0 && data;
    h.task = sn_omp_task_new(current);
    h.told = sn_omp_task_made;
    if (flags & DEPEND)
        depend(h.task, depends);
    real(run_task, &h, copy_task, h.data_at + bytes, align, deferred, flags, depends, priority,
         detach);
}

/* Tasks of a loop may be there when its maker has ended; then the maker's record stays. */
#define TASKLOOP(name, type)                                                                       \
    SN_EXPORT void name(body_fn *fn, void *data, copy_fn *copy, long bytes, long align,            \
                        unsigned flags, unsigned long tasks, int priority, type start, type end,   \
                        type step);                                                                \
    SN_EXPORT void name(body_fn *fn, void *data, copy_fn *copy, long bytes, long align,            \
                        unsigned flags, unsigned long tasks, int priority, type start, type end,   \
                        type step)                                                                 \
    {                                                                                              \
        void (*real)(body_fn *, void *, copy_fn *, long, long, unsigned, unsigned long, int, type, \
                     type, type) = SN_OMP_REAL(name);                                              \
        UNLESS_FOLLOWED(                                                                           \
            void, real(fn, data, copy, bytes, align, flags, tasks, priority, start, end, step));   \
        struct head h = make_head(fn, data, copy, bytes, &align);                                  \
        if (flags & REDUCTION)                                                                     \
            h.reductions = ((void **)data)[2];                                                     \
        h.task = current;                                                                          \
        if (flags & NOGROUP)                                                                       \
            sn_omp_task_keep(current);                                                             \
        else                                                                                       \
            sn_omp_group_begin(current);                                                           \
        h.told = sn_omp_loop_told;                                                                 \
        go(SN_CALLER);                                                                             \
        real(run_loop_part, &h, copy_task, h.data_at + bytes, align, flags, tasks, priority,       \
             start, end, step);                                                                    \
        come(SN_CALLER);                                                                           \
        if (!(flags & NOGROUP))                                                                    \
            sn_omp_group_end(current, SN_CALLER);                                                  \
    }

TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)

/* What follows waits as a task with these dependences would. */
static void wait_for(void **depends, uintptr_t pc)
{
    void (*real)(void **) = SN_OMP_REAL(GOMP_taskwait_depend);
    UNLESS_FOLLOWED(void, real(depends));
    struct sn_omp_task *k = sn_omp_task_new(current);
    depend(k, depends);
    go(pc);
    real(depends);
    come(pc);
    sn_omp_task_begin(k, pc);
    sn_omp_task_forget(k);
}

SN_EXPORT void GOMP_taskwait_depend(void **depends);
SN_EXPORT void GOMP_taskwait_depend(void **depends)
{
    wait_for(depends, SN_CALLER);
}

/* Without a device the body is run here, by the thread that comes to it, or in a task that nobody
 * could follow: so it is not to be put off. */
#define TARGET                                                                                     \
    int device, body_fn *fn, size_t n, void **addresses, size_t *sizes, unsigned short *kinds,     \
        unsigned flags, void **depends, void **args
SN_EXPORT void GOMP_target_ext(TARGET);
SN_EXPORT void GOMP_target_ext(TARGET)
{
    enum { NOWAIT = 1 };
    void (*real)(TARGET) = SN_OMP_REAL(GOMP_target_ext);
    UNLESS_FOLLOWED(void, real(device, fn, n, addresses, sizes, kinds, flags, depends, args));
    if (depends)
        wait_for(depends, SN_CALLER);
    real(device, fn, n, addresses, sizes, kinds, flags & ~(unsigned)NOWAIT, 0, args);
}

struct sn_omp_task *sn_gomp_current(void)
{
    return current;
}
