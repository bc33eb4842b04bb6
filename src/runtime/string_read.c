/*
 * string_read.c: str* functions that only read. What is told is what the function had to look at
 * for its answer: up to the byte that decided it.
 */
#define __NO_INLINE__ 1 /* libc's headers would define some of these themselves */

#include "runtime/touch.h"

#include <string.h>
#include <strings.h>

#include "runtime/real.h"

static size_t length(const char *s)
{
    return sn_real.strlen(s);
}

SN_EXPORT size_t strlen(const char *s)
{
    size_t n = sn_real.strlen(s);
    if (sn_touching(SN_CALLER))
        sn_touch_read(s, n + 1, SN_CALLER);
    return n;
}

SN_EXPORT size_t strnlen(const char *s, size_t max)
{
    size_t n = sn_pass(strnlen)(s, max);
    if (sn_touching(SN_CALLER))
        sn_touch_read(s, n < max ? n + 1 : max, SN_CALLER);
    return n;
}

static char folded(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* Bytes of both that a comparison of at most max looks at. */
static void touch_compared(const char *a, const char *b, size_t max, bool fold, uintptr_t pc)
{
    size_t i = 0;
    for (; i < max; i++) {
        char x = fold ? folded(a[i]) : a[i], y = fold ? folded(b[i]) : b[i];
        if (x != y || !x)
            break;
    }
    size_t seen = i < max ? i + 1 : max;
    sn_touch_read(a, seen, pc);
    sn_touch_read(b, seen, pc);
}

SN_EXPORT int strcmp(const char *a, const char *b)
{
    if (sn_touching(SN_CALLER))
        touch_compared(a, b, SIZE_MAX, false, SN_CALLER);
    return sn_pass(strcmp)(a, b);
}

SN_EXPORT int strncmp(const char *a, const char *b, size_t n)
{
    if (sn_touching(SN_CALLER))
        touch_compared(a, b, n, false, SN_CALLER);
    return sn_pass(strncmp)(a, b, n);
}

SN_EXPORT int strcasecmp(const char *a, const char *b)
{
    if (sn_touching(SN_CALLER))
        touch_compared(a, b, SIZE_MAX, true, SN_CALLER);
    return sn_pass(strcasecmp)(a, b);
}

SN_EXPORT int strncasecmp(const char *a, const char *b, size_t n)
{
    if (sn_touching(SN_CALLER))
        touch_compared(a, b, n, true, SN_CALLER);
    return sn_pass(strncasecmp)(a, b, n);
}

SN_EXPORT char *(strchr)(const char *s, int c)
{
    char *r = sn_pass(strchr)(s, c);
    if (sn_touching(SN_CALLER))
        sn_touch_read(s, (r ? (size_t)(r - s) : length(s)) + 1, SN_CALLER);
    return r;
}

SN_EXPORT char *strchrnul(const char *s, int c)
{
    char *r = sn_pass(strchrnul)(s, c);
    if (sn_touching(SN_CALLER))
        sn_touch_read(s, (size_t)(r - s) + 1, SN_CALLER);
    return r;
}

/* strchr() under its older name. */
SN_EXPORT char *index(const char *s, int c)
{
    char *r = sn_pass(strchr)(s, c);
    if (sn_touching(SN_CALLER))
        sn_touch_read(s, (r ? (size_t)(r - s) : length(s)) + 1, SN_CALLER);
    return r;
}

SN_EXPORT char *(strrchr)(const char *s, int c)
{
    char *r = sn_pass(strrchr)(s, c);
    if (sn_touching(SN_CALLER))
        sn_touch_read(s, length(s) + 1, SN_CALLER);
    return r;
}

SN_EXPORT char *(strstr)(const char *s, const char *what)
{
    char *r = sn_pass(strstr)(s, what);
    if (sn_touching(SN_CALLER)) {
        size_t n = length(what);
        sn_touch_read(s, r ? (size_t)(r - s) + n : length(s) + 1, SN_CALLER);
        sn_touch_read(what, n + 1, SN_CALLER);
    }
    return r;
}

SN_EXPORT char *strcasestr(const char *s, const char *what)
{
    char *r = sn_pass(strcasestr)(s, what);
    if (sn_touching(SN_CALLER)) {
        size_t n = length(what);
        sn_touch_read(s, r ? (size_t)(r - s) + n : length(s) + 1, SN_CALLER);
        sn_touch_read(what, n + 1, SN_CALLER);
    }
    return r;
}

SN_EXPORT size_t strspn(const char *s, const char *set)
{
    size_t n = sn_pass(strspn)(s, set);
    if (sn_touching(SN_CALLER)) {
        sn_touch_read(s, n + 1, SN_CALLER);
        sn_touch_read(set, length(set) + 1, SN_CALLER);
    }
    return n;
}

SN_EXPORT size_t strcspn(const char *s, const char *set)
{
    size_t n = sn_pass(strcspn)(s, set);
    if (sn_touching(SN_CALLER)) {
        sn_touch_read(s, n + 1, SN_CALLER);
        sn_touch_read(set, length(set) + 1, SN_CALLER);
    }
    return n;
}

SN_EXPORT char *(strpbrk)(const char *s, const char *set)
{
    char *r = sn_pass(strpbrk)(s, set);
    if (sn_touching(SN_CALLER)) {
        sn_touch_read(s, (r ? (size_t)(r - s) : length(s)) + 1, SN_CALLER);
        sn_touch_read(set, length(set) + 1, SN_CALLER);
    }
    return r;
}

/* Numbers: up to where the conversion stopped. */
#define NUMBER(type, name)                                                                         \
    SN_EXPORT type name(const char *s, char **end, int base)                                       \
    {                                                                                              \
        char *stop = 0;                                                                            \
        type r = sn_pass(name)(s, &stop, base);                                                    \
        if (sn_touching(SN_CALLER)) {                                                              \
            sn_touch_read(s, (size_t)(stop - s) + 1, SN_CALLER);                                   \
            if (end)                                                                               \
                sn_touch_write(end, sizeof *end, SN_CALLER);                                       \
        }                                                                                          \
        if (end)                                                                                   \
            *end = stop;                                                                           \
        return r;                                                                                  \
    }

NUMBER(long, strtol)
NUMBER(unsigned long, strtoul)
NUMBER(long long, strtoll)
NUMBER(unsigned long long, strtoull)

SN_EXPORT int atoi(const char *s)
{
    char *stop;
    int r = (int)sn_pass(strtol)(s, &stop, 10);
    if (sn_touching(SN_CALLER))
        sn_touch_read(s, (size_t)(stop - s) + 1, SN_CALLER);
    return r;
}

SN_EXPORT long atol(const char *s)
{
    char *stop;
    long r = sn_pass(strtol)(s, &stop, 10);
    if (sn_touching(SN_CALLER))
        sn_touch_read(s, (size_t)(stop - s) + 1, SN_CALLER);
    return r;
}
