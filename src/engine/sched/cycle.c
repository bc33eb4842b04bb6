/*
 * cycle.c: deadlocks. Since waiting is known exactly there are no doubts: a circle of threads that
 * wait for each other's locks, or a state in which nobody can ever run again. The finding is
 * `confirmed`, and the process ends.
 */
#include "scheduler.h"
#include "tally.h"

#include <semaphore.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "core/hash.h"
#include "core/options.h"
#include "core/sys.h"
#include "outside.h"
#include "runtime/draft.h"
#include "runtime/hook.h"
#include "runtime/mutex_state.h"
#include "runtime/proc.h"
#include "runtime/real.h"

enum { MAX_SITES = 32, MAX_CYCLE = 128, SURE_NS = 1500000000, SURE_OF_PIPES_NS = 200000000 };

static struct sn_thread *waits_for_thread(struct sn_thread *t)
{
    const struct sn_task *k = sn_task_of(t);
    if (k->deadline != SN_NEVER)
        return 0;
    if (k->wait == SN_WAIT_JOIN)
        return (struct sn_thread *)k->key;
    if (k->wait != SN_WAIT_LOCK && k->wait != SN_WAIT_RDLOCK)
        return 0;
    const struct sn_sync *s = sn_sync_find(k->key);
    return s && s->owner ? sn_thread_by_number(s->owner - 1) : 0;
}

static const char *call_of(enum sn_wait why)
{
    switch (why) {
    case SN_WAIT_COND:
        return "pthread_cond_wait";
    case SN_WAIT_BARRIER:
        return "pthread_barrier_wait";
    case SN_WAIT_SEM:
        return "sem_wait";
    case SN_WAIT_ONCE:
        return "pthread_once";
    case SN_WAIT_JOIN:
        return "pthread_join";
    case SN_WAIT_FUTEX:
        return "futex";
    case SN_WAIT_OUTSIDE:
        return "read";
    default:
        return 0;
    }
}

static void add_site(struct sn_draft *d, struct sn_thread *t)
{
    struct sn_task *k = sn_task_of(t);
    const char *call = call_of((enum sn_wait)k->wait);
    if (k->wait == SN_WAIT_OUTSIDE && k->output)
        call = "write";
    sn_draft_site(d, t, call ? SN_OP_CALL : SN_OP_LOCK, sn_ctx_where(t, k->wait_pc),
                  call ? 0 : k->key, 0, true, call ? call : "waits for");
}

static uint64_t hash(struct sn_thread *t)
{
    return sn_hash_mix(sn_task_of(t)->wait_pc);
}

static void stop(void)
{
    sn_tally_summary();
    sn_runtime_stop((int)sn_opt.deadlock_exit);
}

static void report(struct sn_thread *const *t, uint32_t n, const char *text)
{
    uint64_t key = 0;
    for (uint32_t i = 0; i < n; i++)
        key += hash(t[i]);
    struct sn_draft *d = sn_draft_begin(SN_KIND_DEADLOCK, SN_CONFIRMED, key, text);
    if (!d)
        return;
    const struct sn_task *k = sn_task_of(t[0]);
    if (k->wait == SN_WAIT_LOCK || k->wait == SN_WAIT_RDLOCK)
        sn_draft_object(d, k->key, 1);
    for (uint32_t i = 0; i < n && i < MAX_SITES; i++)
        add_site(d, t[i]);
    sn_draft_commit(d);
}

void sn_cycle_check(struct sn_thread *t)
{
    struct sn_thread *path[MAX_CYCLE], *u = t;
    uint32_t n = 0;
    do {
        path[n++] = u;
        u = waits_for_thread(u);
    } while (u && u != t && n < MAX_CYCLE);
    if (u != t)
        return;
    report(path, n,
           n == 1 ? "a thread waits for a lock that it holds itself"
                  : "threads wait for each other in a circle");
    stop();
}

static bool has_it(const struct sn_task *k)
{
    int value;
    switch (k->wait) {
    case SN_WAIT_LOCK: {
        const struct sn_sync *s = sn_sync_find(k->key);
        return s && s->kind == SN_SYNC_MUTEX &&
               !sn_mutex_is_locked((const pthread_mutex_t *)k->key);
    }
    case SN_WAIT_SEM:
        return sem_getvalue((sem_t *)k->key, &value) == 0 && value > 0;
    case SN_WAIT_ONCE:
        return (__atomic_load_n((int *)k->key, __ATOMIC_ACQUIRE) & 3) != 1;
    default:
        return false;
    }
}

/* Something came free out of the scheduler's sight: a signal handler's sem_post, an exception in an
 * initialiser. */
bool sn_cycle_recheck(void)
{
    bool any = false;
    for (struct sn_thread *t = sn_sched.first, *follow; t; t = follow) {
        follow = sn_task_of(t)->follow;
        if (has_it(sn_task_of(t))) {
            sn_wait_wake_one(t);
            any = true;
        }
    }
    return any;
}

/* Only these are what a signal handler may end: a semaphore, a futex. */
static bool handler_can_help(void)
{
    for (struct sn_thread *t = sn_sched.first; t; t = sn_task_of(t)->follow) {
        const struct sn_task *k = sn_task_of(t);
        if (k->wait == SN_WAIT_SEM || k->wait == SN_WAIT_FUTEX)
            return true;
    }
    return false;
}

/* A handler of the program's own may still wake somebody. */
static bool has_handlers(void)
{
    for (int sig = 1; sig < 32; sig++) {
        struct sigaction a;
        if (sig != SIGSEGV && sig != SIGBUS && sig != SIGABRT && sig != SIGFPE && sig != SIGILL &&
            sn_real.sigaction(sig, 0, &a) == 0 && a.sa_handler != SIG_DFL &&
            a.sa_handler != SIG_IGN)
            return true;
    }
    return false;
}

static uint32_t all_waiting(struct sn_thread **t)
{
    uint32_t n = 0;
    for (struct sn_thread *w = sn_sched.first; w && n < MAX_SITES; w = sn_task_of(w)->follow)
        t[n++] = w;
    return n;
}

/* Processes of the program's own may send signals: its children, and the one that has forked it. */
static bool has_relatives(void)
{
    siginfo_t info;
    return sn_sched.process ||
           sn_sys6(SYS_waitid, P_ALL, 0, &info, WNOHANG | WNOWAIT | WEXITED, 0, 0) == 0;
}

/* libc's own, for notifications of message queues, timers and asynchronous input: nothing is known
 * of them until they call back. */
static bool has_unknown_threads(void)
{
    return sn_proc_threads() > (int)sn_sched_alive();
}

/* A signal that was sent before may not have come yet: so it is believed after a while in which
 * nothing has happened. */
static bool has_been_so(uint64_t long_ns)
{
    static uint64_t since_ns, steps;
    uint64_t now = sn_now_ns();
    if (!since_ns || steps != sn_sched.steps) {
        since_ns = now;
        steps = sn_sched.steps;
    }
    return now - since_ns > long_ns;
}

/* A forked process in which nobody waits for a lock may be idle until its parent ends it. */
static bool may_idle(void)
{
    for (struct sn_thread *t = sn_sched.first; t; t = sn_task_of(t)->follow)
        if (sn_task_of(t)->wait == SN_WAIT_LOCK || sn_task_of(t)->wait == SN_WAIT_RDLOCK)
            return false;
    return sn_sched.process != 0;
}

bool sn_cycle_all_wait(void)
{
    struct sn_thread *t[MAX_SITES];
    const char *text = "every thread waits, and nobody is left to wake one";
    bool handlers = sn_sched.first && has_handlers() && handler_can_help();
    if (handlers || has_unknown_threads()) {
        if (has_relatives() || !has_been_so(SURE_NS))
            return false; /* not beyond doubt: whoever waits looks again now and then */
        text = handlers ? "every thread waits, and only a signal from elsewhere could wake one"
                        : "every thread of the program waits; one of a library's own does nothing";
    }
    uint32_t n = may_idle() ? 0 : all_waiting(t);
    if (n) {
        report(t, n, text);
        stop();
    }
    return false;
}

/* Both ends of a pipe are in the program: a thread of its own would have to come to the other one.
 */
static bool is_pipe(int fd)
{
    struct stat st;
    return fd >= 0 && sn_sys2(SYS_fstat, fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

static bool waits_at_pipe(struct sn_thread *t)
{
    const struct sn_task *k = sn_task_of(t);
    return is_pipe(k->fd) && !sn_outside_ready(k->fd, k->output) && sn_proc_sleeps(t->kernel_tid);
}

/* Adds those who are outside, all at pipes; false: somebody is elsewhere. */
static bool add_at_pipes(struct sn_thread **t, uint32_t *n)
{
    for (uint32_t i = 0; i < sn_thread_count(); i++) {
        struct sn_thread *o = sn_thread_at(i);
        if (sn_task_of(o)->wait != SN_WAIT_OUTSIDE)
            continue;
        if (!waits_at_pipe(o))
            return false;
        if (*n < MAX_SITES)
            t[(*n)++] = o;
    }
    return true;
}

void sn_cycle_look_outside(void)
{
    struct sn_thread *t[MAX_SITES];
    uint32_t n = all_waiting(t);
    if (sn_sched.returned || sn_wait_earliest(false) || sn_clock_armed() || has_relatives() ||
        has_unknown_threads() || has_handlers() || !add_at_pipes(t, &n) || !has_been_so(SURE_OF_PIPES_NS))
        return;
    report(t, n, "every thread waits, and nobody is left at the other end of the pipe");
    stop();
}
