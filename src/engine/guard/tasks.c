/*
 * tasks.c: /proc/self/task/N/syscall says in which system call a thread is, and with which
 * arguments. A thread that waits for a mutex is in futex(), and the mutex says who holds it. All
 * that costs some microseconds per thread, and is only asked when a thread is about to sleep for a
 * millisecond.
 */
#include "tasks.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <time.h>

#include "core/sys.h"

enum { OWNER_OFFSET = 8 }; /* of a pthread_mutex_t: its holder's number, at 0 the futex */

struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

static uint64_t number(const char **p, unsigned base)
{
    uint64_t v = 0;
    for (;; (*p)++) {
        unsigned c = (unsigned char)**p;
        unsigned d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
        if (d >= base)
            return v;
        v = v * base + d;
    }
}

static uint64_t next_argument(const char **p)
{
    while (**p && **p != 'x')
        (*p)++;
    if (**p)
        (*p)++;
    return number(p, 16);
}

static uint32_t owner_of(uint32_t pid, uint64_t futex)
{
    uint32_t owner = 0;
    struct iovec to = {&owner, sizeof owner}, from = {(void *)(futex + OWNER_OFFSET), sizeof owner};
    sn_sys6(SYS_process_vm_readv, pid, &to, 1, &from, 1, 0);
    return owner;
}

static long read_file(const char *task, char *to, long bytes)
{
    char path[64] = "/proc/self/task/", *p = path + 16;
    const char *rest = "/syscall";
    while (*task)
        *p++ = *task++;
    while (*rest)
        *p++ = *rest++;
    *p = 0;
    long fd = sn_sys3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
    long n = fd < 0 ? -1 : sn_sys3(SYS_read, fd, to, bytes - 1);
    if (fd >= 0)
        sn_sys1(SYS_close, fd);
    to[n > 0 ? n : 0] = 0;
    return n;
}

enum task { RUNS, COMES, WAITS, WAITS_FOR_ME };

static enum task look(const char *task, uint32_t pid, uint32_t me)
{
    char text[256];
    const char *p = text;
    if (read_file(task, text, sizeof text) <= 0)
        return COMES;           /* nobody knows */
    if (*p == 'r' || *p == '-') /* -1: it waits, but for no system call: for a page of memory */
        return RUNS;
    if (*p < '0' || *p > '9' || number(&p, 10) != SYS_futex)
        return COMES; /* it waits for the world, or for its time */
    return owner_of(pid, next_argument(&p)) == me ? WAITS_FOR_ME : WAITS;
}

/* By the clock that every thread has. */
static uint64_t ran_ns(uint32_t tid)
{
    struct timespec t = {0, 0};
    long clock = (long)(int32_t)(~tid << 3 | 6); /* per thread, scheduled time */
    sn_sys2(SYS_clock_gettime, clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Calls `visit` with the name of every thread's folder. */
static void each(void (*visit)(void *arg, const char *name), void *arg)
{
    char buffer[2048];
    long fd = sn_sys3(SYS_open, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), n;
    if (fd < 0)
        return;
    while ((n = sn_sys3(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < n;) {
            const struct entry *e = (const struct entry *)(buffer + at);
            at += e->bytes;
            if (*e->name != '.')
                visit(arg, e->name);
        }
    sn_sys1(SYS_close, fd);
}

struct looking {
    uint32_t pid, me;
    struct sn_tasks *out;
};

static void add(void *arg, const char *name)
{
    struct looking *l = arg;
    const char *p = name;
    uint32_t tid = (uint32_t)number(&p, 10);
    if (tid == l->me)
        return;
    switch (look(name, l->pid, l->me)) {
    case RUNS:
        l->out->running += tid;
        l->out->ran_ns += ran_ns(tid);
        l->out->may_come = 1;
        break;
    case COMES:
        l->out->may_come = 1;
        break;
    case WAITS_FOR_ME:
        l->out->for_me = 1;
        break;
    default:
        break;
    }
}

void sn_tasks_look(uint32_t me, struct sn_tasks *out)
{
    struct looking l = {(uint32_t)sn_sys0(SYS_getpid), me, out};
    out->may_come = out->for_me = 0;
    out->running = out->ran_ns = 0;
    each(add, &l);
}

struct finding {
    uint32_t low, mask, tid;
};

static void match(void *arg, const char *name)
{
    struct finding *f = arg;
    uint32_t tid = (uint32_t)number(&name, 10);
    if ((tid & f->mask) == f->low)
        f->tid = tid;
}

uint32_t sn_tasks_find(uint32_t low, uint32_t mask)
{
    struct finding f = {low, mask, 0};
    each(match, &f);
    return f.tid;
}

static char *put_number(char *end, uint32_t tid)
{
    *end = 0;
    for (; tid; tid /= 10)
        *--end = (char)('0' + tid % 10);
    return end;
}

int sn_tasks_runs(uint32_t tid)
{
    char name[16];
    return look(put_number(name + sizeof name - 1, tid), 0, 0) == RUNS;
}

void sn_tasks_settle(uint32_t tid, uint64_t step_us)
{
    enum { STEPS = 200, MOVED_NS = 2000 };
    char name[16], *p = put_number(name + sizeof name - 1, tid);
    uint64_t begin = ran_ns(tid);
    for (int i = 0; i < STEPS && tid; i++) {
        if (look(p, 0, 0) != RUNS || ran_ns(tid) - begin > MOVED_NS)
            return;
        sn_sleep_us(step_us);
    }
}
