/*
 * alloc.c: malloc and its kin.
 *
 * ALLOC is told after the real call, FREE before it: in between the block is nobody else's. realloc
 * is a free and an allocation; when it fails, the old block is told again (its history is lost, and
 * nothing is wrong). The loader and dlsym() allocate before the real functions are known: such
 * requests are served from a small static arena, and are recognised when they come back.
 */
#include "runtime/alloc.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/sync.h"
#include "runtime/emit.h"
#include "runtime/misuse.h"
#include "runtime/real.h"

enum { EARLY_BYTES = 64 * 1024, EARLY_ALIGN = 16 };

static char early[EARLY_BYTES] __attribute__((aligned(EARLY_ALIGN))) SN_LARGE;
static size_t early_used;
static __thread uintptr_t site_of_next __attribute__((tls_model("initial-exec")));

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

static struct sn_sync_lost given_back(struct sn_thread *t, void *p, uintptr_t pc)
{
    if (sn_engine_sees_blocks)
        SN_EMIT(t, FREE, .addr = (uintptr_t)p, .pc = pc);
    return sn_sync_drop_range((uintptr_t)p, sn_real_usable_size(p));
}

void sn_free_tell(struct sn_thread *t, void *p, uintptr_t pc)
{
    struct sn_sync_lost lost = given_back(t, p, pc);
    if (SN_UNLIKELY(lost.addr != 0))
        sn_misuse_freed(t, lost, pc);
}

/* Hooks of one shape: `real` is the call, `fallback` serves it before the real function is known.
 */
#define ALLOCATE(name, bytes, fallback, real)                                                      \
    uintptr_t pc = take_site(SN_CALLER);                                                           \
    struct sn_thread *t = sn_hook_enter(pc);                                                       \
    if (SN_UNLIKELY(!t)) {                                                                         \
        void *own = scratch.low ? scratch_alloc(bytes) : 0;                                        \
        return own ? own : sn_pass(name) ? (real) : (fallback);                                    \
    }                                                                                              \
    void *p = (real);                                                                              \
    sn_alloc_tell(t, p, bytes, pc);                                                                \
    sn_hook_leave(t);                                                                              \
    return p

SN_EXPORT void *malloc(size_t size)
{
    ALLOCATE(malloc, size, early_alloc(size, EARLY_ALIGN), sn_real.malloc(size));
}

/* Small ones from glibc's cache of the thread, which its calloc does not look into. */
enum { CACHED_BYTES = 1032 };

static void *zeroed(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > CACHED_BYTES)
        return sn_real.calloc(n, size);
    void *p = sn_real.malloc(bytes);
    return p ? sn_real.memset(p, 0, bytes) : 0;
}

SN_EXPORT void *calloc(size_t n, size_t size)
{
    ALLOCATE(calloc, n * size, n < EARLY_BYTES ? early_alloc(n * size, EARLY_ALIGN) : 0,
             zeroed(n, size));
}

SN_EXPORT void *memalign(size_t align, size_t size)
{
    ALLOCATE(memalign, size, early_alloc(size, align), sn_real.memalign(align, size));
}

SN_EXPORT void *aligned_alloc(size_t align, size_t size)
{
    ALLOCATE(aligned_alloc, size, early_alloc(size, align), sn_real.aligned_alloc(align, size));
}

SN_EXPORT void *valloc(size_t size)
{
    ALLOCATE(valloc, size, early_alloc(size, 4096), sn_real.valloc(size));
}

SN_EXPORT void *pvalloc(size_t size)
{
    ALLOCATE(pvalloc, size, early_alloc(size, 4096), sn_real.pvalloc(size));
}

SN_EXPORT int posix_memalign(void **out, size_t align, size_t size)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return sn_pass(posix_memalign)(out, align, size);
    int r = sn_real.posix_memalign(out, align, size);
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
        if (sn_pass(free))
            sn_real.free(p);
        return;
    }
    sn_free_tell(t, p, pc);
    sn_real.free(p);
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

static void *reallocate(void *p, size_t size, uintptr_t pc)
{
    if (SN_UNLIKELY(p && (is_early(p) || is_scratch(p))))
        return early_realloc(p, size);
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t) {
        void *own = scratch.low && !p ? scratch_alloc(size) : 0;
        return own ? own : sn_pass(realloc) ? sn_real.realloc(p, size) : early_alloc(size, EARLY_ALIGN);
    }
    size_t usable = p ? sn_real_usable_size(p) : 0;
    if (p)
        given_back(t, p, pc);
    void *q = sn_real.realloc(p, size);
    if (q)
        sn_alloc_tell(t, q, size, pc);
    else if (p && size)
        sn_alloc_tell(t, p, usable, pc);
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
    return sn_pass(malloc_usable_size)(p);
}
