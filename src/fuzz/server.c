/*
 * server.c: the command's side of a fork server. A signal that asks snag to stop ends the execution
 * that runs, with the processes it has started.
 */
#include "fuzz/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/sched/snapshot.h"
#include "store/xalloc.h"

struct sn_server {
    int pid, ask, answer;
    struct sigaction old_int, old_term;
};

enum { HELLO_S = 10 };

static volatile sig_atomic_t asked;

static void on_signal(int sig)
{
    asked = sig;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* 1, 0 when the time is up or a signal came, -1 when the server has gone. */
static int read_answer(struct sn_server *s, double deadline, struct sn_snapshot_answer *a)
{
    for (;;) {
        double left = deadline - now_s();
        struct pollfd p = {.fd = s->answer, .events = POLLIN};
        if (asked || left <= 0)
            return 0;
        int r = poll(&p, 1, left > 1 ? 1000 : (int)(left * 1000) + 1);
        if (r < 0 && errno != EINTR)
            return -1;
        if (r > 0)
            return read(s->answer, a, sizeof *a) == sizeof *a ? 1 : -1;
    }
}

static void catch_signals(struct sn_server *s)
{
    struct sigaction a = {.sa_handler = on_signal};
    asked = 0;
    sigaction(SIGINT, &a, &s->old_int);
    sigaction(SIGTERM, &a, &s->old_term);
    signal(SIGPIPE, SIG_IGN);
}

static bool open_pipes(int ask[2], int answer[2])
{
    if (pipe2(ask, O_CLOEXEC) < 0)
        return false;
    if (pipe2(answer, O_CLOEXEC) == 0)
        return true;
    close(ask[0]);
    close(ask[1]);
    return false;
}

struct sn_server *sn_server_start(const struct sn_launch *like)
{
    int ask[2], answer[2];
    struct sn_snapshot_answer hello;
    if (!open_pipes(ask, answer))
        return NULL;
    struct sn_launch launch = *like;
    struct sn_options rt = *like->rt;
    rt.server = 1;
    launch.rt = &rt;
    launch.control = (int[]){ask[0], answer[1]};
    struct sn_server *s = sn_xcalloc(1, sizeof *s);
    s->ask = ask[1];
    s->answer = answer[0];
    int failed = sn_launch_start(&launch, &s->pid);
    close(ask[0]);
    close(answer[1]);
    catch_signals(s);
    if (!failed && read_answer(s, now_s() + HELLO_S, &hello) == 1)
        return s;
    if (failed)
        s->pid = 0;
    sn_server_stop(s);
    return NULL;
}

static int ended(const struct sn_snapshot_answer *a, double begin, struct sn_ended *end)
{
    end->seconds = now_s() - begin;
    end->status = WIFSIGNALED(a->status) ? 128 + WTERMSIG(a->status) : WEXITSTATUS(a->status);
    return 0;
}

int sn_server_run(struct sn_server *s, int64_t seed, double timeout_s, struct sn_ended *end)
{
    struct sn_snapshot_ask ask = {.seed = seed};
    struct sn_snapshot_answer a;
    double begin = now_s();
    *end = (struct sn_ended){0};
    if (write(s->ask, &ask, sizeof ask) != sizeof ask || read_answer(s, begin + HELLO_S, &a) != 1 ||
        a.pid <= 0)
        return -1;
    int pid = a.pid, r = read_answer(s, begin + timeout_s, &a);
    end->pid = pid;
    if (r == 1)
        return ended(&a, begin, end);
    if (r < 0)
        return -1;
    end->asked_to_stop = asked;
    end->timed_out = !asked;
    asked = 0;
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    if (read_answer(s, now_s() + HELLO_S, &a) != 1)
        return -1;
    return ended(&a, begin, end);
}

void sn_server_stop(struct sn_server *s)
{
    if (!s)
        return;
    close(s->ask);
    close(s->answer);
    if (s->pid > 0) {
        kill(s->pid, SIGKILL);
        while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    sigaction(SIGINT, &s->old_int, NULL);
    sigaction(SIGTERM, &s->old_term, NULL);
    free(s);
}
