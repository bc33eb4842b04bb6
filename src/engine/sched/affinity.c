/*
 * affinity.c: see affinity.h. The set of processors comes with the options, since a program that
 * was started by a pinned one begins with the wrong set. A thread's own wish goes to the kernel
 * first, which knows what is allowed; then the thread is put back where all the others are.
 */
#include "affinity.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>

#include "core/engine.h"
#include "core/options.h"
#include "core/sys.h"
#include "core/thread.h"
#include "scheduler.h"

enum { BYTES = 128 }; /* 1024 processors */

struct mask {
    uint8_t bits[BYTES];
};

static struct mask given;  /* to the program */
static size_t given_bytes; /* as the kernel counts them; 0: nothing is changed here */
static struct mask pinned SN_HOT;
static bool is_pinned SN_HOT;
static struct mask *wish[SN_MAX_THREADS] SN_LARGE; /* by index; null: none */

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Two digits for each byte, the first byte first. */
static void read_mask(const char *hex)
{
    for (size_t i = 0; i < BYTES; i++, hex += 2) {
        if (digit(hex[0]) < 0 || digit(hex[1]) < 0)
            return;
        given.bits[i] = (uint8_t)(digit(hex[0]) << 4 | digit(hex[1]));
        given_bytes = i + 1;
    }
}

void sn_affinity_init(void)
{
    struct mask now = {{0}};
    long n = sn_sys3(SYS_sched_getaffinity, 0, BYTES, &now);
    read_mask(sn_opt.cpus);
    if (!given_bytes)
        given = now;
    given_bytes = n > 0 ? (size_t)n : 0;
}

void sn_affinity_pin(void)
{
    unsigned cpu = 0;
    if (is_pinned || !given_bytes || sn_sys3(SYS_getcpu, &cpu, 0, 0) < 0 || cpu >= 8 * BYTES)
        return;
    pinned = (struct mask){{0}};
    pinned.bits[cpu / 8] = (uint8_t)(1u << cpu % 8);
    is_pinned = sn_sys3(SYS_sched_setaffinity, 0, BYTES, &pinned) == 0;
}

void sn_affinity_unpin(void)
{
    if (is_pinned)
        is_pinned = sn_sys3(SYS_sched_setaffinity, 0, given_bytes, &given) != 0;
}

/* A thread of this process; null: it is not one. */
static struct sn_thread *thread_of(int tid)
{
    if (!tid)
        return sn_self;
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        struct sn_thread *t = sn_thread_at(i);
        if (t->kernel_tid == tid && t->state == SN_T_RUNNING)
            return t;
    }
    return 0;
}

static long get(int tid, size_t bytes, void *to)
{
    struct sn_thread *t = is_pinned ? thread_of(tid) : 0;
    long r = sn_sys3(SYS_sched_getaffinity, tid, bytes, to); /* it knows what is wrong with them */
    if (r < 0 || !t || bytes < given_bytes)
        return r;
    memcpy(to, wish[t->index] ? wish[t->index] : &given, given_bytes);
    return (long)given_bytes;
}

static long set(int tid, size_t bytes, const void *from)
{
    struct sn_thread *t = is_pinned ? thread_of(tid) : 0;
    long r = sn_sys3(SYS_sched_setaffinity, tid, bytes, from);
    if (r < 0 || !t)
        return r;
    if (!wish[t->index])
        wish[t->index] = sn_map(sizeof(struct mask));
    if (wish[t->index])
        sn_sys3(SYS_sched_getaffinity, tid, BYTES, wish[t->index]);
    sn_sys3(SYS_sched_setaffinity, tid, BYTES, &pinned);
    return 0;
}

/* libomp asks so, and would have one thread. */
long sn_engine_affinity(long number, int tid, size_t bytes, void *mask)
{
    return number == SYS_sched_getaffinity ? get(tid, bytes, mask) : set(tid, bytes, mask);
}

static int answer(long r)
{
    if (r >= 0)
        return 0;
    errno = (int)-r;
    return -1;
}

/* As libc does it: what the kernel did not fill is zero. */
static long get_whole(int tid, size_t bytes, cpu_set_t *to)
{
    long n = get(tid, bytes < INT32_MAX ? bytes : INT32_MAX, to);
    if (n > 0 && (size_t)n < bytes)
        memset((char *)to + n, 0, bytes - (size_t)n);
    return n;
}

SN_EXPORT int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *to)
{
    return answer(get_whole(pid, bytes, to));
}

SN_EXPORT int sched_setaffinity(pid_t pid, size_t bytes, const cpu_set_t *from)
{
    return answer(set(pid, bytes, from));
}

static int tid_of(pthread_t handle)
{
    const struct sn_thread *t = sn_thread_by_pthread((uintptr_t)handle);
    return t ? t->kernel_tid : -1;
}

SN_EXPORT int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t *to)
{
    int tid = tid_of(thread);
    long r = tid < 0 ? -ESRCH : get_whole(tid, bytes, to);
    return r < 0 ? (int)-r : 0;
}

SN_EXPORT int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *from)
{
    int tid = tid_of(thread);
    long r = tid < 0 ? -ESRCH : set(tid, bytes, from);
    return r < 0 ? (int)-r : 0;
}

/* Always the same one: which it really is depends on the machine's load. */
SN_EXPORT int sched_getcpu(void)
{
    const struct mask *m = sn_self && wish[sn_self->index] ? wish[sn_self->index] : &given;
    for (unsigned i = 0; is_pinned && i < 8 * BYTES; i++)
        if (m->bits[i / 8] >> i % 8 & 1)
            return (int)i;
    unsigned cpu = 0;
    return sn_sys3(SYS_getcpu, &cpu, 0, 0) < 0 ? -1 : (int)cpu;
}
