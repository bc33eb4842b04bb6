/*
 * process.c: the ends of a process that no destructor sees. The run file is a shared mapping and
 * needs no flush; what is done here is to mark how the process ended. A program that is replaced by
 * exec goes on in the new one through the environment.
 */
#include <alloca.h>
#include <stdarg.h>

#include "runtime/hook.h"
#include "runtime/process.h"
#include "runtime/real.h"
#include "runtime/sink.h"

/* The run file is this process's. A child of vfork runs in its parent's memory until it calls exec
 * or _exit: what it does is not the parent's end. */
static int pid_of_run SN_HOT;

void sn_process_begins(void)
{
    pid_of_run = (int)sn_sys0(SYS_getpid);
}

static bool is_own_process(void)
{
    return (int)sn_sys0(SYS_getpid) == pid_of_run;
}

void sn_process_ends(void)
{
    if (is_own_process())
        sn_runtime_exit();
}

static void mark(enum sn_run_state state)
{
    if (is_own_process())
        sn_sink_state(state);
}

__attribute__((constructor)) static void begins(void)
{
    sn_process_begins();
}

SN_EXPORT void _exit(int status)
{
    sn_process_ends();
    sn_pass(_exit)(status);
    __builtin_unreachable();
}

SN_EXPORT void _Exit(int status)
{
    sn_process_ends();
    sn_pass(_Exit)(status);
    __builtin_unreachable();
}

/* A failed exec leaves the process as it was. */
#define EXEC(call)                                                                                 \
    mark(SN_RUN_EXECED);                                                                           \
    int r = (call);                                                                                \
    mark(SN_RUN_LIVE);                                                                             \
    return r

SN_EXPORT int execve(const char *path, char *const argv[], char *const env[])
{
    EXEC(sn_pass(execve)(path, argv, env));
}

SN_EXPORT int execv(const char *path, char *const argv[])
{
    EXEC(sn_pass(execv)(path, argv));
}

SN_EXPORT int execvp(const char *file, char *const argv[])
{
    EXEC(sn_pass(execvp)(file, argv));
}

SN_EXPORT int execvpe(const char *file, char *const argv[], char *const env[])
{
    EXEC(sn_pass(execvpe)(file, argv, env));
}

SN_EXPORT int fexecve(int fd, char *const argv[], char *const env[])
{
    EXEC(sn_pass(fexecve)(fd, argv, env));
}

SN_EXPORT int execveat(int dir, const char *path, char *const argv[], char *const env[], int flags)
{
    EXEC(sn_pass(execveat)(dir, path, argv, env, flags));
}

/* The listed arguments as an array, and behind their null pointer what execle() has there. */
#define LIST(first, last)                                                                          \
    va_list ap;                                                                                    \
    size_t n = 1;                                                                                  \
    va_start(ap, first);                                                                           \
    while (va_arg(ap, char *))                                                                     \
        n++;                                                                                       \
    va_end(ap);                                                                                    \
    char **argv = alloca((n + 1) * sizeof *argv);                                                  \
    argv[0] = (char *)first;                                                                       \
    va_start(ap, first);                                                                           \
    for (size_t i = 1; i <= n; i++)                                                                \
        argv[i] = va_arg(ap, char *);                                                              \
    last;                                                                                          \
    va_end(ap)

SN_EXPORT int execl(const char *path, const char *arg, ...)
{
    LIST(arg, (void)0);
    EXEC(sn_pass(execv)(path, argv));
}

SN_EXPORT int execlp(const char *file, const char *arg, ...)
{
    LIST(arg, (void)0);
    EXEC(sn_pass(execvp)(file, argv));
}

SN_EXPORT int execle(const char *path, const char *arg, ...)
{
    LIST(arg, char **env = va_arg(ap, char **));
    EXEC(sn_pass(execve)(path, argv, env));
}
