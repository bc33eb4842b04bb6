/*
 * snapshot.c: the process that forks executions, see snapshot.h. What can be done once is done
 * before the fork: a page that the child need not write is a page that need not be copied.
 */
#include "snapshot.h"

#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ctx.h"
#include "core/options.h"
#include "core/sync.h"
#include "core/sys.h"
#include "core/thread.h"
#include "affinity.h"
#include "plan.h"
#include "scheduler.h"
#include "runtime/instrumented.h"
#include "runtime/modules.h"
#include "runtime/proc.h"
#include "runtime/process.h"
#include "runtime/real.h"
#include "runtime/sink.h"

/* When the process is killed that this one works for, nobody would end it. */
static void die_with_parent(void)
{
    sn_sys2(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
}

static void begin(const struct sn_snapshot_ask *ask)
{
    die_with_parent();
    sn_sys1(SYS_close, SN_SNAPSHOT_ASK_FD);
    sn_sys1(SYS_close, SN_SNAPSHOT_ANSWER_FD);
    sn_sys2(SYS_setpgid, 0, 0); /* so that all of it can be ended at once */
    sn_sys3(SYS_lseek, 0, 0, SEEK_SET);
    sn_opt.seed = ask->seed;
    sn_sink_shared();
    sn_process_begins();
    if (sn_self)
        sn_self->kernel_tid = (int32_t)sn_sys0(SYS_gettid);
}

static void tell(int32_t pid, int32_t ended, int32_t status)
{
    struct sn_snapshot_answer a = {pid, ended, status, 0};
    sn_sys3(SYS_write, SN_SNAPSHOT_ANSWER_FD, &a, sizeof a);
}

/* An execution is cheaper where the pages are that it shares; but now and then the kernel may
 * choose a processor that has less to do. */
static void stay_here(void)
{
    enum { EXECUTIONS = 16 };
    static unsigned n SN_HOT;
    if (n++ % EXECUTIONS == 0)
        sn_affinity_unpin();
}

/* What the execution left behind ends with it. */
static void await_end(int32_t pid)
{
    int status = 0;
    siginfo_t info;
    while (sn_sys6(SYS_waitid, P_PID, pid, &info, WEXITED | WNOWAIT, 0, 0) < 0)
        ;
    sn_sys2(SYS_kill, -pid, SIGKILL);
    while (sn_sys4(SYS_wait4, pid, &status, 0, 0) != pid)
        ;
    tell(pid, 1, status);
}

static bool read_all(void *to, size_t bytes)
{
    for (size_t used = 0; used < bytes;) {
        long n = sn_sys3(SYS_read, SN_SNAPSHOT_ASK_FD, (char *)to + used, bytes - used);
        if (n <= 0)
            return false;
        used += (size_t)n;
    }
    return true;
}

struct text {
    char *at;
    size_t bytes, room;
};

static bool make_room(struct text *t, size_t bytes)
{
    if (bytes <= t->room)
        return true;
    if (t->at)
        sn_unmap(t->at, t->room);
    t->room = bytes + 4096;
    t->at = sn_plan_map(t->room, true);
    return t->at != 0;
}

/* Two texts that executions share and do not write, so that none of their pages is ever copied: the
 * next plan is most often the one before, and then there is nothing to do. */
static bool take_plan(size_t bytes)
{
    static struct text text[2];
    static unsigned now SN_HOT;
    struct text *old = &text[now], *new = &text[now ^ 1];
    if (!make_room(new, bytes + 1) || !read_all(new->at, bytes))
        return false;
    if (old->at && old->bytes == bytes && memcmp(old->at, new->at, bytes) == 0)
        return true;
    new->at[bytes] = 0;
    new->bytes = bytes;
    now ^= 1;
    sn_plan_take(new->at, bytes);
    return true;
}

static unsigned open_descriptors(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += sn_sys3(SYS_fcntl, fd, F_GETFD, 0) >= 0;
    return n;
}

static unsigned descriptors; /* open at the beginning */

static bool is_server(void)
{
    return sn_opt.server && sn_sys3(SYS_fcntl, SN_SNAPSHOT_ASK_FD, F_GETFD, 0) >= 0;
}

int sn_snapshot_may_wait(void)
{
    if (!is_server())
        return 1;
    sn_sys3(SYS_fcntl, SN_SNAPSHOT_ASK_FD, F_SETFD, FD_CLOEXEC);
    sn_sys3(SYS_fcntl, SN_SNAPSHOT_ANSWER_FD, F_SETFD, FD_CLOEXEC);
    descriptors = open_descriptors();
    return sn_opt.server == SN_SNAPSHOT_AT_MAIN;
}

/* Constructors have left something that executions would share: an open file with its position, a
 * process, a thread. Then the snapshot has to be taken before them. */
static bool is_too_late(void)
{
    siginfo_t info;
    return sn_proc_threads() != 1 || open_descriptors() != descriptors ||
           sn_sys6(SYS_waitid, P_ALL, 0, &info, WNOHANG | WNOWAIT | WEXITED, 0, 0) == 0;
}

/* The variable was for this process's loader alone. */
static void forget_bind_now(void)
{
    char **to = environ;
    for (char **e = environ; sn_opt.bind_now && e && *e; e++)
        if (strncmp(*e, "LD_BIND_NOW=", 12) != 0)
            *to++ = *e;
    if (sn_opt.bind_now && to)
        *to = 0;
}

/* A forked process shares the pages of code that its parent has, but has to ask for each of them
 * again, unless the mapping has a page of its own. So each gets one, with what it had there. */
static int own_pages(struct dl_phdr_info *module, size_t size, void *mem)
{
    (void)size;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &module->dlpi_phdr[i];
        uintptr_t low = module->dlpi_addr + ph->p_vaddr;
        if (ph->p_type == PT_LOAD && (ph->p_flags & (PF_W | PF_X)) == PF_X)
            sn_sys4(SYS_pwrite64, *(const int *)mem, low, 1, low);
    }
    return 0;
}

static void keep_code(void)
{
    int mem = (int)sn_sys3(SYS_open, "/proc/self/mem", O_RDWR | O_CLOEXEC, 0);
    if (mem < 0)
        return;
    dl_iterate_phdr(own_pages, &mem);
    sn_sys1(SYS_close, mem);
}

/* The program's own variables come first: the table has a place for the locks among them. */
static int meet_objects(struct dl_phdr_info *program, size_t size, void *unused)
{
    enum { STEP = 16 << 10, MOST = 64 << 10 };
    (void)size, (void)unused;
    for (int i = 0; i < program->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &program->dlpi_phdr[i];
        uintptr_t low = program->dlpi_addr + ph->p_vaddr;
        for (uintptr_t at = 0; at < ph->p_memsz && at < MOST; at += STEP)
            if (ph->p_type == PT_LOAD && (ph->p_flags & PF_W)) {
                sn_sync_get(low + at, SN_SYNC_ANY);
                sn_sync_drop(low + at);
            }
    }
    return 1;
}

/* Makes what every execution would make for itself: the first chunks of tables, answers that do not
 * change, the names of modules in the run file. */
static void rehearse(void)
{
    sn_ctx_leaf(0, (uintptr_t)rehearse);
    dl_iterate_phdr(meet_objects, 0);
    if (sn_self)
        sn_thread_rehearse(sn_self);
    sn_real_static_tls_bytes();
    sn_instrumented(sn_sched_main());
    sn_modules_forked();
    sn_modules_frame(sn_sched_main());
    for (size_t i = 0; i < SN_PLAN_FILTER; i += 1024)
        (void)*(
            volatile uint8_t *)&sn_plan_filter[i]; /* also an empty page is there once for all */
    keep_code();
}

void sn_snapshot_serve(void)
{
    struct sn_snapshot_ask ask;
    if (!is_server())
        return;
    if (sn_opt.server == SN_SNAPSHOT_AT_MAIN && is_too_late()) {
        tell(0, 0, SN_SNAPSHOT_AT_START);
        for (;;)
            sn_sys1(SYS_exit_group, 0);
    }
    die_with_parent();
    forget_bind_now();
    sn_sink_share();
    rehearse();
    tell(0, 0, 0); /* ready */
    while (stay_here(), read_all(&ask, sizeof ask) && take_plan(ask.plan_bytes)) {
        sn_affinity_pin();
        int32_t pid = sn_real._Fork(); /* libc's, so that it knows its new thread id */
        if (pid == 0) {
            begin(&ask);
            return;
        }
        if (pid > 0)
            await_end(pid);
        else
            tell(pid, 0, 0);
    }
    for (;;)
        sn_sys1(SYS_exit_group, 0);
}
