/*
 * xalloc.h: memory for the command. When there is none left the command says so and ends with
 * status 125, so that no caller needs a path for it. Never used in the program under test.
 */
#ifndef SN_STORE_XALLOC_H
#define SN_STORE_XALLOC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void *sn_xcheck(void *p)
{
    if (p)
        return p;
    fputs("snag: out of memory\n", stderr);
    exit(125);
}

/* Zeroed; count × size is checked for overflow. Never null. */
static inline void *sn_xcalloc(size_t count, size_t size)
{
    return sn_xcheck(calloc(count ? count : 1, size ? size : 1));
}

static inline void *sn_xrealloc(void *p, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return sn_xcheck(NULL);
    return sn_xcheck(realloc(p, bytes ? bytes : 1));
}

/* Null stays null: absent strings are copied as absent. */
static inline char *sn_xstrdup(const char *s)
{
    return s ? sn_xcheck(strdup(s)) : NULL;
}

static inline char *sn_xstrndup(const char *s, size_t n)
{
    return sn_xcheck(strndup(s, n));
}

__attribute__((format(printf, 1, 2))) static inline char *sn_xformat(const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    return sn_xcheck(n < 0 ? NULL : text);
}

/* Room for one more element of an array that doubles. */
static inline void *sn_xgrow(void *p, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return p;
    *cap = *cap ? *cap * 2 : 8;
    return sn_xrealloc(p, *cap, size);
}

#endif
