/*
 * alloc.c: malloc and its kin.
 *
 * ALLOC is told after the real call, FREE before it: in between the block is nobody else's. realloc
 * is a free and an allocation; when it fails, the old block is told again (its history is lost, and
 * nothing is wrong). The loader and dlsym() allocate before the real functions are known: such
 * requests are served from a small static arena, and are recognised when they come back.
 *
 * An allocator of the program's that is instrumented runs outside the hook: its accesses are seen,
 * so its locks must be, too. What it allocates from itself is told twice, which does no harm.
 *
 * Inside a hook small blocks may come from snag's own heap (core/small.h, heap.c). Outside of one
 * all are libc's; but any block may come back there.
 */
#include "runtime/alloc.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/small.h"
#include "core/sync.h"
#include "runtime/emit.h"
#include "runtime/instrumented.h"
#include "runtime/library.h"
#include "runtime/misuse.h"
#include "runtime/real.h"

enum { EARLY_BYTES = 64 * 1024, EARLY_ALIGN = 16 };

static char early[EARLY_BYTES] __attribute__((aligned(EARLY_ALIGN))) SN_LARGE;
static size_t early_used;
static __thread uintptr_t site_of_next __attribute__((tls_model("initial-exec")));
static bool allocator_is_seen; /* set before threads; the program's own, and instrumented */

void sn_alloc_begin(void)
{
    allocator_is_seen = !sn_real_malloc_is_libc() && sn_instrumented((uintptr_t)sn_real.malloc);
}

/* Around the real call. */
static inline void let_it_be_seen(struct sn_thread *t)
{
    if (SN_UNLIKELY(allocator_is_seen))
        sn_hook_suspend(t);
}

static inline void go_on(struct sn_thread *t, uintptr_t pc)
{
    if (SN_LIKELY(!allocator_is_seen))
        return;
    sn_hook_resume(t);
    t->pc = pc;
}

static bool is_early(const void *p)
{
    return (uintptr_t)p - (uintptr_t)early < EARLY_BYTES;
}

/* The size stands in the word before the block. Never given back. */
static SN_NOINLINE void *early_alloc(size_t size, size_t align)
{
    if (align < EARLY_ALIGN)
        align = EARLY_ALIGN;
    if (size > EARLY_BYTES || align > EARLY_BYTES)
        return 0;
    size_t want = size + align + EARLY_ALIGN;
    size_t at = __atomic_fetch_add(&early_used, want, __ATOMIC_RELAXED);
    if (at + want > EARLY_BYTES)
        return 0;
    uintptr_t p = ((uintptr_t)early + at + EARLY_ALIGN + align - 1) & ~(align - 1);
    ((size_t *)p)[-1] = size;
    return (void *)p;
}

static size_t early_size(const void *p)
{
    return ((const size_t *)p)[-1];
}

/* For libc's own allocations on behalf of snag. A new thread has no heap of its own yet, and making
 * one costs more than all else that a thread's start needs. */
static __thread struct {
    char *low, *at, *high;
} scratch __attribute__((tls_model("initial-exec")));

void sn_alloc_scratch(char *from, size_t bytes)
{
    if (!sn_real_free_is_ours())
        return; /* a program with a free() of its own would get what it has never made */
    scratch.low = scratch.at = from;
    scratch.high = from + bytes;
}

static bool is_scratch(const void *p)
{
    return (uintptr_t)p - (uintptr_t)scratch.low < (size_t)(scratch.high - scratch.low);
}

/* The size stands before the block, as with early ones; null: no room, or not wanted. */
static SN_NOINLINE char *scratch_alloc(size_t size)
{
    size_t room = (size_t)(scratch.high - scratch.at);
    size_t want = EARLY_ALIGN + ((size + EARLY_ALIGN - 1) & ~(size_t)(EARLY_ALIGN - 1));
    if (size > room || want > room)
        return 0;
    char *p = scratch.at + EARLY_ALIGN;
    ((size_t *)p)[-1] = size;
    scratch.at += want;
    return __builtin_memset(p, 0, size);
}

/* operator new[] calls operator new: the outermost counts. */
void sn_alloc_site(uintptr_t pc)
{
    if (!site_of_next)
        site_of_next = pc;
}

bool sn_alloc_site_used(void)
{
    bool used = site_of_next == 0;
    site_of_next = 0;
    return used;
}

static uintptr_t take_site(uintptr_t pc)
{
    uintptr_t site = site_of_next;
    if (SN_LIKELY(!site))
        return pc;
    site_of_next = 0;
    return site;
}

void sn_alloc_tell(struct sn_thread *t, void *p, size_t size, uintptr_t pc)
{
    if (sn_engine_sees_blocks && p)
        SN_EMIT(t, ALLOC, .addr = (uintptr_t)p, .size = size, .pc = pc);
}

static size_t usable(void *p)
{
    return sn_is_small(p) ? sn_small_size(p) : sn_real_usable_size(p);
}

static struct sn_sync_lost given_back(struct sn_thread *t, void *p, uintptr_t pc)
{
    if (sn_engine_sees_blocks) {
        sn_library_frees(t);
        SN_EMIT(t, FREE, .addr = (uintptr_t)p, .pc = pc);
    }
    return sn_sync_drop_range((uintptr_t)p, usable(p));
}

void sn_free_tell(struct sn_thread *t, void *p, uintptr_t pc)
{
    struct sn_sync_lost lost = given_back(t, p, pc);
    if (SN_UNLIKELY(lost.addr != 0))
        sn_misuse_freed(t, lost, pc);
}

/* As libc ends a program that frees what is no block. */
static SN_NOINLINE __attribute__((noreturn)) void refuse(struct sn_thread *t, const char *words)
{
    if (t)
        sn_hook_leave(t);
    sn_sys3(SYS_write, STDERR_FILENO, words, strlen(words));
    abort();
}

void sn_free_small(struct sn_thread *t, void *p)
{
    enum sn_small_answer answer = sn_small_free(t ? t->small : 0, p);
    if (SN_UNLIKELY(answer != SN_SMALL_DONE))
        refuse(t, answer == SN_SMALL_TWICE ? "free(): double free detected\n"
                                           : "free(): invalid pointer\n");
}

static inline __attribute__((always_inline)) void *new_block(struct sn_thread *t, size_t size)
{
    void *p = sn_small_alloc(&t->small, size);
    return SN_LIKELY(p != 0) ? p : sn_real.malloc(size);
}

/* Hooks of one shape: `ours` is the call in a hook, `real` outside of one, `fallback` serves it
 * before the real function is known. */
#define ALLOCATE(name, bytes, fallback, real, ours)                                                \
    uintptr_t pc = take_site(SN_CALLER);                                                           \
    struct sn_thread *t = sn_hook_enter(pc);                                                       \
    if (SN_UNLIKELY(!t)) {                                                                         \
        void *own = scratch.low ? scratch_alloc(bytes) : 0;                                        \
        return own ? own : sn_pass(name) ? (real) : (fallback);                                    \
    }                                                                                              \
    let_it_be_seen(t);                                                                             \
    void *p = (ours);                                                                              \
    go_on(t, pc);                                                                                  \
    sn_alloc_tell(t, p, bytes, pc);                                                                \
    sn_hook_leave(t);                                                                              \
    return p
#define ALLOCATE_REAL(name, bytes, fallback, real) ALLOCATE(name, bytes, fallback, real, real)

SN_EXPORT void *malloc(size_t size)
{
    ALLOCATE(malloc, size, early_alloc(size, EARLY_ALIGN), sn_real.malloc(size),
             new_block(t, size));
}

/* Small ones from glibc's cache of the thread, which its calloc does not look into. */
enum { CACHED_BYTES = 1032 };

static void *zeroed(struct sn_thread *t, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > CACHED_BYTES)
        return sn_real.calloc(n, size);
    void *p = t ? new_block(t, bytes) : sn_real.malloc(bytes);
    return p ? sn_real.memset(p, 0, bytes) : 0;
}

SN_EXPORT void *calloc(size_t n, size_t size)
{
    ALLOCATE(calloc, n * size, n < EARLY_BYTES ? early_alloc(n * size, EARLY_ALIGN) : 0,
             zeroed(0, n, size), zeroed(t, n, size));
}

SN_EXPORT void *memalign(size_t align, size_t size)
{
    ALLOCATE_REAL(memalign, size, early_alloc(size, align), sn_real.memalign(align, size));
}

SN_EXPORT void *aligned_alloc(size_t align, size_t size)
{
    ALLOCATE_REAL(aligned_alloc, size, early_alloc(size, align), sn_real.aligned_alloc(align, size));
}

SN_EXPORT void *valloc(size_t size)
{
    ALLOCATE_REAL(valloc, size, early_alloc(size, 4096), sn_real.valloc(size));
}

SN_EXPORT void *pvalloc(size_t size)
{
    ALLOCATE_REAL(pvalloc, size, early_alloc(size, 4096), sn_real.pvalloc(size));
}

SN_EXPORT int posix_memalign(void **out, size_t align, size_t size)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return sn_pass(posix_memalign)(out, align, size);
    let_it_be_seen(t);
    int r = sn_real.posix_memalign(out, align, size);
    go_on(t, pc);
    if (r == 0)
        sn_alloc_tell(t, *out, size, pc);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT void free(void *p)
{
    uintptr_t pc = take_site(SN_CALLER);
    if (!p || SN_UNLIKELY(is_early(p) || is_scratch(p)))
        return;
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t) {
        if (sn_is_small(p))
            sn_free_small(0, p);
        else if (sn_pass(free))
            sn_real.free(p);
        return;
    }
    sn_free_tell(t, p, pc);
    let_it_be_seen(t);
    if (sn_is_small(p))
        sn_free_small(t, p);
    else
        sn_real.free(p);
    go_on(t, pc);
    sn_hook_leave(t);
}

static SN_NOINLINE void *early_realloc(void *p, size_t size)
{
    void *q = malloc(size);
    size_t old = early_size(p);
    if (q)
        __builtin_memcpy(q, p, old < size ? old : size);
    return q;
}

static void check_small(struct sn_thread *t, const void *p)
{
    if (SN_UNLIKELY(sn_small_look(p) != SN_SMALL_DONE))
        refuse(t, "realloc(): invalid pointer\n");
}

static void *move_small(struct sn_thread *t, void *p, size_t size, void *to)
{
    size_t old = sn_small_size(p);
    if (!to)
        return 0;
    sn_real.memcpy(to, p, old < size ? old : size);
    sn_free_small(t, p);
    return to;
}

static SN_NOINLINE void *small_outside(void *p, size_t size)
{
    check_small(0, p);
    if (size)
        return move_small(0, p, size, sn_real.malloc(size));
    sn_free_small(0, p);
    return 0;
}

/* Blocks of libc stay with libc. Ours stay where they are unless half of them would be empty. */
static void *resized(struct sn_thread *t, void *p, size_t size)
{
    if (!p)
        return new_block(t, size);
    if (!sn_is_small(p))
        return sn_real.realloc(p, size);
    size_t old = sn_small_size(p);
    if (size <= old && size > old / 2)
        return p;
    if (size)
        return move_small(t, p, size, new_block(t, size));
    sn_free_small(t, p);
    return 0;
}

static void *reallocate(void *p, size_t size, uintptr_t pc)
{
    if (SN_UNLIKELY(p && (is_early(p) || is_scratch(p))))
        return early_realloc(p, size);
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t && p && sn_is_small(p))
        return small_outside(p, size);
    if (!t) {
        void *own = scratch.low && !p ? scratch_alloc(size) : 0;
        return own ? own : sn_pass(realloc) ? sn_real.realloc(p, size) : early_alloc(size, EARLY_ALIGN);
    }
    if (p && sn_is_small(p))
        check_small(t, p);
    size_t old = p ? usable(p) : 0;
    if (p)
        given_back(t, p, pc);
    let_it_be_seen(t);
    void *q = resized(t, p, size);
    go_on(t, pc);
    if (q)
        sn_alloc_tell(t, q, size, pc);
    else if (p && size)
        sn_alloc_tell(t, p, old, pc);
    sn_hook_leave(t);
    return q;
}

SN_EXPORT void *realloc(void *p, size_t size)
{
    return reallocate(p, size, take_site(SN_CALLER));
}

SN_EXPORT void *reallocarray(void *p, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return 0;
    }
    return reallocate(p, bytes, take_site(SN_CALLER));
}

SN_EXPORT size_t malloc_usable_size(void *p)
{
    if (p && is_early(p))
        return early_size(p);
    if (p && sn_is_small(p))
        return sn_small_size(p);
    return sn_pass(malloc_usable_size)(p);
}
