/*
 * local.c: units as processes of this machine, `jobs` at once. Each is a process group of its own,
 * so that nothing of a unit that was killed stays behind; orphans come to us, because we are their
 * reaper. When we are killed, the units are killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "campaign/work.h"
#include "cmd/say.h"
#include "store/xalloc.h"

#define GRACE_S 10 /* for units to end after the user has asked */

struct slot {
    pid_t pid; /* 0: free */
    size_t unit;
};

struct local {
    struct sn_work *w;
    struct slot *slot;
    size_t nslots, busy;
    size_t *queue; /* units to run: a ring as large as the plan, a unit is in it at most once */
    size_t head, waiting;
    unsigned *attempts;
    int stop; /* the signal that asked us to */
};

static int open_log(const struct sn_plan *p, size_t unit)
{
    char *path = sn_plan_file(p, "log", unit);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    free(path);
    return fd;
}

static void become_unit(const struct local *l, size_t unit, pid_t parent, const sigset_t *mask)
{
    char *path = sn_plan_file(l->w->plan, "units", unit);
    int log = open_log(l->w->plan, unit), null = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
        _exit(125);
    sigprocmask(SIG_SETMASK, mask, NULL);
    setenv("SNAG", l->w->snag, 1);
    execl("/bin/sh", "sh", path, (char *)NULL);
    _exit(125);
}

static int start(struct local *l, const sigset_t *mask)
{
    struct slot *s = l->slot;
    while (s->pid)
        s++;
    size_t unit = l->queue[l->head];
    pid_t parent = getpid(), pid = fork();
    if (pid < 0)
        return sn_fail("cannot start a process for unit %zu: %s", unit + 1, strerror(errno));
    if (pid == 0)
        become_unit(l, unit, parent, mask);
    setpgid(pid, pid);
    l->head = (l->head + 1) % l->w->plan->n;
    l->waiting--;
    l->attempts[unit]++;
    *s = (struct slot){pid, unit};
    l->busy++;
    return 0;
}

static void enqueue(struct local *l, size_t unit)
{
    l->queue[(l->head + l->waiting++) % l->w->plan->n] = unit;
}

static void note_killed(struct local *l, size_t unit, int status)
{
    char *path = sn_plan_file(l->w->plan, "fail", unit);
    if (WIFSIGNALED(status)) { /* otherwise the unit has said so itself */
        char *line = sn_xformat("here: it was ended by signal %d", WTERMSIG(status));
        FILE *out = fopen(path, "a");
        if (out) {
            fprintf(out, "%s\n", line);
            fclose(out);
        }
        free(line);
    }
    free(path);
}

static void take_end(struct local *l, struct slot *s, int status)
{
    size_t unit = s->unit;
    kill(-s->pid, SIGKILL);
    s->pid = 0;
    l->busy--;
    if (!sn_work_look_at(l->w, unit)) {
        note_killed(l, unit, status);
        if ((int64_t)l->attempts[unit] <= l->w->plan->retries && !l->stop)
            enqueue(l, unit);
    }
    sn_work_progress(l->w);
}

static void reap(struct local *l)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        for (size_t i = 0; i < l->nslots; i++)
            if (l->slot[i].pid == pid)
                take_end(l, &l->slot[i], status);
}

static void ask_all(struct local *l, int sig)
{
    for (size_t i = 0; i < l->nslots; i++)
        if (l->slot[i].pid)
            kill(-l->slot[i].pid, sig);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int loop(struct local *l, const sigset_t *set, const sigset_t *mask)
{
    double kill_at = 0;
    int status = 0;
    while (l->busy || (l->waiting && !l->stop && !status)) {
        while (!l->stop && !status && l->waiting && l->busy < l->nslots) {
            if (sn_work_is_late(l->w))
                l->waiting = 0;
            else
                status = start(l, mask);
        }
        if (!l->busy)
            break;
        int sig = sigtimedwait(set, NULL, &(struct timespec){.tv_sec = 1});
        if (sig > 0 && sig != SIGCHLD && !l->stop) {
            l->stop = sig;
            kill_at = now_s() + GRACE_S;
            ask_all(l, SIGTERM);
        }
        if (l->stop && now_s() > kill_at)
            ask_all(l, SIGKILL);
        reap(l);
    }
    return l->stop ? 128 + l->stop : status;
}

static void fill_queue(struct local *l)
{
    for (size_t i = 0; i < l->w->plan->n; i++)
        if (l->w->state[i] != SN_UNIT_DONE)
            enqueue(l, i);
}

static size_t jobs(const struct sn_work *w)
{
    long n = w->jobs > 0 ? (long)w->jobs : sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (size_t)n : 1;
}

int sn_local_run(struct sn_work *w)
{
    struct local l = {.w = w, .nslots = jobs(w)};
    sigset_t set, mask;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, &mask);
    signal(SIGCHLD, SIG_DFL); /* ignored by who started us, it would take the children's ends */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    l.slot = sn_xcalloc(l.nslots, sizeof *l.slot);
    l.queue = sn_xcalloc(w->plan->n, sizeof *l.queue);
    l.attempts = sn_xcalloc(w->plan->n, sizeof *l.attempts);
    fill_queue(&l);
    sn_work_progress(w);
    int status = loop(&l, &set, &mask);
    sn_work_progress_end(w);
    if (l.stop)
        sn_say("stopped after %zu of %zu units: the same command goes on from there", w->done,
               w->plan->n);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    free(l.slot);
    free(l.queue);
    free(l.attempts);
    return status;
}
