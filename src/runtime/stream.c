/*
 * stream.c: stdio calls that move the program's bytes. The real call runs outside any hook, since
 * it may allocate, and its blocks (getline's line) are the program's. A stream over a pipe or a
 * socket is a channel between threads; streams over files make no edges.
 */
#define __NO_INLINE__ 1 /* libc's headers would define some of these themselves */

#include "runtime/stream.h"

#include <stdio.h>
#include <string.h>

#include "runtime/alloc.h"
#include "runtime/emit.h"
#include "runtime/fd.h"
#include "runtime/real.h"
#include "runtime/touch.h"

void sn_stream_edge(FILE *f, bool in, uintptr_t pc)
{
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return;
    int fd = fileno_unlocked(f);
    if (fd >= 0 && sn_fd_is_channel(fd)) {
        if (in)
            sn_fd_acquire(t, fd, pc);
        else
            sn_fd_release(t, fd, pc);
    }
    sn_hook_leave(t);
}

SN_EXPORT size_t fread(void *to, size_t size, size_t n, FILE *f)
{
    size_t r = sn_pass(fread)(to, size, n, f);
    sn_stream_edge(f, true, SN_CALLER);
    if (sn_touching(SN_CALLER))
        sn_touch_write(to, r * size, SN_CALLER);
    return r;
}

SN_EXPORT size_t fwrite(const void *from, size_t size, size_t n, FILE *f)
{
    if (sn_touching(SN_CALLER))
        sn_touch_read(from, size * n, SN_CALLER);
    sn_stream_edge(f, false, SN_CALLER);
    return sn_pass(fwrite)(from, size, n, f);
}

SN_EXPORT char *fgets(char *to, int n, FILE *f)
{
    char *r = sn_pass(fgets)(to, n, f);
    sn_stream_edge(f, true, SN_CALLER);
    if (r && sn_touching(SN_CALLER))
        sn_touch_write(to, sn_real.strlen(to) + 1, SN_CALLER);
    return r;
}

size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *f);
SN_EXPORT size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *f)
{
    size_t r = sn_pass(__fread_chk)(to, room, size, n, f);
    sn_stream_edge(f, true, SN_CALLER);
    if (sn_touching(SN_CALLER))
        sn_touch_write(to, r * size, SN_CALLER);
    return r;
}

char *__fgets_chk(char *to, size_t room, int n, FILE *f);
SN_EXPORT char *__fgets_chk(char *to, size_t room, int n, FILE *f)
{
    char *r = sn_pass(__fgets_chk)(to, room, n, f);
    sn_stream_edge(f, true, SN_CALLER);
    if (r && sn_touching(SN_CALLER))
        sn_touch_write(to, sn_real.strlen(to) + 1, SN_CALLER);
    return r;
}

SN_EXPORT int fputs(const char *s, FILE *f)
{
    if (sn_touching(SN_CALLER))
        sn_touch_read(s, sn_real.strlen(s) + 1, SN_CALLER);
    sn_stream_edge(f, false, SN_CALLER);
    return sn_pass(fputs)(s, f);
}

SN_EXPORT int puts(const char *s)
{
    if (sn_touching(SN_CALLER))
        sn_touch_read(s, sn_real.strlen(s) + 1, SN_CALLER);
    sn_stream_edge(stdout, false, SN_CALLER);
    return sn_pass(puts)(s);
}

/* The line is allocated inside, for this call. */
static ssize_t read_line(char **line, size_t *room, int end, FILE *f, uintptr_t pc)
{
    sn_alloc_site(pc);
    ssize_t r = sn_pass(getdelim)(line, room, end, f);
    sn_alloc_site_used();
    sn_stream_edge(f, true, pc);
    if (r >= 0 && sn_touching(pc))
        sn_touch_write(*line, (size_t)r + 1, pc);
    return r;
}

SN_EXPORT ssize_t getdelim(char **line, size_t *room, int end, FILE *f)
{
    return read_line(line, room, end, f, SN_CALLER);
}

SN_EXPORT ssize_t getline(char **line, size_t *room, FILE *f)
{
    return read_line(line, room, '\n', f, SN_CALLER);
}

/* What libc's headers make of getline() when they inline it. */
ssize_t __getdelim(char **line, size_t *room, int end, FILE *f);
SN_EXPORT ssize_t __getdelim(char **line, size_t *room, int end, FILE *f)
{
    return read_line(line, room, end, f, SN_CALLER);
}

SN_EXPORT int fflush(FILE *f)
{
    if (f)
        sn_stream_edge(f, false, SN_CALLER);
    return sn_pass(fflush)(f);
}

SN_EXPORT int fclose(FILE *f)
{
    int fd = fileno_unlocked(f);
    sn_stream_edge(f, false, SN_CALLER);
    sn_fd_forget(fd);
    return sn_pass(fclose)(f);
}

/* Characters and formatted output: only the edge, the bytes are no memory of the program's. */
#define IN(name, params, args, f)                                                                  \
    SN_EXPORT int name params                                                                      \
    {                                                                                              \
        int r = sn_pass(name) args;                                                                \
        sn_stream_edge(f, true, SN_CALLER);                                                        \
        return r;                                                                                  \
    }
#define OUT(name, params, args, f)                                                                 \
    SN_EXPORT int name params                                                                      \
    {                                                                                              \
        sn_stream_edge(f, false, SN_CALLER);                                                       \
        return sn_pass(name) args;                                                                 \
    }
#define OUT_FORMAT(name, params, last, real, f)                                                    \
    int name params;                                                                               \
    SN_EXPORT int name params                                                                      \
    {                                                                                              \
        va_list ap;                                                                                \
        sn_stream_edge(f, false, SN_CALLER);                                                       \
        va_start(ap, last);                                                                        \
        int r = real;                                                                              \
        va_end(ap);                                                                                \
        return r;                                                                                  \
    }

IN(fgetc, (FILE * f), (f), f)
IN(getc, (FILE * f), (f), f)
IN(getchar, (void), (), stdin)
OUT(fputc, (int c, FILE *f), (c, f), f)
OUT(putc, (int c, FILE *f), (c, f), f)
OUT(putchar, (int c), (c), stdout)
OUT(vfprintf, (FILE * f, const char *format, va_list ap), (f, format, ap), f)
OUT(vprintf, (const char *format, va_list ap), (format, ap), stdout)
OUT(__vfprintf_chk, (FILE * f, int flag, const char *format, va_list ap), (f, flag, format, ap), f)
OUT(__vprintf_chk, (int flag, const char *format, va_list ap), (flag, format, ap), stdout)
OUT_FORMAT(fprintf, (FILE * f, const char *format, ...), format, sn_pass(vfprintf)(f, format, ap),
           f)
OUT_FORMAT(printf, (const char *format, ...), format, sn_pass(vprintf)(format, ap), stdout)
OUT_FORMAT(__fprintf_chk, (FILE * f, int flag, const char *format, ...), format,
           sn_pass(__vfprintf_chk)(f, flag, format, ap), f)
OUT_FORMAT(__printf_chk, (int flag, const char *format, ...), format,
           sn_pass(__vprintf_chk)(flag, format, ap), stdout)

static void to_descriptor(int fd, uintptr_t pc)
{
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return;
    sn_fd_release(t, fd, pc);
    sn_hook_leave(t);
}

SN_EXPORT int vdprintf(int fd, const char *format, va_list ap)
{
    to_descriptor(fd, SN_CALLER);
    return sn_pass(vdprintf)(fd, format, ap);
}

SN_EXPORT int dprintf(int fd, const char *format, ...)
{
    va_list ap;
    to_descriptor(fd, SN_CALLER);
    va_start(ap, format);
    int r = sn_pass(vdprintf)(fd, format, ap);
    va_end(ap);
    return r;
}
