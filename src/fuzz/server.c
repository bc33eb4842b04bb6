/*
 * server.c: the command's side of a fork server. A signal that asks snag to stop ends the execution
 * that runs, with the processes it has started.
 *
 * The server's run file is mapped here. At the server's first answer its header and the length of
 * its records are remembered; before each execution it is made the same again. The execution writes
 * its process id there.
 */
#include "fuzz/server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/runfile.h"
#include "engine/sched/snapshot.h"
#include "fuzz/asked.h"
#include "store/xalloc.h"
#include "symbol/elf.h"

enum state { IDLE, ASKED, KILLED };

struct sn_server {
    int pid, ask, answer;
    enum state state;
    double begin, deadline;
    struct sn_ended end;
    char run_name[32];
    int run_fd;
    struct sn_run_header *run; /* null: not mapped */
    struct sn_run_header base; /* as it was at the first answer */
};

enum { HELLO_S = 10, WINDOW = 64 << 20 };

double sn_server_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
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

/* Milliseconds until the deadline, at most a second. */
static int patience(double deadline)
{
    double left = deadline - sn_server_clock();
    return left > 1 ? 1000 : left < 0 ? 0 : (int)(left * 1000) + 1;
}

static bool says_hello(struct sn_server *s, int *again)
{
    struct sn_snapshot_answer a;
    double deadline = sn_server_clock() + HELLO_S;
    while (!sn_asked() && sn_server_clock() < deadline) {
        struct pollfd p = {.fd = s->answer, .events = POLLIN};
        int r = poll(&p, 1, patience(deadline));
        if (r < 0 && errno != EINTR)
            return false;
        if (r > 0) {
            bool good = read(s->answer, &a, sizeof a) == sizeof a;
            *again = good ? a.status : 0;
            return good && !a.status;
        }
    }
    return false;
}

static void map_run(struct sn_server *s, const char *dir)
{
    snprintf(s->run_name, sizeof s->run_name, "%d.0.run", s->pid);
    char *path = sn_xformat("%s/%s", dir, s->run_name);
    s->run_fd = open(path, O_RDWR | O_CLOEXEC);
    free(path);
    if (s->run_fd < 0)
        return;
    void *p = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, s->run_fd, 0);
    if (p == MAP_FAILED)
        return;
    s->run = p;
    s->base = *s->run;
}

/* May all functions be looked up once, in the server, and not in every execution? Not when the
 * program loads libraries, which may have to find theirs later. */
static bool binds_now(const char *program)
{
    char path[PATH_MAX];
    struct sn_elf_facts facts;
    return !getenv("LD_BIND_NOW") && sn_launch_check(program, path) == 0 &&
           sn_elf_probe(path, &facts) == 0 && !facts.loads;
}

/* again: how else the server wants to be started; 0: no matter how. */
static struct sn_server *start(const struct sn_launch *like, int how, bool bind_now, int *again)
{
    int ask[2], answer[2];
    *again = 0;
    if (!open_pipes(ask, answer))
        return NULL;
    struct sn_launch launch = *like;
    struct sn_options rt = *like->rt;
    rt.server = how;
    rt.bind_now = bind_now;
    launch.rt = &rt;
    launch.control = (int[]){ask[0], answer[1]};
    struct sn_server *s = sn_xcalloc(1, sizeof *s);
    s->ask = ask[1];
    s->answer = answer[0];
    s->run_fd = -1;
    int failed = sn_launch_start(&launch, &s->pid);
    close(ask[0]);
    close(answer[1]);
    sn_asked_watch();
    signal(SIGPIPE, SIG_IGN);
    if (!failed && says_hello(s, again))
        map_run(s, like->run_dir);
    if (s->run)
        return s;
    if (failed)
        s->pid = 0;
    sn_server_stop(s);
    return NULL;
}

struct sn_server *sn_server_start(const struct sn_launch *like)
{
    int again;
    bool bind_now = binds_now(like->argv[0]);
    struct sn_server *s = start(like, SN_SNAPSHOT_AT_MAIN, bind_now, &again);
    if (!s && again == SN_SNAPSHOT_AT_START)
        return start(like, SN_SNAPSHOT_AT_START, false, &again);
    if (!s && bind_now) /* a function that the program names and never calls may be missing */
        s = start(like, SN_SNAPSHOT_AT_MAIN, false, &again);
    return s;
}

/* The bytes of the file that exist, at most `wanted`. */
static size_t existing(const struct sn_server *s, uint64_t wanted)
{
    struct stat st;
    uint64_t there = fstat(s->run_fd, &st) < 0 ? 0 : (uint64_t)st.st_size;
    return (size_t)(wanted < there ? wanted : there);
}

static void set_run_back(struct sn_server *s)
{
    size_t from = SN_RUN_HEADER_BYTES + s->base.reserved;
    size_t to = existing(s, SN_RUN_HEADER_BYTES + s->run->reserved);
    if (to > from)
        memset((char *)s->run + from, 0, to - from);
    *s->run = s->base;
}

static bool write_all(int fd, const void *data, size_t bytes)
{
    while (bytes) {
        ssize_t n = write(fd, data, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data = (const char *)data + n;
        bytes -= (size_t)n;
    }
    return true;
}

int sn_server_begin(struct sn_server *s, int64_t seed, const char *plan, double timeout_s)
{
    size_t n = strlen(plan);
    struct sn_snapshot_ask ask = {.seed = seed, .plan_bytes = n};
    char *message = sn_xcalloc(sizeof ask + n, 1);
    memcpy(message, &ask, sizeof ask);
    memcpy(message + sizeof ask, plan, n);
    set_run_back(s);
    bool good = write_all(s->ask, message, sizeof ask + n);
    free(message);
    s->state = ASKED;
    s->end = (struct sn_ended){0};
    s->begin = sn_server_clock();
    s->deadline = s->begin + timeout_s;
    return good ? 0 : -1;
}

int sn_server_fd(const struct sn_server *s)
{
    return s->answer;
}

double sn_server_deadline(const struct sn_server *s)
{
    return s->deadline;
}

/* A message, if there is one: 1; 0 none; -1 the server has gone. */
static int take_message(struct sn_server *s, struct sn_snapshot_answer *a)
{
    struct pollfd p = {.fd = s->answer, .events = POLLIN};
    int r = poll(&p, 1, 0);
    if (r < 0)
        return errno == EINTR ? 0 : -1;
    return r == 0 ? 0 : read(s->answer, a, sizeof *a) == sizeof *a ? 1 : -1;
}

/* The process of the execution; 0: not there yet. */
static int child_of(const struct sn_server *s)
{
    int pid = (int)__atomic_load_n(&s->run->pid, __ATOMIC_RELAXED);
    return pid != (int)s->base.pid ? pid : 0;
}

static void end_it(struct sn_server *s, int child)
{
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    s->state = KILLED;
    s->deadline = sn_server_clock() + HELLO_S;
}

/* Nothing has come: is it time to end the execution? */
static int check_time(struct sn_server *s)
{
    double now = sn_server_clock();
    int child = child_of(s);
    if (!sn_asked() && now < s->deadline)
        return 0;
    if (s->state != ASKED)
        return now >= s->deadline ? -1 : 0;
    if (!child) {
        s->deadline = s->begin + HELLO_S;
        return now >= s->deadline ? -1 : 0;
    }
    s->end.asked_to_stop = sn_asked();
    s->end.timed_out = !sn_asked();
    end_it(s, child);
    return 0;
}

/* The execution that was asked for is over. */
static int ended(struct sn_server *s, struct sn_ended *end)
{
    s->state = IDLE;
    *end = s->end;
    return 1;
}

int sn_server_look(struct sn_server *s, struct sn_ended *end)
{
    struct sn_snapshot_answer a;
    int r = take_message(s, &a);
    if (r == 0)
        return check_time(s);
    if (r == 1 && a.ended) {
        s->end.pid = a.pid;
        s->end.seconds = sn_server_clock() - s->begin;
        s->end.status = WIFSIGNALED(a.status) ? 128 + WTERMSIG(a.status) : WEXITSTATUS(a.status);
        return ended(s, end);
    }
    if (r == 1 || !sn_asked())
        return -1;
    s->end.asked_to_stop = sn_asked(); /* the terminal's signal has ended the server, too */
    s->end.pid = child_of(s);
    if (s->end.pid)
        end_it(s, s->end.pid);
    return ended(s, end);
}

int sn_server_await(struct sn_server *s, struct sn_ended *end)
{
    int r;
    while ((r = sn_server_look(s, end)) == 0) {
        struct pollfd p = {.fd = s->answer, .events = POLLIN};
        if (poll(&p, 1, patience(s->deadline)) < 0 && errno != EINTR)
            return -1;
    }
    return r == 1 ? 0 : -1;
}

void sn_server_cancel(struct sn_server *s)
{
    struct sn_ended end;
    struct pollfd p = {.fd = s->answer, .events = POLLIN};
    int child = 0;
    while (s->state == ASKED && !(child = child_of(s)) && poll(&p, 1, 1) >= 0)
        if (sn_server_look(s, &end) < 0)
            return;
    if (s->state == ASKED)
        end_it(s, child);
    if (s->state == KILLED)
        sn_server_await(s, &end);
}

const void *sn_server_run(const struct sn_server *s, size_t *bytes)
{
    *bytes = existing(s, SN_RUN_HEADER_BYTES + s->run->reserved + sizeof(struct sn_rec));
    return *bytes >= sizeof *s->run ? s->run : NULL;
}

uint64_t sn_server_base(const struct sn_server *s)
{
    return s->base.reserved;
}

const char *sn_server_run_name(const struct sn_server *s)
{
    return s->run_name;
}

void sn_server_stop(struct sn_server *s)
{
    if (!s)
        return;
    close(s->ask);
    close(s->answer);
    if (s->run)
        munmap(s->run, WINDOW);
    if (s->run_fd >= 0)
        close(s->run_fd);
    if (s->pid > 0) {
        kill(s->pid, SIGKILL);
        while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    sn_asked_leave();
    free(s);
}
