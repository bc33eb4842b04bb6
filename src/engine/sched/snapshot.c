/*
 * snapshot.c: the process that forks executions, see snapshot.h. Each child has a run file, a plan
 * and an output file of its own, and reads its input from the beginning.
 */
#include "snapshot.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/options.h"
#include "core/sys.h"
#include "runtime/modules.h"
#include "runtime/real.h"
#include "runtime/sink.h"

static void reopen_error_output(void)
{
    char path[4200];
    size_t n = strlen(sn_sink_dir());
    if (!n || n > sizeof path - 10)
        return;
    __builtin_memcpy(path, sn_sink_dir(), n);
    __builtin_memcpy(path + n, "/stderr", 8);
    long fd = sn_sys3(SYS_open, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0)
        return;
    sn_sys2(SYS_dup2, fd, 2);
    sn_sys1(SYS_close, fd);
}

static void begin(const struct sn_snapshot_ask *ask)
{
    sn_sys1(SYS_close, SN_SNAPSHOT_ASK_FD);
    sn_sys1(SYS_close, SN_SNAPSHOT_ANSWER_FD);
    sn_sys2(SYS_setpgid, 0, 0); /* so that all of it can be ended at once */
    sn_sys3(SYS_lseek, 0, 0, SEEK_SET);
    reopen_error_output();
    sn_opt.seed = ask->seed;
    sn_sink_forked();
    sn_modules_forked();
}

static void tell(int32_t pid, int32_t ended, int32_t status)
{
    struct sn_snapshot_answer a = {pid, ended, status, 0};
    sn_sys3(SYS_write, SN_SNAPSHOT_ANSWER_FD, &a, sizeof a);
}

static void await_end(int32_t pid)
{
    int status = 0;
    while (sn_sys4(SYS_wait4, pid, &status, 0, 0) != pid)
        ;
    tell(pid, 1, status);
}

void sn_snapshot_serve(void)
{
    struct sn_snapshot_ask ask;
    if (sn_sys3(SYS_fcntl, SN_SNAPSHOT_ASK_FD, F_GETFD, 0) < 0)
        return;
    tell(0, 0, 0); /* ready */
    while (sn_sys3(SYS_read, SN_SNAPSHOT_ASK_FD, &ask, sizeof ask) == sizeof ask) {
        int32_t pid = sn_real._Fork(); /* libc's, so that it knows its new thread id */
        if (pid == 0) {
            begin(&ask);
            return;
        }
        tell(pid, 0, 0);
        if (pid > 0)
            await_end(pid);
    }
    for (;;)
        sn_sys1(SYS_exit_group, 0);
}
