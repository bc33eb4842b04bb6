/*
 * real.c: finds the real functions. The only file that calls dlsym().
 *
 * RTLD_NEXT, not libc by name: a program may bring its own allocator, and that is then the real
 * one. dlvsym() where the default of dlsym() could be a compatibility version with another layout
 * of the object (condition variables).
 */
#include "runtime/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>

#include "runtime/plain.h"

struct sn_real sn_real = {
    .memcpy = sn_plain_memcpy,
    .memmove = sn_plain_memmove,
    .memset = sn_plain_memset,
    .memcmp = sn_plain_memcmp,
    .strlen = sn_plain_strlen,
};
static bool free_is_ours;     /* nobody before snag has one: whatever libc frees comes here */
static bool usable_size_fits; /* malloc_usable_size() is of the same library as malloc() */

/* For a function that this libc lacks; whoever calls it was not linked against this libc. */
static int absent(void)
{
    errno = ENOSYS;
    return ENOSYS;
}

static void *find(const char *name, const char *version)
{
    void *p = version ? dlvsym(RTLD_NEXT, name, version) : 0;
    if (!p)
        p = dlsym(RTLD_NEXT, name);
    return p ? p : (void *)absent;
}

void sn_real_init(void)
{
    static int begun;
    if (__atomic_exchange_n(&begun, 1, __ATOMIC_ACQ_REL))
        return;
#define SN_REAL(name) sn_real.name = (__typeof__(sn_real.name))find(#name, 0);
#define SN_REAL_V(name, version) sn_real.name = (__typeof__(sn_real.name))find(#name, version);
#define SN_REAL_AS(name, other) SN_REAL(name)
#define SN_REAL_OPTIONAL(name)
#include "runtime/real.def"
#undef SN_REAL
#undef SN_REAL_V
#undef SN_REAL_AS
#undef SN_REAL_OPTIONAL
        /* A symbol that is not there makes the loader allocate, and the program's own allocator may
         * ask for the time, make locks, read files: all of that must be known by then. */
#define SN_REAL(name)
#define SN_REAL_V(name, version)
#define SN_REAL_AS(name, other)
#define SN_REAL_OPTIONAL(name) sn_real.name = (__typeof__(sn_real.name))dlsym(RTLD_NEXT, #name);
#include "runtime/real.def"
#undef SN_REAL
#undef SN_REAL_V
#undef SN_REAL_AS
#undef SN_REAL_OPTIONAL
    Dl_info a, b;
    free_is_ours = dladdr(&usable_size_fits, &a) && dladdr(dlsym(RTLD_DEFAULT, "free"), &b) &&
                   a.dli_fbase == b.dli_fbase;
    usable_size_fits = dladdr((void *)sn_real.malloc, &a) &&
                       dladdr((void *)sn_real.malloc_usable_size, &b) && a.dli_fbase == b.dli_fbase;
}

bool sn_real_free_is_ours(void)
{
    return free_is_ours;
}

size_t sn_real_usable_size(void *p)
{
    return usable_size_fits ? sn_real.malloc_usable_size(p) : 0;
}

static const char *const operator_name[] = {
#define SN_OPERATOR(name) #name,
#include "runtime/operator.def"
#undef SN_OPERATOR
};

static void *known_operator[SN_OPERATOR_COUNT];

void *sn_real_operator(enum sn_operator op)
{
    void *p = __atomic_load_n(&known_operator[op], __ATOMIC_RELAXED);
    if (SN_LIKELY(p != 0))
        return p;
    p = dlsym(RTLD_NEXT, operator_name[op]);
    __atomic_store_n(&known_operator[op], p, __ATOMIC_RELAXED);
    return p;
}

/* The library stays: what was found is used for ever. */
static void *find_in(enum sn_operator op, const char *library, int how)
{
    void *handle = sn_real.dlopen(library, RTLD_LAZY | how);
    void *p = handle ? dlsym(handle, operator_name[op]) : 0;
    if (p)
        __atomic_store_n(&known_operator[op], p, __ATOMIC_RELAXED);
    return p;
}

void *sn_real_of_library(enum sn_operator op, const char *const *libraries)
{
    void *p = sn_real_operator(op);
    if (SN_LIKELY(p != 0))
        return p;
    sn_real_init();
    for (const char *const *l = libraries; !p && *l; l++)
        p = find_in(op, *l, RTLD_NOLOAD);
    return p ? p : find_in(op, libraries[0], 0);
}

bool sn_real_same_file(const void *a, const void *b)
{
    Dl_info of_a, of_b;
    return dladdr(a, &of_a) && dladdr(b, &of_b) && of_a.dli_fbase == of_b.dli_fbase;
}

bool sn_real_malloc_is_libc(void)
{
    Dl_info libc, of;
#define PLAIN(name) (dladdr((void *)sn_real.name, &of) && of.dli_fbase == libc.dli_fbase)
    return dladdr((void *)sn_real.execve, &libc) && PLAIN(malloc) && PLAIN(calloc) &&
           PLAIN(realloc) && PLAIN(free) && PLAIN(reallocarray) && PLAIN(memalign) &&
           PLAIN(posix_memalign) && PLAIN(aligned_alloc) && PLAIN(malloc_usable_size);
#undef PLAIN
}

bool sn_real_operator_frees(enum sn_operator op)
{
    enum { UNKNOWN, YES, NO };
    static uint8_t known[SN_OPERATOR_COUNT];
    uint8_t answer = __atomic_load_n(&known[op], __ATOMIC_RELAXED);
    if (SN_LIKELY(answer != UNKNOWN))
        return answer == YES;
    void *real = sn_real_operator(op);
    Dl_info of;
    bool yes = real && dladdr(real, &of) && of.dli_fname &&
               (strstr(of.dli_fname, "/libstdc++.so") || strstr(of.dli_fname, "/libc++.so") ||
                strstr(of.dli_fname, "/libc++abi.so"));
    if (real)
        __atomic_store_n(&known[op], yes ? YES : NO, __ATOMIC_RELAXED);
    return yes;
}

/* Both symbols are the loader's and libc's private interface to debuggers: they may be absent. */
size_t sn_real_static_tls_bytes(void)
{
    static size_t known = (size_t)-1;
    if (known != (size_t)-1)
        return known;
    void (*info)(size_t *, size_t *) =
        (void (*)(size_t *, size_t *))dlsym(RTLD_NEXT, "_dl_get_tls_static_info");
    const uint32_t *tcb = dlsym(RTLD_NEXT, "_thread_db_sizeof_pthread");
    size_t bytes = 0, align = 0;
    if (info && tcb)
        info(&bytes, &align);
    known = tcb && bytes > *tcb ? bytes - *tcb : 0;
    return known;
}
