/*
 * openmp_lock.c: OpenMP's critical and ordered sections, locks, reductions and loops whose
 * iterations wait for each other, of gcc's library (GOMP_…) and of clang's (__kmpc_…). What clang's
 * library tells about these comes after they were given back, when others may have taken them
 * already.
 */
#include <stdarg.h>

#include "runtime/bare_futex.h"
#include "runtime/emit.h"
#include "runtime/openmp.h"
#include "runtime/real.h"

#define TAKEN(object) sn_omp_tell(SN_EV_ACQUIRE, object, SN_CALLER)
#define GIVEN(object) sn_omp_tell(SN_EV_RELEASE_MERGE, object, SN_CALLER)

/* Sections that exclude each other; `object` names them. */
#define TAKE(name, params, object, ...)                                                            \
    SN_EXPORT void name params;                                                                    \
    SN_EXPORT void name params                                                                     \
    {                                                                                              \
        void(*real) params = SN_OMP_REAL(name);                                                    \
        sn_bare_futex_caller = SN_CALLER;                                                          \
        if (real)                                                                                  \
            real(__VA_ARGS__);                                                                     \
        sn_bare_futex_caller = 0;                                                                  \
        TAKEN(object);                                                                             \
    }
#define GIVE(name, params, object, ...)                                                            \
    SN_EXPORT void name params;                                                                    \
    SN_EXPORT void name params                                                                     \
    {                                                                                              \
        void(*real) params = SN_OMP_REAL(name);                                                    \
        GIVEN(object);                                                                             \
        sn_bare_futex_caller = SN_CALLER;                                                          \
        if (real)                                                                                  \
            real(__VA_ARGS__);                                                                     \
        sn_bare_futex_caller = 0;                                                                  \
    }

/* The same where a thread waits for its turn, perhaps without ever sleeping. */
#define AWAIT(name, go, come, params, object, ...)                                                 \
    SN_EXPORT void name params;                                                                    \
    SN_EXPORT void name params                                                                     \
    {                                                                                              \
        void(*real) params = SN_OMP_REAL(name);                                                    \
        go(SN_CALLER);                                                                             \
        if (real)                                                                                  \
            real(__VA_ARGS__);                                                                     \
        come(SN_CALLER);                                                                           \
        TAKEN(object);                                                                             \
    }

static char critical, atomic;

TAKE(GOMP_critical_start, (void), &critical)
GIVE(GOMP_critical_end, (void), &critical)
TAKE(GOMP_critical_name_start, (void **name), name, name)
GIVE(GOMP_critical_name_end, (void **name), name, name)
TAKE(GOMP_atomic_start, (void), &atomic)
GIVE(GOMP_atomic_end, (void), &atomic)
AWAIT(GOMP_ordered_start, sn_gomp_go, sn_gomp_come, (void), sn_omp_ordered(sn_gomp_current()))
GIVE(GOMP_ordered_end, (void), sn_omp_ordered(sn_gomp_current()))
TAKE(omp_set_lock, (void *lock), lock, lock)
GIVE(omp_unset_lock, (void *lock), lock, lock)
TAKE(omp_set_nest_lock, (void *lock), lock, lock)
GIVE(omp_unset_nest_lock, (void *lock), lock, lock)

#define TRY(name)                                                                                  \
    SN_EXPORT int name(void *lock);                                                                \
    SN_EXPORT int name(void *lock)                                                                 \
    {                                                                                              \
        int (*real)(void *) = SN_OMP_REAL(name);                                                   \
        int r = real ? real(lock) : 0;                                                             \
        if (r)                                                                                     \
            TAKEN(lock);                                                                           \
        return r;                                                                                  \
    }
TRY(omp_test_lock)
TRY(omp_test_nest_lock)

/* Every function of clang's has the place in the source and the thread's number first. */
#define HERE void *place, int32_t thread

TAKE(__kmpc_critical, (HERE, void *name), name, place, thread, name)
TAKE(__kmpc_critical_with_hint, (HERE, void *name, uint32_t hint), name, place, thread, name, hint)
GIVE(__kmpc_end_critical, (HERE, void *name), name, place, thread, name)
AWAIT(__kmpc_ordered, sn_omp_go, sn_omp_come, (HERE), sn_omp_ordered(sn_ompt_current()), place,
      thread)
GIVE(__kmpc_end_ordered, (HERE), sn_omp_ordered(sn_ompt_current()), place, thread)

/* Whoever is told to unite its part with the others' does so alone; the others may come back when
 * that is done. */
typedef void unite_fn(void *, void *);
#define REDUCE(name)                                                                               \
    SN_EXPORT int name(HERE, int n, size_t bytes, void *data, unite_fn *unite, void *lock);        \
    SN_EXPORT int name(HERE, int n, size_t bytes, void *data, unite_fn *unite, void *lock)         \
    {                                                                                              \
        int (*real)(HERE, int, size_t, void *, unite_fn *, void *) = SN_OMP_REAL(name);            \
        int r = real ? real(place, thread, n, bytes, data, unite, lock) : 0;                       \
        TAKEN(lock);                                                                               \
        return r;                                                                                  \
    }
REDUCE(__kmpc_reduce)
REDUCE(__kmpc_reduce_nowait)
GIVE(__kmpc_end_reduce, (HERE, void *lock), lock, place, thread, lock)
GIVE(__kmpc_end_reduce_nowait, (HERE, void *lock), lock, place, thread, lock)
GIVE(__kmpc_task_reduction_modifier_fini, (HERE, int shared), sn_omp_reduced(sn_ompt_current()),
     place, thread, shared)

/* The first thread to come sets everybody's part to its beginning, inside the library, and the
 * others may go on before it comes back. */
#define REDUCE_TASKS(name)                                                                         \
    SN_EXPORT void *name(HERE, int shared, int n, void *data);                                     \
    SN_EXPORT void *name(HERE, int shared, int n, void *data)                                      \
    {                                                                                              \
        void *(*real)(HERE, int, int, void *) = SN_OMP_REAL(name);                                 \
        sn_omp_look(false);                                                                        \
        void *r = real ? real(place, thread, shared, n, data) : 0;                                 \
        sn_omp_look(true);                                                                         \
        return r;                                                                                  \
    }
REDUCE_TASKS(__kmpc_task_reduction_modifier_init)
REDUCE_TASKS(__kmpc_taskred_modifier_init)

/* A loop of tasks: some of them are made by tasks of the library's own. */
#define LOOP                                                                                       \
    HERE, void *task, int now, uint64_t *low, uint64_t *high, int64_t step, int nogroup, int kind, \
        uint64_t size
#define LOOP_ARGS place, thread, task, now, low, high, step, nogroup, kind, size
#define TASKLOOP(name, params, ...)                                                                \
    SN_EXPORT void name params;                                                                    \
    SN_EXPORT void name params                                                                     \
    {                                                                                              \
        void(*real) params = SN_OMP_REAL(name);                                                    \
        sn_omp_loop_told(sn_ompt_current(), SN_CALLER);                                            \
        if (real)                                                                                  \
            real(__VA_ARGS__);                                                                     \
    }
TASKLOOP(__kmpc_taskloop, (LOOP, void *copy), LOOP_ARGS, copy)
TASKLOOP(__kmpc_taskloop_5, (LOOP, int strict, void *copy), LOOP_ARGS, strict, copy)

/* The library looks for other tasks without end while it waits, and comes to no hook. Under a
 * scheduler who waits runs what is there, and lets others go on. */
SN_EXPORT int32_t __kmpc_omp_taskwait(HERE);
SN_EXPORT int32_t __kmpc_omp_taskwait(HERE)
{
    int32_t (*real)(HERE) = SN_OMP_REAL(__kmpc_omp_taskwait);
    int32_t (*run)(HERE, int) = sn_engine_gates ? SN_OMP_REAL(__kmpc_omp_taskyield) : 0;
    while (run && sn_omp_task_has_children(sn_ompt_current())) {
        run(place, thread, 0);
        sched_yield();
    }
    return real ? real(place, thread) : 0;
}

/* Loops whose iterations wait for others (`ordered depend`, `doacross`). How many numbers name an
 * iteration is said when the loop begins. */
enum { DEEPEST = 16 };
static __thread unsigned depth __attribute__((tls_model("initial-exec")));

static unsigned set_depth(unsigned n)
{
    depth = n < DEEPEST ? n : DEEPEST;
    return n;
}

#define GOMP_ITERATION(v) sn_omp_iteration(sn_gomp_current(), (const int64_t *)(v), depth)
#define KMPC_ITERATION(v) sn_omp_iteration(sn_ompt_current(), v, depth)

SN_EXPORT void __kmpc_doacross_init(HERE, int n, const void *bounds);
SN_EXPORT void __kmpc_doacross_init(HERE, int n, const void *bounds)
{
    void (*real)(HERE, int, const void *) = SN_OMP_REAL(__kmpc_doacross_init);
    if (real)
        real(place, thread, (int)set_depth((unsigned)n), bounds);
}

AWAIT(__kmpc_doacross_wait, sn_omp_go, sn_omp_come, (HERE, const int64_t *v), KMPC_ITERATION(v),
      place, thread, v)
GIVE(__kmpc_doacross_post, (HERE, const int64_t *v), KMPC_ITERATION(v), place, thread, v)
GIVE(GOMP_doacross_post, (long *v), GOMP_ITERATION(v), v)
GIVE(GOMP_doacross_ull_post, (unsigned long long *v), GOMP_ITERATION(v), v)

typedef unsigned long long ull;
#define START(name, type)                                                                          \
    SN_EXPORT bool name(unsigned n, type *counts, type chunk, type *from, type *to);               \
    SN_EXPORT bool name(unsigned n, type *counts, type chunk, type *from, type *to)                \
    {                                                                                              \
        bool (*real)(unsigned, type *, type, type *, type *) = SN_OMP_REAL(name);                  \
        return real && real(set_depth(n), counts, chunk, from, to);                                \
    }
#define START_RUNTIME(name, type)                                                                  \
    SN_EXPORT bool name(unsigned n, type *counts, type *from, type *to);                           \
    SN_EXPORT bool name(unsigned n, type *counts, type *from, type *to)                            \
    {                                                                                              \
        bool (*real)(unsigned, type *, type *, type *) = SN_OMP_REAL(name);                        \
        return real && real(set_depth(n), counts, from, to);                                       \
    }
#define START_ANY(name, type)                                                                      \
    SN_EXPORT bool name(unsigned n, type *counts, long kind, type chunk, type *from, type *to,     \
                        uintptr_t *reductions, void **memory);                                     \
    SN_EXPORT bool name(unsigned n, type *counts, long kind, type chunk, type *from, type *to,     \
                        uintptr_t *reductions, void **memory)                                      \
    {                                                                                              \
        bool (*real)(unsigned, type *, long, type, type *, type *, uintptr_t *, void **) =         \
            SN_OMP_REAL(name);                                                                     \
        return real && real(set_depth(n), counts, kind, chunk, from, to, reductions, memory);      \
    }
START(GOMP_loop_doacross_static_start, long)
START(GOMP_loop_doacross_dynamic_start, long)
START(GOMP_loop_doacross_guided_start, long)
START_RUNTIME(GOMP_loop_doacross_runtime_start, long)
START_ANY(GOMP_loop_doacross_start, long)
START(GOMP_loop_ull_doacross_static_start, ull)
START(GOMP_loop_ull_doacross_dynamic_start, ull)
START(GOMP_loop_ull_doacross_guided_start, ull)
START_RUNTIME(GOMP_loop_ull_doacross_runtime_start, ull)
START_ANY(GOMP_loop_ull_doacross_start, ull)

/* As many arguments as the loop is deep; the library does not look at more. */
#define WAIT(name, type)                                                                           \
    SN_EXPORT void name(type first, ...);                                                          \
    SN_EXPORT void name(type first, ...)                                                           \
    {                                                                                              \
        void (*real)(type, ...) = SN_OMP_REAL(name);                                               \
        type v[DEEPEST] = {first};                                                                 \
        va_list more;                                                                              \
        va_start(more, first);                                                                     \
        for (unsigned i = 1; i < depth; i++)                                                       \
            v[i] = va_arg(more, type);                                                             \
        va_end(more);                                                                              \
        sn_omp_go(SN_CALLER);                                                                      \
        if (real)                                                                                  \
            real(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12],  \
                 v[13], v[14], v[15]);                                                             \
        sn_omp_come(SN_CALLER);                                                                    \
        TAKEN(GOMP_ITERATION(v));                                                                  \
    }
WAIT(GOMP_doacross_wait, long)
WAIT(GOMP_doacross_ull_wait, ull)
