/*
 * memory.c: mem* functions. The accesses are told first, then the real function is called in tail
 * position: it may fault, and a handler may jump out of it.
 */
#include "runtime/touch.h"

#include <string.h>

#include "runtime/real.h"

/* Before the real ones are known these are the plain ones (real.c), so no check is needed. */
SN_EXPORT void *memcpy(void *to, const void *from, size_t n)
{
    if (sn_touching(SN_CALLER)) {
        sn_touch_read(from, n, SN_CALLER);
        sn_touch_write(to, n, SN_CALLER);
    }
    return sn_real.memcpy(to, from, n);
}

SN_EXPORT void *memmove(void *to, const void *from, size_t n)
{
    if (sn_touching(SN_CALLER)) {
        sn_touch_read(from, n, SN_CALLER);
        sn_touch_write(to, n, SN_CALLER);
    }
    return sn_real.memmove(to, from, n);
}

SN_EXPORT void *memset(void *to, int c, size_t n)
{
    if (sn_touching(SN_CALLER))
        sn_touch_write(to, n, SN_CALLER);
    return sn_real.memset(to, c, n);
}

SN_EXPORT void *mempcpy(void *to, const void *from, size_t n)
{
    if (sn_touching(SN_CALLER)) {
        sn_touch_read(from, n, SN_CALLER);
        sn_touch_write(to, n, SN_CALLER);
    }
    return sn_pass(mempcpy)(to, from, n);
}

SN_EXPORT void explicit_bzero(void *to, size_t n)
{
    if (sn_touching(SN_CALLER))
        sn_touch_write(to, n, SN_CALLER);
    sn_pass(explicit_bzero)(to, n);
}

/* Compared up to the first difference. */
SN_EXPORT int memcmp(const void *a, const void *b, size_t n)
{
    if (sn_touching(SN_CALLER)) {
        const unsigned char *x = a, *y = b;
        size_t i = 0;
        while (i < n && x[i] == y[i])
            i++;
        size_t seen = i < n ? i + 1 : n;
        sn_touch_read(a, seen, SN_CALLER);
        sn_touch_read(b, seen, SN_CALLER);
    }
    return sn_real.memcmp(a, b, n);
}

SN_EXPORT int bcmp(const void *a, const void *b, size_t n)
{
    if (sn_touching(SN_CALLER)) {
        sn_touch_read(a, n, SN_CALLER);
        sn_touch_read(b, n, SN_CALLER);
    }
    return sn_real.memcmp(a, b, n);
}

SN_EXPORT void *(memchr)(const void *p, int c, size_t n)
{
    void *r = sn_pass(memchr)(p, c, n);
    if (sn_touching(SN_CALLER))
        sn_touch_read(p, r ? (size_t)((char *)r - (const char *)p) + 1 : n, SN_CALLER);
    return r;
}

SN_EXPORT void *memrchr(const void *p, int c, size_t n)
{
    void *r = sn_pass(memrchr)(p, c, n);
    if (sn_touching(SN_CALLER)) {
        const char *from = r ? r : p;
        sn_touch_read(from, (size_t)((const char *)p + n - from), SN_CALLER);
    }
    return r;
}

SN_EXPORT void *memmem(const void *p, size_t n, const void *what, size_t m)
{
    void *r = sn_pass(memmem)(p, n, what, m);
    if (sn_touching(SN_CALLER)) {
        sn_touch_read(p, r ? (size_t)((char *)r - (const char *)p) + m : n, SN_CALLER);
        sn_touch_read(what, m, SN_CALLER);
    }
    return r;
}

/* The checked forms, of programs built with _FORTIFY_SOURCE. */
#define CHECKED(name)                                                                              \
    void *name(void *to, const void *from, size_t n, size_t room);                                 \
    SN_EXPORT void *name(void *to, const void *from, size_t n, size_t room)                        \
    {                                                                                              \
        if (n <= room && sn_touching(SN_CALLER)) {                                                 \
            sn_touch_read(from, n, SN_CALLER);                                                     \
            sn_touch_write(to, n, SN_CALLER);                                                      \
        }                                                                                          \
        return sn_pass(name)(to, from, n, room);                                                   \
    }

CHECKED(__memcpy_chk)
CHECKED(__memmove_chk)
CHECKED(__mempcpy_chk)

void *__memset_chk(void *to, int c, size_t n, size_t room);
SN_EXPORT void *__memset_chk(void *to, int c, size_t n, size_t room)
{
    if (n <= room && sn_touching(SN_CALLER))
        sn_touch_write(to, n, SN_CALLER);
    return sn_pass(__memset_chk)(to, c, n, room);
}
