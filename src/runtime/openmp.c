/*
 * openmp.c: gcc's OpenMP library. Its threads wait at words of its own, by system calls that no
 * hook sees, so what its functions order is told here: the start and end of a parallel region,
 * barriers (those at the end of loops and sections too), critical and ordered sections, locks,
 * tasks.
 *
 * The barriers of a region take turns with two objects, so that who is slow to leave one is not
 * taken to come after those who are at the next already; nobody can be at the next but one.
 *
 * Real functions come from whichever library the program has. Linkers that leave out libraries
 * which seem unused may have left out libgomp, since the names are here: then it is loaded.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/emit.h"
#include "runtime/real.h"

typedef void body_fn(void *);

struct region {
    body_fn *body;
    void *data;
    /* synchronisation objects, by their addresses */
    char begin, end;
    char barrier[2];
    char tasks;   /* that have ended */
    char depends; /* of those with dependences */
};

static struct region no_region; /* outside of all */
static __thread struct region *current __attribute__((tls_model("initial-exec")));
static __thread unsigned barriers __attribute__((tls_model("initial-exec"))); /* in this region */

static struct region *region(void)
{
    return current ? current : &no_region;
}

#define REAL(name) sn_real_of_library(SN_OPERATOR_##name, "libgomp.so.1")

#define TELL(id, object, from)                                                                     \
    do {                                                                                           \
        struct sn_thread *t = sn_enter(from);                                                      \
        if (t) {                                                                                   \
            SN_EMIT(t, id, .addr = (uintptr_t)(object), .pc = (from));                             \
            sn_hook_leave(t);                                                                      \
        }                                                                                          \
    } while (0)

/* What every thread of a region runs instead of the region's body. */
static void run_part(void *arg)
{
    struct region *r = arg, *before = current;
    unsigned barriers_before = barriers;
    TELL(ACQUIRE, &r->begin, SN_CALLER);
    current = r;
    barriers = 0;
    r->body(r->data);
    current = before;
    barriers = barriers_before;
    TELL(RELEASE_MERGE, &r->end, SN_CALLER);
}

/* The objects lie on the stack, where others may have been: RELEASE forgets them. */
static void begin_region(struct region *r, uintptr_t pc)
{
    TELL(RELEASE, &r->begin, pc);
    TELL(RELEASE, &r->end, pc);
    TELL(RELEASE, &r->barrier[0], pc);
    TELL(RELEASE, &r->barrier[1], pc);
    TELL(RELEASE, &r->tasks, pc);
    TELL(RELEASE, &r->depends, pc);
}

#define PARALLEL(name, params, ...)                                                                \
    SN_EXPORT void name params;                                                                    \
    SN_EXPORT void name params                                                                     \
    {                                                                                              \
        void(*real) params = REAL(name);                                                           \
        struct region r = {.body = fn, .data = data};                                              \
        begin_region(&r, SN_CALLER);                                                               \
        if (real)                                                                                  \
            real(run_part, &r, __VA_ARGS__);                                                       \
        TELL(ACQUIRE, &r.end, SN_CALLER);                                                          \
        TELL(ACQUIRE, &r.tasks, SN_CALLER);                                                        \
    }
#define LOOP long start, long end, long step
#define BODY body_fn *fn, void *data, unsigned threads

PARALLEL(GOMP_parallel, (BODY, unsigned flags), threads, flags)
PARALLEL(GOMP_parallel_sections, (BODY, unsigned count, unsigned flags), threads, count, flags)
PARALLEL(GOMP_parallel_loop_static, (BODY, LOOP, long chunk, unsigned flags), threads, start, end,
         step, chunk, flags)
PARALLEL(GOMP_parallel_loop_dynamic, (BODY, LOOP, long chunk, unsigned flags), threads, start, end,
         step, chunk, flags)
PARALLEL(GOMP_parallel_loop_guided, (BODY, LOOP, long chunk, unsigned flags), threads, start, end,
         step, chunk, flags)
PARALLEL(GOMP_parallel_loop_nonmonotonic_dynamic, (BODY, LOOP, long chunk, unsigned flags), threads,
         start, end, step, chunk, flags)
PARALLEL(GOMP_parallel_loop_nonmonotonic_guided, (BODY, LOOP, long chunk, unsigned flags), threads,
         start, end, step, chunk, flags)
PARALLEL(GOMP_parallel_loop_runtime, (BODY, LOOP, unsigned flags), threads, start, end, step, flags)
PARALLEL(GOMP_parallel_loop_nonmonotonic_runtime, (BODY, LOOP, unsigned flags), threads, start, end,
         step, flags)
PARALLEL(GOMP_parallel_loop_maybe_nonmonotonic_runtime, (BODY, LOOP, unsigned flags), threads,
         start, end, step, flags)

static char *enter_barrier(uintptr_t pc)
{
    char *barrier = &region()->barrier[barriers++ & 1];
    TELL(RELEASE_MERGE, barrier, pc);
    return barrier;
}

static void leave_barrier(const char *barrier, uintptr_t pc)
{
    TELL(ACQUIRE, barrier, pc);
    TELL(ACQUIRE, &region()->tasks, pc);
}

#define BARRIER(name)                                                                              \
    SN_EXPORT void name(void);                                                                     \
    SN_EXPORT void name(void)                                                                      \
    {                                                                                              \
        void (*real)(void) = REAL(name);                                                           \
        char *barrier = enter_barrier(SN_CALLER);                                                  \
        if (real)                                                                                  \
            real();                                                                                \
        leave_barrier(barrier, SN_CALLER);                                                         \
    }
#define BARRIER_CANCEL(name)                                                                       \
    SN_EXPORT bool name(void);                                                                     \
    SN_EXPORT bool name(void)                                                                      \
    {                                                                                              \
        bool (*real)(void) = REAL(name);                                                           \
        char *barrier = enter_barrier(SN_CALLER);                                                  \
        bool r = real && real();                                                                   \
        leave_barrier(barrier, SN_CALLER);                                                         \
        return r;                                                                                  \
    }

BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)
BARRIER_CANCEL(GOMP_barrier_cancel)
BARRIER_CANCEL(GOMP_loop_end_cancel)
BARRIER_CANCEL(GOMP_sections_end_cancel)

/* Sections that exclude each other; `object` names them. */
#define TAKE(name, params, object, ...)                                                            \
    SN_EXPORT void name params;                                                                    \
    SN_EXPORT void name params                                                                     \
    {                                                                                              \
        void(*real) params = REAL(name);                                                           \
        if (real)                                                                                  \
            real(__VA_ARGS__);                                                                     \
        TELL(ACQUIRE, object, SN_CALLER);                                                          \
    }
#define GIVE(name, params, object, ...)                                                            \
    SN_EXPORT void name params;                                                                    \
    SN_EXPORT void name params                                                                     \
    {                                                                                              \
        void(*real) params = REAL(name);                                                           \
        TELL(RELEASE_MERGE, object, SN_CALLER);                                                    \
        if (real)                                                                                  \
            real(__VA_ARGS__);                                                                     \
    }

static char critical, atomic, ordered;

TAKE(GOMP_critical_start, (void), &critical)
GIVE(GOMP_critical_end, (void), &critical)
TAKE(GOMP_critical_name_start, (void **name), name, name)
GIVE(GOMP_critical_name_end, (void **name), name, name)
TAKE(GOMP_atomic_start, (void), &atomic)
GIVE(GOMP_atomic_end, (void), &atomic)
TAKE(GOMP_ordered_start, (void), &ordered)
GIVE(GOMP_ordered_end, (void), &ordered)
TAKE(omp_set_lock, (void *lock), lock, lock)
GIVE(omp_unset_lock, (void *lock), lock, lock)
TAKE(omp_set_nest_lock, (void *lock), lock, lock)
GIVE(omp_unset_nest_lock, (void *lock), lock, lock)

/* What follows comes after the tasks that have ended. */
TAKE(GOMP_taskwait, (void), &region()->tasks)
TAKE(GOMP_taskgroup_end, (void), &region()->tasks)

#define TRY(name)                                                                                  \
    SN_EXPORT int name(void *lock);                                                                \
    SN_EXPORT int name(void *lock)                                                                 \
    {                                                                                              \
        int (*real)(void *) = REAL(name);                                                          \
        int r = real ? real(lock) : 0;                                                             \
        if (r)                                                                                     \
            TELL(ACQUIRE, lock, SN_CALLER);                                                        \
        return r;                                                                                  \
    }
TRY(omp_test_lock)
TRY(omp_test_nest_lock)

/* A task's data is copied here instead of in the library, behind this. */
struct task {
    body_fn *body;
    struct region *region;
    void *block;
    bool depends;
    char made; /* a synchronisation object */
};

static void run_task(void *arg)
{
    struct task *k = *(struct task **)arg;
    struct region *before = current;
    TELL(ACQUIRE, &k->made, SN_CALLER);
    if (k->depends)
        TELL(ACQUIRE, &k->region->depends, SN_CALLER);
    current = k->region;
    k->body(k + 1);
    current = before;
    if (k->depends)
        TELL(RELEASE_MERGE, &k->region->depends, SN_CALLER);
    TELL(RELEASE_MERGE, &k->region->tasks, SN_CALLER);
    free(k->block);
}

/* The data begins at a multiple of `align`, which is a power of two. */
static struct task *new_task(long bytes, long align)
{
    size_t unit = align > 16 ? (size_t)align : 16;
    char *block = malloc(sizeof(struct task) + (size_t)bytes + unit);
    if (!block)
        return 0;
    uintptr_t data = ((uintptr_t)block + sizeof(struct task) + unit - 1) & ~(uintptr_t)(unit - 1);
    struct task *k = (struct task *)data - 1;
    *k = (struct task){.block = block};
    return k;
}

enum { DEPEND = 1 << 3 };

#define TASK                                                                                       \
    body_fn *fn, void *data, void (*copy)(void *, void *), long bytes, long align, bool deferred,  \
        unsigned flags, void **depend, int priority, void *detach
SN_EXPORT void GOMP_task(TASK);
SN_EXPORT void GOMP_task(TASK)
{
    void (*real)(TASK) = REAL(GOMP_task);
    struct task *k = real ? new_task(bytes, align) : 0;
    if (!k) {
        if (real)
            real(fn, data, copy, bytes, align, deferred, flags, depend, priority, detach);
        return;
    }
    k->body = fn;
    k->region = region();
    k->depends = (flags & DEPEND) != 0;
    if (copy)
        copy(k + 1, data);
    else
        memcpy(k + 1, data, (size_t)bytes);
    TELL(RELEASE, &k->made, SN_CALLER);
    real(run_task, &k, 0, sizeof k, _Alignof(struct task *), deferred, flags, depend, priority,
         detach);
}
