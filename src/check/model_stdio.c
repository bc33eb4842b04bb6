/*
 * model_stdio.c: input and output. Nothing leaves the simulation: output only reads what it prints,
 * input is invented within what the function promises (a count between -1 and n, a string that ends).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/history.h"
#include "check/lib.h"

static uint64_t chance(struct sn_call *c, uint64_t n) { return sn_random_below(&c->vm->random_input, n); }

static enum sn_result input(struct sn_call *c, uint64_t v)
{
    c->ret = (struct sn_reg){v, SN_INPUT};
    return SN_DONE;
}

/* --- output: which argument is the format, and where the arguments lie --- */

enum { VA_LIST = 16 }; /* the arguments come as a va_list behind the format */

static uint64_t arguments(struct sn_call *c, unsigned format)
{
    if (!(sn_model_of(c)->extra & VA_LIST))
        return c->t->va_next;
    struct sn_reg list = sn_arg(c, format + 1);
    return list.u & SN_VAGUE ? 0 : sn_va_area(c->vm, list.v);
}

static enum sn_result m_printf(struct sn_call *c)
{
    unsigned format = (unsigned)sn_model_of(c)->extra & 15;
    uint64_t taint;
    size_t n = sn_format(c->vm, c->t, sn_arg(c, format), arguments(c, format), NULL, 0, &taint);
    c->ret = (struct sn_reg){(uint32_t)n, taint | SN_INPUT};
    return SN_DONE;
}

/* extra: index of the format; the buffer is argument 0, its size argument 1 unless sprintf. */
static enum sn_result m_snprintf(struct sn_call *c)
{
    unsigned format = (unsigned)sn_model_of(c)->extra & 15;
    struct sn_reg to = sn_arg(c, 0), size = sn_arg(c, 1);
    bool bounded = strstr(sn_model_of(c)->name, "snprintf") != NULL;
    uint64_t taint, limit = bounded ? size.v : 1u << 20;
    size_t cap = limit < 65536 ? limit : 65536;
    char *buf = malloc(cap + 1);
    if (buf == NULL)
        abort();
    size_t n = sn_format(c->vm, c->t, sn_arg(c, format), arguments(c, format), buf, cap, &taint);
    if (cap > 0 && !(to.u & SN_VAGUE) && !(size.u & SN_VAGUE && bounded)) {
        size_t k = n < cap ? n : cap - 1;
        if (sn_touch(c->vm, c->t, to, k + 1, true)) {
            memcpy(sn_mem(&c->vm->mem, to.v), buf, k);
            memset(sn_tag(&c->vm->mem, to.v), (int)(taint & SN_TAINTS), k);
            sn_poke(c->vm, to.v + k, 1, 0);
        }
    }
    free(buf);
    c->ret = (struct sn_reg){(uint32_t)n, taint};
    return SN_DONE;
}

static enum sn_result m_asprintf(struct sn_call *c)
{
    uint64_t taint;
    struct sn_reg out = sn_arg(c, 0);
    char *buf = malloc(65536);
    if (buf == NULL)
        abort();
    size_t n = sn_format(c->vm, c->t, sn_arg(c, 1), arguments(c, 1), buf, 65535, &taint);
    n = n < 65535 ? n : 65535;
    enum sn_result r = sn_allocate(c, (struct sn_reg){n + 1, 0}, 16, false);
    if (r == SN_DONE) {
        memcpy(sn_mem(&c->vm->mem, c->ret.v), buf, n);
        sn_range_tag(&c->vm->mem, c->ret.v, n, (uint8_t)(taint & SN_TAINTS));
        sn_poke(c->vm, c->ret.v + n, 1, 0);
        r = sn_store_slow(c->vm, c->t, out, 8, SN_ACC_WRITE, c->ret);
        c->ret = (struct sn_reg){n, taint};
    }
    free(buf);
    return r;
}

static enum sn_result m_puts(struct sn_call *c)
{
    sn_text_at(c->vm, c->t, sn_arg(c, 0), UINT64_MAX, true);
    return sn_return(c, 1);
}

static enum sn_result m_fwrite(struct sn_call *c)
{
    struct sn_reg size = sn_arg(c, 1), n = sn_arg(c, 2);
    if (!(size.u & SN_VAGUE) && !(n.u & SN_VAGUE) && size.v < (1u << 30) && n.v < (1u << 30))
        sn_touch(c->vm, c->t, sn_arg(c, 0), size.v * n.v, false);
    c->ret = (struct sn_reg){n.v, n.u};
    return SN_DONE;
}

/* write(fd, buffer, n), send: all of it, or an error now and then. */
static enum sn_result m_write(struct sn_call *c)
{
    struct sn_reg n = sn_arg(c, 2);
    if (!(n.u & SN_VAGUE) && n.v < (1u << 30))
        sn_touch(c->vm, c->t, sn_arg(c, 1), n.v, false);
    return input(c, chance(c, 16) == 0 ? UINT64_MAX : n.v);
}

/* --- input --- */

/* n bytes of an input; text is printable, often a number. */
static void invent_bytes(struct sn_call *c, uint64_t addr, uint64_t n, bool text)
{
    uint8_t *to = sn_mem(&c->vm->mem, addr);
    uint64_t kind = chance(c, 4);
    for (uint64_t k = 0; k < n; k++) {
        uint64_t r = chance(c, 256);
        to[k] = (uint8_t)(!text ? r : kind < 2 ? '0' + r % 10 : kind == 2 ? 'a' + r % 26 : ' ' + r % 95);
    }
    sn_range_tag(&c->vm->mem, addr, n, SN_INPUT);
}

static bool fill(struct sn_call *c, struct sn_reg to, uint64_t n, bool text)
{
    if (n == 0 || n >= 1u << 26 || to.u & SN_VAGUE || !sn_touch(c->vm, c->t, to, n, true))
        return false;
    invent_bytes(c, to.v, n, text);
    return true;
}

static enum sn_result m_read(struct sn_call *c)
{
    enum sn_result r;
    struct sn_reg n = sn_arg(c, 2);
    if (sn_cancel_now(c->vm, c->t, &r))
        return r;
    uint64_t kind = chance(c, 8), got = kind == 0 ? 0 : kind == 1 ? UINT64_MAX : kind < 5 ? n.v : 1 + chance(c, n.v);
    if (n.u & SN_VAGUE || n.v >= 1u << 26)
        return input(c, 0);
    if (got > 0 && got != UINT64_MAX)
        fill(c, sn_arg(c, 1), got, false);
    return input(c, got > n.v && got != UINT64_MAX ? n.v : got);
}

static enum sn_result m_fread(struct sn_call *c)
{
    struct sn_reg size = sn_arg(c, 1), n = sn_arg(c, 2);
    if ((size.u | n.u) & SN_VAGUE || size.v > 1u << 20 || n.v > 1u << 20)
        return input(c, 0);
    uint64_t got = chance(c, 3) == 0 ? chance(c, n.v + 1) : n.v;
    fill(c, sn_arg(c, 0), size.v * got, false);
    return input(c, got);
}

static uint64_t line_length(struct sn_call *c, uint64_t room)
{
    uint64_t n = chance(c, 3) == 0 ? chance(c, 40) : chance(c, 6);
    return n < room ? n : room;
}

static enum sn_result m_fgets(struct sn_call *c)
{
    struct sn_reg to = sn_arg(c, 0), n = sn_arg(c, 1);
    if (chance(c, 4) == 0 || n.u & SN_VAGUE || (int32_t)n.v < 2)
        return input(c, 0);
    uint64_t k = line_length(c, (uint32_t)n.v - 2);
    if (fill(c, to, k + 1, true)) {
        sn_mem(&c->vm->mem, to.v)[k] = '\n';
        if (sn_touch(c->vm, c->t, (struct sn_reg){to.v + k + 1, to.u}, 1, true))
            sn_poke(c->vm, to.v + k + 1, 1, 0);
    }
    c->ret = (struct sn_reg){to.v, SN_INPUT};
    return SN_DONE;
}

static enum sn_result m_getline(struct sn_call *c)
{
    struct sn_reg line = sn_arg(c, 0), size = sn_arg(c, 1);
    if (chance(c, 4) == 0)
        return input(c, UINT64_MAX);
    uint64_t k = line_length(c, 60);
    enum sn_result r = sn_allocate(c, (struct sn_reg){64, 0}, 16, false);
    if (r != SN_DONE)
        return r;
    struct sn_reg at = c->ret;
    invent_bytes(c, at.v, k + 1, true);
    sn_mem(&c->vm->mem, at.v)[k] = '\n';
    sn_poke(c->vm, at.v + k + 1, 1, 0);
    sn_store_slow(c->vm, c->t, line, 8, SN_ACC_WRITE, at);
    sn_store_slow(c->vm, c->t, size, 8, SN_ACC_WRITE, (struct sn_reg){64, 0});
    return input(c, k + 1);
}

static enum sn_result m_getchar(struct sn_call *c)
{
    return input(c, chance(c, 4) == 0 ? UINT32_MAX : chance(c, 3) == 0 ? (uint64_t)'\n' : '0' + chance(c, 64));
}

/* scanf and its relatives: every conversion gets an input. */
static enum sn_result m_scanf(struct sn_call *c)
{
    unsigned format = (unsigned)sn_model_of(c)->extra & 15;
    uint64_t va = arguments(c, format), done = 0;
    struct sn_text f = sn_text_at(c->vm, c->t, sn_arg(c, format), UINT64_MAX, false);
    if (!f.ok || chance(c, 6) == 0)
        return input(c, UINT32_MAX);
    const char *p = (const char *)sn_mem(&c->vm->mem, f.addr), *end = p + f.n;
    for (; p < end; p++) {
        if (*p != '%')
            continue;
        bool skip = false, string = false;
        unsigned width = 0, bytes = 4;
        for (p++; p < end && strchr("*0123456789hlLqjztm", *p); p++) {
            skip |= *p == '*';
            width = *p >= '0' && *p <= '9' && width < 10000 ? width * 10 + (unsigned)(*p - '0') : width;
            bytes = *p == 'h' ? (bytes == 2 ? 1 : 2) : strchr("lqjzt", *p) ? 8 : bytes;
        }
        if (p >= end || *p == '%')
            continue;
        string = *p == 's' || *p == '[' || *p == 'c';
        if (*p == '[')
            while (p + 1 < end && *p != ']')
                p++;
        if (skip)
            continue;
        struct sn_reg to = {sn_peek(c->vm, va, 8), sn_range_ok(&c->vm->mem, va, 8) ? sn_range_tags(&c->vm->mem, va, 8) & SN_TAINTS : SN_UNKNOWN};
        va += 8;
        done++;
        if (string) {
            uint64_t n = *p == 'c' ? (width ? width : 1) : 1 + line_length(c, width ? width - 1 : 6);
            fill(c, to, n, true);
            if (*p != 'c' && sn_touch(c->vm, c->t, (struct sn_reg){to.v + n, to.u}, 1, true))
                sn_poke(c->vm, to.v + n, 1, 0);
        } else {
            sn_store_slow(c->vm, c->t, to, bytes, SN_ACC_WRITE, (struct sn_reg){sn_invent(c->vm, bytes * 8), SN_INPUT});
        }
    }
    return input(c, done);
}

/* --- files --- */

#define FILE_BYTES 216

static enum sn_result m_fopen(struct sn_call *c)
{
    if (chance(c, 8) == 0)
        return input(c, 0);
    uint32_t at = sn_simmem_take(&c->vm->mem, FILE_BYTES, 16, SN_UNKNOWN);
    return at == 0 ? SN_END : input(c, at);
}

/* A file descriptor or another small number; -1 now and then. */
static enum sn_result m_descriptor(struct sn_call *c)
{
    return input(c, chance(c, 8) == 0 ? UINT32_MAX : 3 + chance(c, 8));
}

static enum sn_result m_zero(struct sn_call *c) { return sn_return(c, 0); }

/* 0, or an error now and then. */
static enum sn_result m_status(struct sn_call *c)
{
    enum sn_result r;
    if (sn_cancel_now(c->vm, c->t, &r))
        return r;
    return input(c, chance(c, 16) == 0 ? UINT32_MAX : 0);
}

static enum sn_result m_any(struct sn_call *c) { return sn_return_input(c, sn_model_of(c)->extra ? (unsigned)sn_model_of(c)->extra : 32); }

static const struct sn_model models[] = {
    {"printf", m_printf, 0, 0}, {"vprintf", m_printf, 0, 0 | VA_LIST}, {"fprintf", m_printf, 0, 1},
    {"vfprintf", m_printf, 0, 1 | VA_LIST}, {"dprintf", m_printf, 0, 1}, {"vdprintf", m_printf, 0, 1 | VA_LIST},
    {"__printf_chk", m_printf, 0, 1}, {"__fprintf_chk", m_printf, 0, 2}, {"syslog", m_printf, 0, 1},
    {"vsyslog", m_printf, 0, 1 | VA_LIST}, {"warn", m_printf, 0, 0}, {"warnx", m_printf, 0, 0}, {"error", m_printf, 0, 2},
    {"sprintf", m_snprintf, 0, 1}, {"vsprintf", m_snprintf, 0, 1 | VA_LIST}, {"snprintf", m_snprintf, 0, 2},
    {"vsnprintf", m_snprintf, 0, 2 | VA_LIST}, {"__sprintf_chk", m_snprintf, 0, 3}, {"__snprintf_chk", m_snprintf, 0, 4},
    {"asprintf", m_asprintf, 0, 1}, {"vasprintf", m_asprintf, 0, 1 | VA_LIST},
    {"puts", m_puts, 0, 0}, {"fputs", m_puts, 0, 0}, {"perror", m_puts, 0, 0},
    {"putchar", m_zero, 0, 0}, {"putc", m_zero, 0, 0}, {"fputc", m_zero, 0, 0}, {"fputs_unlocked", m_puts, 0, 0},
    {"fwrite", m_fwrite, 0, 0}, {"write", m_write, 0, 0}, {"send", m_write, 0, 0}, {"sendto", m_write, 0, 0},
    {"pwrite", m_write, 0, 0}, {"read", m_read, 0, 0}, {"recv", m_read, 0, 0}, {"recvfrom", m_read, 0, 0},
    {"pread", m_read, 0, 0}, {"fread", m_fread, 0, 0}, {"fgets", m_fgets, 0, 0}, {"getline", m_getline, 0, 0},
    {"getchar", m_getchar, 0, 0}, {"getc", m_getchar, 0, 0}, {"fgetc", m_getchar, 0, 0}, {"ungetc", m_zero, 0, 0},
    {"scanf", m_scanf, 0, 0}, {"fscanf", m_scanf, 0, 1}, {"sscanf", m_scanf, 0, 1},
    {"vsscanf", m_scanf, 0, 1 | VA_LIST}, {"vscanf", m_scanf, 0, 0 | VA_LIST}, {"vfscanf", m_scanf, 0, 1 | VA_LIST},
    {"fopen", m_fopen, 0, 0}, {"fdopen", m_fopen, 0, 0}, {"freopen", m_fopen, 0, 0}, {"popen", m_fopen, 0, 0},
    {"tmpfile", m_fopen, 0, 0}, {"opendir", m_fopen, 0, 0}, {"fclose", m_zero, 0, 0}, {"pclose", m_zero, 0, 0},
    {"closedir", m_zero, 0, 0}, {"fflush", m_zero, 0, 0}, {"setvbuf", m_zero, 0, 0}, {"setbuf", m_zero, 0, 0},
    {"setlinebuf", m_zero, 0, 0}, {"rewind", m_zero, 0, 0}, {"clearerr", m_zero, 0, 0}, {"flockfile", m_zero, 0, 0},
    {"funlockfile", m_zero, 0, 0}, {"feof", m_any, 0, 1}, {"ferror", m_any, 0, 1}, {"fileno", m_descriptor, 0, 0},
    {"fseek", m_status, 0, 0}, {"fseeko", m_status, 0, 0}, {"ftell", m_any, 0, 16}, {"ftello", m_any, 0, 16},
    {"open", m_descriptor, 0, 0}, {"openat", m_descriptor, 0, 0}, {"creat", m_descriptor, 0, 0},
    {"socket", m_descriptor, 0, 0}, {"accept", m_descriptor, 0, 0}, {"accept4", m_descriptor, 0, 0},
    {"dup", m_descriptor, 0, 0}, {"dup2", m_descriptor, 0, 0}, {"epoll_create1", m_descriptor, 0, 0},
    {"epoll_create", m_descriptor, 0, 0}, {"eventfd", m_descriptor, 0, 0}, {"timerfd_create", m_descriptor, 0, 0},
    {"inotify_init", m_descriptor, 0, 0}, {"memfd_create", m_descriptor, 0, 0}, {"shm_open", m_descriptor, 0, 0},
    {"close", m_zero, 0, 0}, {"shutdown", m_zero, 0, 0}, {"unlink", m_status, 0, 0}, {"remove", m_status, 0, 0},
    {"rename", m_status, 0, 0}, {"mkdir", m_status, 0, 0}, {"rmdir", m_status, 0, 0}, {"access", m_status, 0, 0},
    {"bind", m_status, 0, 0}, {"listen", m_status, 0, 0}, {"connect", m_status, 0, 0}, {"ftruncate", m_status, 0, 0},
    {"setsockopt", m_status, 0, 0}, {"fcntl", m_status, 0, 0}, {"ioctl", m_status, 0, 0}, {"fsync", m_status, 0, 0},
    {"chdir", m_status, 0, 0}, {"isatty", m_any, 0, 1}, {"lseek", m_any, 0, 16}, {"system", m_any, 0, 8},
    {"flock", m_status, 0, 0}, {"lockf", m_status, 0, 0}, {"epoll_ctl", m_status, 0, 0}, {"fdatasync", m_status, 0, 0},
    {"openlog", m_zero, 0, 0}, {"closelog", m_zero, 0, 0}, {"shm_unlink", m_status, 0, 0}, {"sync", m_zero, 0, 0},
    {"chmod", m_status, 0, 0}, {"mlock", m_zero, 0, 0}, {"madvise", m_zero, 0, 0}, {"mprotect", m_zero, 0, 0},
    {"msync", m_zero, 0, 0},
};
const struct sn_model_table sn_models_stdio = {models, sizeof models / sizeof *models};
