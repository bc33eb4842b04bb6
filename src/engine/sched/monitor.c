/*
 * monitor.c: what the scheduler does not control (section 4 of the paper). A thread may wait in a
 * way that no hook sees: a system call of its own, a lock inside libc that a thread without the
 * baton holds. Every thread that waits for the baton looks up now and then: when the running thread
 * sleeps in the kernel and nothing has moved since the last look, it counts as outside, and the
 * baton goes on. At its next hook it comes back into the schedule like any other that was outside.
 */
#include "monitor.h"

#include <fcntl.h>

#include "core/sys.h"

enum { LOOKS = 3 }; /* in a row, at which nothing had moved */

static uint64_t last_steps;
static struct sn_thread *last_current;
static uint32_t still; /* looks so far */

static char *put(char *to, const char *s)
{
    while (*s)
        *to++ = *s++;
    return to;
}

static void path_of(char *to, uint32_t tid)
{
    char digits[12], *d = digits + sizeof digits - 1;
    *d = 0;
    do
        *--d = (char)('0' + tid % 10);
    while (tid /= 10);
    to = put(to, "/proc/self/task/");
    to = put(to, d);
    *put(to, "/stat") = 0;
}

/* The letter behind the last parenthesis is the state. */
static bool sleeps(uint32_t tid)
{
    char path[64], text[128];
    path_of(path, tid);
    long fd = sn_sys3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
    long n = fd < 0 ? 0 : sn_sys3(SYS_read, fd, text, sizeof text - 1);
    if (fd >= 0)
        sn_sys1(SYS_close, fd);
    for (long i = n - 3; i > 0; i--)
        if (text[i] == ')')
            return text[i + 2] == 'S';
    return false;
}

static bool nothing_moved(void)
{
    bool same = last_steps == sn_sched.steps && last_current == sn_sched.current;
    last_steps = sn_sched.steps;
    last_current = sn_sched.current;
    still = same ? still + 1 : 0;
    return still >= LOOKS;
}

bool sn_monitor_look(void)
{
    struct sn_thread *t = sn_sched.current;
    if (!t || sn_task_of(t)->set == SN_SET_NONE || !nothing_moved() ||
        !sleeps((uint32_t)t->kernel_tid))
        return false;
    struct sn_task *k = sn_task_of(t);
    still = 0;
    k->lost = 1;
    k->wait = SN_WAIT_OUTSIDE;
    sn_set_put(t, SN_SET_NONE);
    sn_sched.outside++;
    return true;
}

void sn_monitor_rejoin(struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    if (!k->lost)
        return;
    k->lost = 0;
    k->wait = SN_WAIT_NOTHING;
    k->points++;
    sn_sched.outside--;
    sn_sched_return(t);
}

void sn_monitor_back(struct sn_thread *t)
{
    sn_sched_lock();
    sn_monitor_rejoin(t);
    sn_sched_unlock();
}
