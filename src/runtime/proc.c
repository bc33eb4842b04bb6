/* proc.c: /proc/self without libc: no stdio, no errno. */
#include "runtime/proc.h"

#include <fcntl.h>
#include <stdint.h>

#include "core/sys.h"

enum {
    LARGE = 4096,
    /* glibc's own signals: cancellation and setuid, sent between threads only */
    FIRST_INTERNAL = 32,
    LAST_INTERNAL = 33,
};

struct entry { /* what getdents64 gives */
    uint64_t inode;
    int64_t next;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

static int number(const char *s)
{
    int n = 0;
    for (; *s >= '0' && *s <= '9'; s++)
        n = n * 10 + (*s - '0');
    return *s ? 0 : n;
}

bool sn_proc_each_thread(void (*fn)(int tid, void *arg), void *arg)
{
    char buffer[LARGE] __attribute__((aligned(8)));
    long fd = sn_sys3(SYS_open, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), n;
    if (fd < 0)
        return false;
    while ((n = sn_sys3(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < n;) {
            const struct entry *e = (const void *)(buffer + at);
            int tid = number(e->name);
            if (tid)
                fn(tid, arg);
            at += e->bytes;
        }
    sn_sys1(SYS_close, fd);
    return n == 0;
}

/* The file as a string; empty when it cannot be read. */
static void slurp(const char *path, char *text)
{
    long fd = sn_sys3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), n = 0;
    if (fd >= 0) {
        n = sn_sys3(SYS_read, fd, text, LARGE - 1);
        sn_sys1(SYS_close, fd);
    }
    text[n > 0 ? n : 0] = 0;
}

/* "tid (name) S …": the name may hold anything, so the last parenthesis counts. 0: not known. */
static char state_of(int tid)
{
    char path[64] = "/proc/self/task/", digits[12], text[LARGE];
    int at = 16, n = 0;
    do
        digits[n++] = (char)('0' + tid % 10);
    while (tid /= 10);
    while (n)
        path[at++] = digits[--n];
    __builtin_memcpy(path + at, "/stat", 6);
    slurp(path, text);
    const char *end = 0;
    for (const char *s = text; *s; s++)
        if (*s == ')')
            end = s;
    return end && end[1] == ' ' ? end[2] : 0;
}

bool sn_proc_sleeps(int tid)
{
    return state_of(tid) == 'S';
}

/* A main thread that has left stays as a zombie until the process ends. */
static void count_living(int tid, void *arg)
{
    *(int *)arg += state_of(tid) != 'Z';
}

int sn_proc_threads(void)
{
    int n = 0;
    return sn_proc_each_thread(count_living, &n) ? n : -1;
}

static uint64_t hex(const char *s)
{
    uint64_t v = 0;
    for (;; s++) {
        if (*s >= '0' && *s <= '9')
            v = v << 4 | (uint64_t)(*s - '0');
        else if (*s >= 'a' && *s <= 'f')
            v = v << 4 | (uint64_t)(*s - 'a' + 10);
        else
            return v;
    }
}

static bool starts(const char *s, const char *with)
{
    while (*with && *s == *with)
        s++, with++;
    return !*with;
}

bool sn_proc_catches_signals(void)
{
    char text[LARGE];
    uint64_t internal = 3ull << (FIRST_INTERNAL - 1);
    _Static_assert(LAST_INTERNAL == FIRST_INTERNAL + 1, "two bits");
    slurp("/proc/self/status", text);
    for (const char *s = text; *s; s++)
        if ((s == text || s[-1] == '\n') && starts(s, "SigCgt:\t"))
            return (hex(s + 8) & ~internal) != 0;
    return true;
}
