/* proc.c: /proc/self without libc: no stdio, no errno. */
#include "runtime/proc.h"

#include <fcntl.h>
#include <time.h>

#include "core/decimal.h"
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
    char buffer[2048] __attribute__((aligned(8)));
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
static long slurp(const char *path, char *text, long room)
{
    long fd = sn_sys3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), n = 0;
    if (fd >= 0) {
        n = sn_sys3(SYS_read, fd, text, room - 1);
        sn_sys1(SYS_close, fd);
    }
    n = n > 0 ? n : 0;
    text[n] = 0;
    return n;
}

bool sn_proc_task(int tid, const char *file, char *text, long room)
{
    char path[64] = "/proc/self/task/", *to = sn_decimal(path + 16, (uint32_t)tid);
    *to++ = '/';
    while (*file)
        *to++ = *file++;
    *to = 0;
    return slurp(path, text, room) > 0;
}

/* "tid (name) S …": the name may hold anything, so the last parenthesis counts. */
char sn_proc_state(int tid)
{
    char text[128];
    const char *end = 0;
    sn_proc_task(tid, "stat", text, sizeof text);
    for (const char *s = text; *s; s++)
        if (*s == ')')
            end = s;
    return end && end[1] == ' ' ? end[2] : 0;
}

uint64_t sn_proc_ran_ns(int tid)
{
    enum { PER_THREAD = 4, SCHEDULER = 2 }; /* how the kernel names a thread's clock */
    struct timespec t = {0};
    sn_sys2(SYS_clock_gettime, (int)(~(uint32_t)tid << 3 | PER_THREAD | SCHEDULER), &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool sn_proc_sleeps(int tid)
{
    return sn_proc_state(tid) == 'S';
}

/* A main thread that has left stays as a zombie until the process ends. */
static void count_living(int tid, void *arg)
{
    *(int *)arg += sn_proc_state(tid) != 'Z';
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
    slurp("/proc/self/status", text, sizeof text);
    for (const char *s = text; *s; s++)
        if ((s == text || s[-1] == '\n') && starts(s, "SigCgt:\t"))
            return (hex(s + 8) & ~internal) != 0;
    return true;
}
