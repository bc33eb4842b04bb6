/*
 * string_write.c: str* functions that write, and the printf family into memory. Each is told before
 * it happens where the lengths are known before, and after it otherwise.
 */
#include "runtime/touch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/alloc.h"
#include "runtime/real.h"

static size_t length(const char *s)
{
    return sn_real.strlen(s);
}

static size_t length_to(const char *s, size_t max)
{
    return sn_pass(strnlen)(s, max);
}

static void touch_copy(char *to, const char *from, uintptr_t pc)
{
    size_t n = length(from) + 1;
    sn_touch_read(from, n, pc);
    sn_touch_write(to, n, pc);
}

/* strncpy pads to n; it reads no further than the end. */
static void touch_copy_to(char *to, const char *from, size_t n, uintptr_t pc)
{
    size_t got = length_to(from, n);
    sn_touch_read(from, got < n ? got + 1 : n, pc);
    sn_touch_write(to, n, pc);
}

static void touch_append(char *to, const char *from, size_t n, uintptr_t pc)
{
    size_t had = length(to), got = length_to(from, n);
    sn_touch_read(from, got < n ? got + 1 : n, pc);
    sn_touch_read(to, had + 1, pc);
    sn_touch_write(to + had, got + 1, pc);
}

#define HOOK(type, name, params, args, touch)                                                      \
    type name params;                                                                              \
    SN_EXPORT type name params                                                                     \
    {                                                                                              \
        if (sn_touching(SN_CALLER))                                                                \
            touch;                                                                                 \
        return sn_pass(name) args;                                                                 \
    }

HOOK(char *, strcpy, (char *to, const char *from), (to, from), touch_copy(to, from, SN_CALLER))
HOOK(char *, stpcpy, (char *to, const char *from), (to, from), touch_copy(to, from, SN_CALLER))
HOOK(char *, strncpy, (char *to, const char *from, size_t n), (to, from, n),
     touch_copy_to(to, from, n, SN_CALLER))
HOOK(char *, stpncpy, (char *to, const char *from, size_t n), (to, from, n),
     touch_copy_to(to, from, n, SN_CALLER))
HOOK(char *, strcat, (char *to, const char *from), (to, from),
     touch_append(to, from, SIZE_MAX, SN_CALLER))
HOOK(char *, strncat, (char *to, const char *from, size_t n), (to, from, n),
     touch_append(to, from, n, SN_CALLER))

/* The checked forms, of programs built with _FORTIFY_SOURCE. */
HOOK(char *, __strcpy_chk, (char *to, const char *from, size_t room), (to, from, room),
     touch_copy(to, from, SN_CALLER))
HOOK(char *, __stpcpy_chk, (char *to, const char *from, size_t room), (to, from, room),
     touch_copy(to, from, SN_CALLER))
HOOK(char *, __strncpy_chk, (char *to, const char *from, size_t n, size_t room),
     (to, from, n, room), touch_copy_to(to, from, n, SN_CALLER))
HOOK(char *, __strcat_chk, (char *to, const char *from, size_t room), (to, from, room),
     touch_append(to, from, SIZE_MAX, SN_CALLER))
HOOK(char *, __strncat_chk, (char *to, const char *from, size_t n, size_t room),
     (to, from, n, room), touch_append(to, from, n, SN_CALLER))

/* The copy is allocated inside, for this call. */
static char *duplicated(char *copy, const char *s, size_t n, uintptr_t pc)
{
    sn_alloc_site_used();
    if (copy && sn_touching(pc)) {
        sn_touch_read(s, n, pc);
        sn_touch_write(copy, n, pc);
    }
    return copy;
}

SN_EXPORT char *strdup(const char *s)
{
    sn_alloc_site(SN_CALLER);
    return duplicated(sn_pass(strdup)(s), s, length(s) + 1, SN_CALLER);
}

SN_EXPORT char *strndup(const char *s, size_t max)
{
    sn_alloc_site(SN_CALLER);
    size_t n = length_to(s, max);
    return duplicated(sn_pass(strndup)(s, max), s, n < max ? n + 1 : max, SN_CALLER);
}

static int printed(char *to, size_t room, int r, uintptr_t pc)
{
    if (r >= 0 && room && sn_touching(pc))
        sn_touch_write(to, (size_t)r < room ? (size_t)r + 1 : room, pc);
    return r;
}

#define PRINT(name, params, last, room, call)                                                      \
    int name params;                                                                               \
    SN_EXPORT int name params                                                                      \
    {                                                                                              \
        va_list ap;                                                                                \
        va_start(ap, last);                                                                        \
        int r = call;                                                                              \
        va_end(ap);                                                                                \
        return printed(to, room, r, SN_CALLER);                                                    \
    }

PRINT(sprintf, (char *to, const char *format, ...), format, SIZE_MAX,
      sn_pass(vsprintf)(to, format, ap))
PRINT(snprintf, (char *to, size_t n, const char *format, ...), format, n,
      sn_pass(vsnprintf)(to, n, format, ap))
PRINT(__sprintf_chk, (char *to, int flag, size_t room, const char *format, ...), format, room,
      sn_pass(__vsprintf_chk)(to, flag, room, format, ap))
PRINT(__snprintf_chk, (char *to, size_t n, int flag, size_t room, const char *format, ...), format,
      n, sn_pass(__vsnprintf_chk)(to, n, flag, room, format, ap))

SN_EXPORT int vsprintf(char *to, const char *format, va_list ap)
{
    return printed(to, SIZE_MAX, sn_pass(vsprintf)(to, format, ap), SN_CALLER);
}

SN_EXPORT int vsnprintf(char *to, size_t n, const char *format, va_list ap)
{
    return printed(to, n, sn_pass(vsnprintf)(to, n, format, ap), SN_CALLER);
}

int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list ap);
SN_EXPORT int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list ap)
{
    return printed(to, room, sn_pass(__vsprintf_chk)(to, flag, room, format, ap), SN_CALLER);
}

int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, va_list ap);
SN_EXPORT int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format,
                              va_list ap)
{
    return printed(to, n, sn_pass(__vsnprintf_chk)(to, n, flag, room, format, ap), SN_CALLER);
}
