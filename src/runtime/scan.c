/*
 * scan.c: the scanf family: what the call has stored is written memory. How many conversions were
 * stored is its result; which bytes each has, its format says. A format with numbered arguments is
 * not followed, and of %n nothing is told: whether it was reached is not known.
 */
#define __NO_INLINE__ 1

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "runtime/real.h"
#include "runtime/stream.h"
#include "runtime/touch.h"

struct conversion {
    bool skipped;   /* %*d */
    bool allocates; /* %ms */
    size_t width;   /* 0: none */
    int wide;       /* -2 hh, -1 h, 0, 1 l, 2 ll, L, q, j, z, t */
    char kind;
};

static const char *read_length(const char *p, struct conversion *c)
{
    for (;; p++) {
        if (*p == 'h')
            c->wide--;
        else if (*p == 'l')
            c->wide++;
        else if (*p && strchr("Lqjzt", *p))
            c->wide = 2;
        else
            return p;
    }
}

static const char *end_of_set(const char *p)
{
    if (*p == '^')
        p++;
    if (*p == ']')
        p++;
    while (*p && *p != ']')
        p++;
    return *p ? p + 1 : p;
}

/* After the '%'; null: not understood. */
static const char *read_conversion(const char *p, struct conversion *c)
{
    *c = (struct conversion){0};
    if (*p == '*') {
        c->skipped = true;
        p++;
    }
    while (*p == '\'' || *p == 'I')
        p++;
    while (*p >= '0' && *p <= '9')
        c->width = c->width * 10 + (size_t)(*p++ - '0');
    if (*p == '$')
        return 0;
    if (*p == 'm') {
        c->allocates = true;
        p++;
    }
    p = read_length(p, c);
    c->kind = *p;
    if (!*p)
        return 0;
    return *p == '[' ? end_of_set(p + 1) : p + 1;
}

static size_t integer_bytes(int wide)
{
    return wide == -2 ? 1 : wide == -1 ? 2 : wide == 0 ? 4 : 8;
}

static size_t float_bytes(int wide)
{
    return wide == 0 ? sizeof(float) : wide == 1 ? sizeof(double) : sizeof(long double);
}

static size_t text_bytes(const struct conversion *c, const void *p)
{
    size_t unit = c->wide > 0 || c->kind == 'S' || c->kind == 'C' ? sizeof(wchar_t) : 1;
    if (c->kind == 'c' || c->kind == 'C')
        return (c->width ? c->width : 1) * unit;
    if (unit == 1)
        return sn_real.strlen(p) + 1;
    const wchar_t *end = p;
    while (*end)
        end++;
    return ((size_t)(end - (const wchar_t *)p) + 1) * unit;
}

static size_t stored_bytes(const struct conversion *c, const void *p)
{
    if (c->allocates)
        return sizeof(void *);
    if (strchr("diouxX", c->kind))
        return integer_bytes(c->wide);
    if (strchr("aAeEfFgG", c->kind))
        return float_bytes(c->wide);
    if (c->kind == 'p')
        return sizeof(void *);
    return strchr("sScC[", c->kind) ? text_bytes(c, p) : 0;
}

static void touch_stored(const char *p, va_list ap, int stored, uintptr_t pc)
{
    struct conversion c;
    while (stored > 0 && p && (p = strchr(p, '%'))) {
        if (p[1] == '%') {
            p += 2;
            continue;
        }
        p = read_conversion(p + 1, &c);
        if (!p || c.skipped)
            continue;
        void *to = va_arg(ap, void *);
        if (c.kind == 'n')
            continue;
        stored--;
        sn_touch_write(to, stored_bytes(&c, to), pc);
    }
}

static void touch_input(const char *s, uintptr_t pc)
{
    if (sn_touching(pc))
        sn_touch_read(s, sn_real.strlen(s) + 1, pc);
}

static int scanned(const char *format, va_list ap, int r, uintptr_t pc)
{
    if (r > 0 && sn_touching(pc))
        touch_stored(format, ap, r, pc);
    return r;
}

/* Three functions and their variadic forms, in each of libc's dialects. Each is defined under a
 * name of its own: <stdio.h> gives scanf the symbol of one dialect. */
#define VARIADIC(name, symbol, params, call)                                                       \
    SN_EXPORT int name params __asm__(symbol);                                                     \
    int name params                                                                                \
    {                                                                                              \
        va_list ap;                                                                                \
        va_start(ap, format);                                                                      \
        int r = call;                                                                              \
        va_end(ap);                                                                                \
        return r;                                                                                  \
    }
#define LISTED(name, symbol, params, call)                                                         \
    SN_EXPORT int name params __asm__(symbol);                                                     \
    int name params                                                                                \
    {                                                                                              \
        return call;                                                                               \
    }
#define SCAN(id, prefix)                                                                           \
    static int id##_file(FILE *f, const char *format, va_list ap, uintptr_t pc)                    \
    {                                                                                              \
        va_list again;                                                                             \
        va_copy(again, ap);                                                                        \
        int r = sn_pass(prefix##vfscanf)(f, format, ap);                                           \
        sn_stream_edge(f, true, pc);                                                               \
        scanned(format, again, r, pc);                                                             \
        va_end(again);                                                                             \
        return r;                                                                                  \
    }                                                                                              \
    static int id##_text(const char *s, const char *format, va_list ap, uintptr_t pc)              \
    {                                                                                              \
        va_list again;                                                                             \
        va_copy(again, ap);                                                                        \
        touch_input(s, pc);                                                                        \
        int r = sn_pass(prefix##vsscanf)(s, format, ap);                                           \
        scanned(format, again, r, pc);                                                             \
        va_end(again);                                                                             \
        return r;                                                                                  \
    }                                                                                              \
    LISTED(id##_vfscanf, #prefix "vfscanf", (FILE * f, const char *format, va_list ap),            \
           id##_file(f, format, ap, SN_CALLER))                                                    \
    LISTED(id##_vscanf, #prefix "vscanf", (const char *format, va_list ap),                        \
           id##_file(stdin, format, ap, SN_CALLER))                                                \
    LISTED(id##_vsscanf, #prefix "vsscanf", (const char *s, const char *format, va_list ap),       \
           id##_text(s, format, ap, SN_CALLER))                                                    \
    VARIADIC(id##_fscanf, #prefix "fscanf", (FILE * f, const char *format, ...),                   \
             id##_file(f, format, ap, SN_CALLER))                                                  \
    VARIADIC(id##_scanf, #prefix "scanf", (const char *format, ...),                               \
             id##_file(stdin, format, ap, SN_CALLER))                                              \
    VARIADIC(id##_sscanf, #prefix "sscanf", (const char *s, const char *format, ...),              \
             id##_text(s, format, ap, SN_CALLER))

SCAN(gnu, )
SCAN(c99, __isoc99_)
SCAN(c23, __isoc23_)
