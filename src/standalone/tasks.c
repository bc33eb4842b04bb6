/*
 * tasks.c: /proc/self/task/N/syscall says in which system call a thread is, and with which
 * arguments. A thread that waits for a mutex is in futex(), and the mutex says who holds it. All
 * that costs some microseconds per thread, and is only asked when a thread is about to sleep for a
 * millisecond.
 */
#include "tasks.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/uio.h>

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

enum task { COMES, WAITS, WAITS_FOR_ME };

static enum task look(const char *task, uint32_t pid, uint32_t me)
{
    char text[256];
    const char *p = text;
    if (read_file(task, text, sizeof text) <= 0 || *p < '0' || *p > '9')
        return COMES; /* it runs, or nobody knows */
    if (number(&p, 10) != SYS_futex)
        return COMES; /* it waits for the world */
    uint64_t futex = next_argument(&p), op = next_argument(&p) & FUTEX_CMD_MASK;
    (void)op;
    return owner_of(pid, futex) == me ? WAITS_FOR_ME : WAITS;
}

int sn_tasks_let_stall(uint32_t me)
{
    char buffer[2048];
    long fd = sn_sys3(SYS_open, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), n;
    uint32_t pid = (uint32_t)sn_sys0(SYS_getpid);
    int comes = 0, mine = 0;
    if (fd < 0)
        return 0;
    while (!mine && (n = sn_sys3(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < n && !mine;) {
            const struct entry *e = (const struct entry *)(buffer + at);
            const char *name = e->name;
            at += e->bytes;
            if (*name == '.' || number(&name, 10) == me)
                continue;
            enum task t = look(e->name, pid, me);
            comes |= t == COMES;
            mine |= t == WAITS_FOR_ME;
        }
    sn_sys1(SYS_close, fd);
    return comes && !mine;
}
