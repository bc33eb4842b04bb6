/*
 * abi.c: the rest of the ThreadSanitizer ABI for a guarded program: what is not guarded does
 * nothing, or what it must (memory intrinsics; the atomics are runtime/tsan_atomic.c with the
 * engine that does nothing). The rewriter binds every other name of snag's to sn_sa_nothing.
 */
#include <stddef.h>
#include <stdint.h>

#define PUBLIC __attribute__((visibility("default")))

PUBLIC int sn_sa_nothing(void);
int sn_sa_nothing(void)
{
    return 0;
}

PUBLIC void *__tsan_memcpy(void *to, const void *from, size_t n);
void *__tsan_memcpy(void *to, const void *from, size_t n)
{
    void *d = to;
    __asm__ volatile("rep movsb" : "+D"(d), "+S"(from), "+c"(n) : : "memory");
    return to;
}

PUBLIC void *__tsan_memset(void *to, int c, size_t n);
void *__tsan_memset(void *to, int c, size_t n)
{
    void *d = to;
    __asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(c) : "memory");
    return to;
}

PUBLIC void *__tsan_memmove(void *to, const void *from, size_t n);
void *__tsan_memmove(void *to, const void *from, size_t n)
{
    char *d = to;
    const char *s = from;
    if ((uintptr_t)d - (uintptr_t)s >= n)
        return __tsan_memcpy(to, from, n);
    while (n--)
        d[n] = s[n];
    return to;
}
