/*
 * launch.c: running the program under test, see launch.h.
 *
 * Signals are not handled but waited for (they are blocked here, not in the program), so there is
 * no handler code. A signal from the terminal reaches the program by itself, because it is in the
 * same process group; one that was sent to snag alone is given on.
 */
#include "cmd/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/find_program.h"
#include "cmd/limits.h"
#include "cmd/order_file.h"
#include "cmd/place.h"
#include "cmd/process_tree.h"
#include "cmd/say.h"
#include "cmd/words.h"
#include "engine/sched/snapshot.h"
#include "store/xalloc.h"
#include "symbol/program.h"

/* The loader ignores LD_PRELOAD in a program that gains rights, or loses them. */
static bool gains_rights(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return false;
    return ((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
           ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getegid()) ||
           (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

/* The user has told AddressSanitizer to come second. */
static bool asan_gives_way(void)
{
    const char *options = getenv("ASAN_OPTIONS");
    return options && strstr(options, "verify_asan_link_order=0");
}

static int check_kind(const char *path)
{
    struct sn_program program;
    if (sn_program_read(path, &program) < 0)
        return 0; /* executable, but not readable: nothing is known against it */
    if (program.kind == SN_PROGRAM_STATIC)
        return sn_fail("%s is statically linked: the dynamic loader cannot bring snag into it; "
                       "link it without -static",
                       path);
    if (program.kind == SN_PROGRAM_FOREIGN)
        return sn_fail("%s is for another machine or of another word size: snag watches 64-bit "
                       "x86 programs",
                       path);
    if (program.kind == SN_PROGRAM_DAMAGED) { /* execvpe() would give it to the shell */
        sn_say("%s is damaged: it begins like a program, but is none", path);
        return SN_EXIT_CANNOT_EXEC;
    }
    if (program.kind == SN_PROGRAM_DATA) {
        sn_say("%s is neither a program nor a script", path);
        return SN_EXIT_CANNOT_EXEC;
    }
    if (program.musl)
        return sn_fail(
            "%s is linked with musl: snag watches programs that have glibc; build it with "
            "a compiler for that",
            path);
    if (program.tsan_inside)
        return sn_fail("%s carries clang's own ThreadSanitizer runtime: link it with snag cc "
                       "(its object files may stay), or build it with gcc",
                       path);
    if (program.wants_asan_first && !asan_gives_way())
        return sn_fail(
            "%s was built with gcc's -fsanitize=address, which ends a program that another library "
            "was "
            "brought into: build it without, or set ASAN_OPTIONS=verify_asan_link_order=0",
            path);
    return 0;
}

static int check_place(void)
{
    const char *lib = sn_place_lib();
    if (!lib)
        return SN_EXIT_FAILED;
    if (!strpbrk(lib, " :;"))
        return 0;
    return sn_fail("the loader takes no path with a blank, colon or semicolon: install snag "
                   "elsewhere than in %s",
                   lib);
}

int sn_launch_check(const char *program, char path[PATH_MAX])
{
    int r = sn_find_program(program, path, PATH_MAX);
    if (r == -EISDIR) {
        sn_say("%s cannot be executed: it is a folder", program);
        return SN_EXIT_CANNOT_EXEC;
    }
    if (r == -EACCES) {
        sn_say("%s cannot be executed: chmod +x makes a program or script executable", path);
        return SN_EXIT_CANNOT_EXEC;
    }
    if (r < 0) {
        sn_say("%s is not found%s", program,
               strchr(program, '/') ? "" : " in PATH (./PROG for one in this folder)");
        return SN_EXIT_NOT_FOUND;
    }
    if (gains_rights(path))
        return sn_fail("%s is setuid, setgid or has capabilities: the loader keeps snag out of it; "
                       "run a copy without these rights",
                       path);
    if (access("/proc/self/maps", R_OK) != 0) /* where the library reads what is loaded */
        return sn_fail("/proc is not mounted here, and no program can be watched without: mount -t "
                       "proc proc /proc");
    int status = check_place();
    if (status == 0)
        status = sn_limits_check();
    return status ? status : check_kind(path);
}

/* NAME=first:what it was, in `env`. */
static void prepend(struct sn_words *env, const char *name, const char *first,
                    const char *separator)
{
    const char *old = getenv(name);
    bool has = old && *old;
    char *entry = sn_xformat("%s=%s%s%s", name, first, has ? separator : "", has ? old : "");
    sn_words_add(env, entry);
    free(entry);
}

static void add_variable(struct sn_words *env, const char *name, const char *value)
{
    char *entry = sn_xformat("%s=%s", name, value);
    sn_words_add(env, entry);
    free(entry);
}

/* entry is NAME=VALUE of one of these names. */
static bool is_among(const char *entry, const char *const *names, size_t n)
{
    const char *end = strchr(entry, '=');
    for (size_t i = 0; end && i < n; i++)
        if (strncmp(entry, names[i], (size_t)(end - entry)) == 0 && !names[i][end - entry])
            return true;
    return false;
}

static bool is_ours(const char *entry)
{
    static const char *const names[] = {"LD_PRELOAD", "LD_LIBRARY_PATH", "SNAG_RUN_DIR", "SNAG_RT"};
    return is_among(entry, names, sizeof names / sizeof *names);
}

/* Where one thread runs at a time, it is of no use that OpenMP's threads spin before they wait, and
 * they would be taken to compute: whatever the user has them do otherwise. */
static const char *const spinning[] = {"GOMP_SPINCOUNT", "KMP_BLOCKTIME"};
enum { SPINNING = sizeof spinning / sizeof *spinning };

static void let_nobody_spin(struct sn_words *env)
{
    for (size_t i = 0; i < SPINNING; i++)
        add_variable(env, spinning[i], "0");
    if (!getenv("LIBOMP_USE_HIDDEN_HELPER_TASK")) /* threads that look for a device's tasks */
        add_variable(env, "LIBOMP_USE_HIDDEN_HELPER_TASK", "0");
}

/* The options that differ from their defaults: "name=value name=value". */
static char *rt_text(const struct sn_options *rt)
{
    char *text = sn_xformat("%s", "");
#define ADD(format, name, value)                                                                   \
    do {                                                                                           \
        char *longer = sn_xformat("%s%s" #name "=" format, text, *text ? " " : "", value);         \
        free(text);                                                                                \
        text = longer;                                                                             \
    } while (0)
#define SN_OPT_NUM(name, def, help)                                                                \
    if (rt->name != sn_opt.name)                                                                   \
        ADD("%lld", name, (long long)rt->name);
#define SN_OPT_STR(name, def, help)                                                                \
    if (strcmp(rt->name, sn_opt.name) != 0)                                                        \
        ADD("%s", name, rt->name);
#include "core/options.def"
#undef SN_OPT_NUM
#undef SN_OPT_STR
#undef ADD
    return text;
}

/* The program's environment. A gcc-built -fsanitize=thread program asks for libtsan.so.2: in
 * LIB/tsan-ENGINE that is a link to the preloaded library, so the loader takes both for one. */
int sn_launch_environment(const struct sn_launch *l, struct sn_words *env)
{
    const char *lib = sn_place_lib();
    char *library = sn_place_engine(l->engine);
    bool scheduled = strcmp(l->engine, "sched") == 0;
    bool by_touches = strcmp(l->engine, "tsvd") == 0; /* contracts of another kind, `snag run`'s */
    if (!library || (!by_touches && sn_order_put(l->run_dir))) {
        free(library);
        return SN_EXIT_FAILED;
    }
    for (char **e = environ; *e; e++)
        if (!is_ours(*e) && !(scheduled && is_among(*e, spinning, SPINNING)))
            sn_words_add(env, *e);
    char *tsan = sn_xformat("%s/tsan-%s", lib, l->engine), *rt = rt_text(l->rt);
    prepend(env, "LD_PRELOAD", library, ":");
    prepend(env, "LD_LIBRARY_PATH", tsan, ":");
    if (scheduled)
        let_nobody_spin(env);
    if (l->rt->bind_now)
        add_variable(env, "LD_BIND_NOW", "1");
    if (!getenv("G_SLICE")) /* GLib up to 2.74: blocks that it keeps for itself would seem shared */
        add_variable(env, "G_SLICE", "always-malloc");
    add_variable(env, "SNAG_RUN_DIR", l->run_dir);
    add_variable(env, "SNAG_RT", rt);
    free(library);
    free(tsan);
    free(rt);
    return 0;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* What changes in snag while the program runs, to be taken back for the program and afterwards. */
struct signals {
    sigset_t waited, old_mask;
    struct sigaction old_child;
};

static void take_signals(struct signals *s)
{
    static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigemptyset(&s->waited);
    sigaddset(&s->waited, SIGCHLD);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct sigaction now;
        sigaction(wanted[i], NULL, &now);
        if (now.sa_handler != SIG_IGN) /* nohup and background jobs stay as they are */
            sigaddset(&s->waited, wanted[i]);
    }
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &standard, &s->old_child);
    sigprocmask(SIG_BLOCK, &s->waited, &s->old_mask);
}

static void give_back_signals(const struct signals *s)
{
    sigaction(SIGCHLD, &s->old_child, NULL);
    sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
}

static bool redirect(const char *file, int to)
{
    int fd = file ? open(file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644) : -1;
    return !file || (fd >= 0 && dup2(fd, to) == to && close(fd) == 0);
}

/* A file is opened anew, so that each of many runs reads all of it. */
static bool redirect_input(void)
{
    struct stat st;
    bool file = fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode);
    int fd = open(file ? "/proc/self/fd/0" : "/dev/null", O_RDONLY);
    return fd < 0 || dup2(fd, STDIN_FILENO) == STDIN_FILENO;
}

/* In the child: what the program gets besides its environment. */
static bool set_up(const struct sn_launch *l)
{
    if (l->no_input) /* one of many runs: a dump of each would cost more than the run */
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (l->fixed_addresses)
        personality(ADDR_NO_RANDOMIZE | (unsigned long)personality(0xffffffff));
    if (l->control && (dup2(l->control[0], SN_SNAPSHOT_ASK_FD) < 0 ||
                       dup2(l->control[1], SN_SNAPSHOT_ANSWER_FD) < 0))
        return false;
    if (l->no_input && !redirect_input())
        return false;
    return redirect(l->out, STDOUT_FILENO) && redirect(l->err, STDERR_FILENO) &&
           (!l->folder || chdir(l->folder) == 0);
}

/* Starts the program. The pipe closes when it was executed, or brings the error number. */
static int start(const struct sn_launch *l, const char *path, char **env,
                 const struct signals *signals, pid_t *pid)
{
    int fds[2], error = 0;
    if (pipe2(fds, O_CLOEXEC) < 0 || (*pid = fork()) < 0)
        return -errno;
    if (*pid == 0) {
        give_back_signals(signals);
        if (set_up(l))
            execvpe(path, l->argv, env);
        error = errno;
        ssize_t written = write(fds[1], &error, sizeof error);
        _exit(written == sizeof error ? SN_EXIT_CANNOT_EXEC : SN_EXIT_FAILED);
    }
    close(fds[1]);
    ssize_t n;
    do
        n = read(fds[0], &error, sizeof error);
    while (n < 0 && errno == EINTR);
    close(fds[0]);
    if (n != sizeof error)
        return 0;
    waitpid(*pid, NULL, 0);
    return -error;
}

struct watch {
    pid_t pid;
    bool ended;
    int wait_status;
};

/* Reaps everything that has ended: orphans of the program come to snag. */
static void reap(struct watch *w)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        if (pid == w->pid) {
            w->ended = true;
            w->wait_status = status;
        }
}

static void kill_all(struct watch *w, uint64_t since)
{
    enum { ROUNDS = 2000 }; /* of a millisecond: a process may hang in the kernel for ever */
    struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < ROUNDS && sn_tree_kill(since, SIGKILL) > 0; i++) {
        reap(w);
        nanosleep(&pause, NULL);
    }
    reap(w);
}

/* Waits for one signal, at most until the deadline (0: for ever). 0: the time is up. */
static int next_signal(const sigset_t *set, double deadline, siginfo_t *info)
{
    double left = deadline > 0 ? deadline - now_s() : 1e6;
    if (left <= 0)
        return 0;
    struct timespec t = {.tv_sec = (time_t)left,
                         .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)};
    int sig = sigtimedwait(set, info, &t);
    return sig > 0 ? sig : -1;
}

static void wait_for(struct watch *w, const sigset_t *set, double deadline, uint64_t since,
                     struct sn_ended *end)
{
    while (!w->ended) {
        siginfo_t info;
        int sig = next_signal(set, end->timed_out ? 0 : deadline, &info);
        if (sig == 0) {
            end->timed_out = true;
            kill_all(w, since);
        } else if (sig == SIGCHLD) {
            reap(w);
        } else if (sig > 0) {
            end->asked_to_stop = sig;
            if (info.si_code <= 0) /* by kill(), not by the terminal */
                kill(w->pid, sig);
        }
    }
}

static int cannot_start(const char *path, int error)
{
    sn_say("cannot execute %s: %s", path, strerror(-error));
    return error == -ENOENT ? SN_EXIT_NOT_FOUND : SN_EXIT_CANNOT_EXEC;
}

static int run(const struct sn_launch *l, const char *path, char **env, struct sn_ended *end)
{
    struct signals signals;
    struct watch w = {0};
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    take_signals(&signals);
    double begin = now_s();
    uint64_t since = sn_tree_now();
    int r = start(l, path, env, &signals, &w.pid);
    if (r == 0) {
        wait_for(&w, &signals.waited, l->timeout_s > 0 ? begin + l->timeout_s : 0, since, end);
        end->seconds = now_s() - begin;
        end->pid = w.pid;
        end->left = sn_tree_kill(since, 0);
        end->status =
            WIFSIGNALED(w.wait_status) ? 128 + WTERMSIG(w.wait_status) : WEXITSTATUS(w.wait_status);
    }
    give_back_signals(&signals);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    return r < 0 ? cannot_start(path, r) : 0;
}

int sn_launch(const struct sn_launch *l, struct sn_ended *end)
{
    char path[PATH_MAX];
    struct sn_words env = {0};
    *end = (struct sn_ended){0};
    int status = sn_launch_check(l->argv[0], path);
    if (!status)
        status = sn_launch_environment(l, &env);
    if (!status)
        status = run(l, path, env.v, end);
    sn_words_free(&env);
    return status;
}

int sn_launch_start(const struct sn_launch *l, int *pid)
{
    char path[PATH_MAX];
    struct sn_words env = {0};
    struct signals signals;
    int status = sn_launch_check(l->argv[0], path);
    if (!status)
        status = sn_launch_environment(l, &env);
    if (!status) {
        take_signals(&signals);
        int r = start(l, path, env.v, &signals, pid);
        give_back_signals(&signals);
        status = r < 0 ? cannot_start(path, r) : 0;
    }
    sn_words_free(&env);
    return status;
}
