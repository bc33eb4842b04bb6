/*
 * tasks.c: /proc/self/task/N/syscall says in which system call a thread is, and with which
 * arguments. A thread that waits for a mutex is in futex(), and the mutex says who holds it. All
 * that costs some microseconds per thread, and is only asked when a thread is about to sleep for a
 * millisecond.
 */
#include "tasks.h"

#include <sys/uio.h>

#include "core/sys.h"
#include "runtime/proc.h"

enum { OWNER_OFFSET = 8 }; /* of a pthread_mutex_t: its holder's number, at 0 the futex */

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

enum task { RUNS, COMES, WAITS, WAITS_FOR_ME };

static enum task look(uint32_t tid, uint32_t pid, uint32_t me)
{
    char text[256];
    const char *p = text;
    if (!sn_proc_task((int)tid, "syscall", text, sizeof text))
        return COMES;           /* nobody knows */
    if (*p == 'r' || *p == '-') /* -1: it waits, but for no system call: for a page of memory */
        return RUNS;
    if (*p < '0' || *p > '9' || number(&p, 10) != SYS_futex)
        return COMES; /* it waits for the world, or for its time */
    return owner_of(pid, next_argument(&p)) == me ? WAITS_FOR_ME : WAITS;
}

struct looking {
    uint32_t pid, me;
    struct sn_tasks *out;
};

static void add(int id, void *arg)
{
    struct looking *l = arg;
    uint32_t tid = (uint32_t)id;
    if (tid == l->me)
        return;
    switch (look(tid, l->pid, l->me)) {
    case RUNS:
        l->out->running += tid;
        l->out->ran_ns += sn_proc_ran_ns(id);
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
    sn_proc_each_thread(add, &l);
}

struct finding {
    uint32_t low, mask, tid;
};

static void match(int id, void *arg)
{
    struct finding *f = arg;
    uint32_t tid = (uint32_t)id;
    if ((tid & f->mask) == f->low)
        f->tid = tid;
}

uint32_t sn_tasks_find(uint32_t low, uint32_t mask)
{
    struct finding f = {low, mask, 0};
    sn_proc_each_thread(match, &f);
    return f.tid;
}

int sn_tasks_runs(uint32_t tid)
{
    return look(tid, 0, 0) == RUNS;
}

void sn_tasks_settle(uint32_t tid, uint64_t step_us)
{
    enum { STEPS = 200, MOVED_NS = 50000 }; /* its access may have to wait for a page */
    uint64_t begin = sn_proc_ran_ns((int)tid);
    for (int i = 0; i < STEPS && tid; i++) {
        if (look(tid, 0, 0) != RUNS || sn_proc_ran_ns((int)tid) - begin > MOVED_NS)
            return;
        sn_sleep_us(step_us);
    }
}
