/*
 * plain.c: copying and setting without libc, for the time before the real functions are known and
 * for code that must not go through a hook. The string instructions are fast enough on every
 * processor of the last ten years.
 */
#include "runtime/plain.h"

void *sn_plain_memcpy(void *to, const void *from, size_t n)
{
    void *result = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
    return result;
}

void *sn_plain_memmove(void *to, const void *from, size_t n)
{
    char *d = to;
    const char *s = from;
    if (d <= s || d >= s + n)
        return sn_plain_memcpy(to, from, n);
    void *last_to = d + n - 1;
    const void *last_from = s + n - 1;
    __asm__ volatile("std\n\trep movsb\n\tcld"
                     : "+D"(last_to), "+S"(last_from), "+c"(n)::"memory", "cc");
    return to;
}

void *sn_plain_memset(void *to, int c, size_t n)
{
    void *result = to;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(c) : "memory");
    return result;
}

int sn_plain_memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return x[i] - y[i];
    return 0;
}

size_t sn_plain_strlen(const char *s)
{
    size_t n = 0;
    while (((const volatile char *)s)[n])
        n++;
    return n;
}
