/*
 * memory.c: new memory has no past: blocks from the allocator, whoever asks for them, and the stack
 * of a new thread. The rewriter exports these functions under the allocator's names, so that
 * libraries come here, too; the real ones are what the loader would have found next.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "core/spin.h"
#include "recorder.h"

#define PUBLIC __attribute__((visibility("default")))
#define NEXT ((void *)-1l) /* RTLD_NEXT */

PUBLIC void *(*sn_sa_dlsym)(void *, const char *); /* filled by the loader */

static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static void *(*real_memalign)(size_t, size_t);
static void *(*real_aligned_alloc)(size_t, size_t);
static int (*real_posix_memalign)(void **, size_t, size_t);
static size_t (*real_usable_size)(void *);
static void (*real_free)(void *);
static int (*real_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static int (*real_getattr)(pthread_t, pthread_attr_t *);
static int (*real_getstack)(const pthread_attr_t *, void **, size_t *);
static int (*real_destroy)(pthread_attr_t *);
static pthread_t (*real_self)(void);

SN_NOINLINE void *sn_sa_next(const char *name)
{
    return sn_sa_dlsym ? sn_sa_dlsym(NEXT, name) : 0;
}

/* Found when first needed: whoever finds it, finds the same. */
#define REAL(name, symbol)                                                                         \
    (__builtin_expect(real_##name != 0, 1)                                                         \
         ? real_##name                                                                             \
         : (__typeof__(real_##name))(real_##name = (__typeof__(real_##name))sn_sa_next(symbol)))

static inline void *fresh(void *p, size_t size)
{
    if (p)
        sn_sa_forget((uintptr_t)p, size);
    return p;
}

PUBLIC void *sn_sa_malloc(size_t size);
void *sn_sa_malloc(size_t size)
{
    return REAL(malloc, "malloc") ? fresh(real_malloc(size), size) : 0;
}

PUBLIC void *sn_sa_calloc(size_t n, size_t size);
void *sn_sa_calloc(size_t n, size_t size)
{
    return REAL(calloc, "calloc") ? fresh(real_calloc(n, size), n * size) : 0;
}

PUBLIC void *sn_sa_realloc(void *p, size_t size);
void *sn_sa_realloc(void *p, size_t size)
{
    return REAL(realloc, "realloc") ? fresh(real_realloc(p, size), size) : 0;
}

PUBLIC void *sn_sa_memalign(size_t align, size_t size);
void *sn_sa_memalign(size_t align, size_t size)
{
    return REAL(memalign, "memalign") ? fresh(real_memalign(align, size), size) : 0;
}

PUBLIC void *sn_sa_aligned_alloc(size_t align, size_t size);
void *sn_sa_aligned_alloc(size_t align, size_t size)
{
    return REAL(aligned_alloc, "aligned_alloc") ? fresh(real_aligned_alloc(align, size), size) : 0;
}

PUBLIC int sn_sa_posix_memalign(void **out, size_t align, size_t size);
int sn_sa_posix_memalign(void **out, size_t align, size_t size)
{
    enum { NO_MEMORY = 12 };
    if (!REAL(posix_memalign, "posix_memalign"))
        return NO_MEMORY;
    int r = real_posix_memalign(out, align, size);
    if (!r)
        fresh(*out, size);
    return r;
}

size_t sn_sa_usable(void *p)
{
    return REAL(usable_size, "malloc_usable_size") ? real_usable_size(p) : 16;
}

/* ---- threads ---- */

struct start {
    void *(*run)(void *);
    void *arg;
};

static void forget_stack(void)
{
    pthread_attr_t attr;
    void *low;
    size_t bytes;
    if (!REAL(getattr, "pthread_getattr_np") || !REAL(self, "pthread_self") ||
        !REAL(getstack, "pthread_attr_getstack") || !REAL(destroy, "pthread_attr_destroy") ||
        real_getattr(real_self(), &attr) != 0)
        return;
    if (real_getstack(&attr, &low, &bytes) == 0)
        sn_sa_forget((uintptr_t)low, bytes);
    real_destroy(&attr);
}

static void *begin(void *p)
{
    struct start s = *(struct start *)p;
    real_free(p);
    forget_stack();
    return s.run(s.arg);
}

PUBLIC int sn_sa_create(pthread_t *t, const pthread_attr_t *attr, void *(*run)(void *), void *arg);
int sn_sa_create(pthread_t *t, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
    enum { TRY_AGAIN = 11 };
    if (!REAL(create, "pthread_create"))
        return TRY_AGAIN;
    struct start *s = REAL(malloc, "malloc") && REAL(free, "free") ? real_malloc(sizeof *s) : 0;
    if (!s)
        return real_create(t, attr, run, arg);
    *s = (struct start){run, arg};
    int r = real_create(t, attr, begin, s);
    if (r)
        real_free(s);
    return r;
}
