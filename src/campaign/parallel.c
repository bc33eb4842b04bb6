/*
 * parallel.c: units by GNU parallel, here or over ssh. Without --carry the campaign's folder and
 * the programs are shared by all hosts; with it, parallel brings the archive of carry.c to each
 * host once, and the finished stores back.
 *
 * The input of parallel is always the whole plan, so that a job's number in its log is the unit's,
 * and --resume goes on from the log. Lines of units that are not done are taken out of it before.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "campaign/carry.h"
#include "campaign/folder.h"
#include "campaign/work.h"
#include "cmd/command.h"
#include "cmd/find_program.h"
#include "cmd/say.h"
#include "store/xalloc.h"

#define ROUNDS 2 /* the second for stores that were not whole after all */

/* The units, a line each, and the log without those that are to be run again. */
static int write_input(const struct sn_work *w)
{
    char *path = sn_xformat("%s/parallel.units", w->plan->dir);
    FILE *out = fopen(path, "w");
    for (size_t i = 0; out && i < w->plan->n; i++)
        fprintf(out, "%04zu\n", i + 1);
    int status =
        out && fclose(out) == 0 ? 0 : sn_fail("cannot write %s: %s", path, strerror(errno));
    free(path);
    return status;
}

static int prune_log(const struct sn_work *w)
{
    char *path = sn_xformat("%s/parallel.log", w->plan->dir), *text = NULL, *kept = NULL;
    size_t bytes;
    if (sn_file_read(path, &text, &bytes) == 0) {
        FILE *out = sn_xcheck(open_memstream(&kept, &bytes));
        char *rest = text;
        for (char *line; (line = strsep(&rest, "\n"));) {
            size_t unit = strtoul(line, NULL, 10);
            bool done = unit && unit <= w->plan->n && w->state[unit - 1] == SN_UNIT_DONE;
            if (done || strncmp(line, "Seq", 3) == 0)
                fprintf(out, "%s\n", line);
        }
        fclose(out);
    }
    int err = kept ? sn_file_write(path, kept, false) : 0;
    free(kept);
    free(text);
    free(path);
    return err ? sn_fail("cannot write the log of parallel in %s: %s", w->plan->dir, strerror(-err))
               : 0;
}

static void add(struct sn_words *argv, char *word)
{
    sn_words_add(argv, word);
    free(word);
}

static void add_pair(struct sn_words *argv, const char *option, char *value)
{
    sn_words_add(argv, option);
    add(argv, value);
}

static char *remote_folder(const struct sn_work *w)
{
    return sn_xformat(".snag-campaign-%s", w->plan->id);
}

static int add_hosts(const struct sn_work *w, struct sn_words *argv)
{
    char *file = w->sshlogin ? realpath(w->sshlogin, NULL) : NULL;
    if (w->sshlogin && !file)
        return sn_fail("the file of hosts %s cannot be read: %s", w->sshlogin, strerror(errno));
    if (file)
        add_pair(argv, "--sshloginfile", file);
    return 0;
}

static int make_command(const struct sn_work *w, struct sn_words *argv)
{
    sn_words_add(argv, "parallel");
    sn_words_add(argv, "--will-cite");
    int status = add_hosts(w, argv);
    if (w->jobs > 0)
        add_pair(argv, "--jobs", sn_xformat("%lld", (long long)w->jobs));
    add_pair(argv, "--retries", sn_xformat("%lld", (long long)w->plan->retries + 1));
    add_pair(argv, "--joblog", sn_xstrdup("parallel.log"));
    sn_words_add(argv, "--resume");
    add_pair(argv, "--arg-file", sn_xstrdup("parallel.units"));
    if (w->carry) {
        add_pair(argv, "--workdir", remote_folder(w));
        add_pair(argv, "--basefile", sn_xstrdup("carry.tar"));
        add_pair(argv, "--basefile", sn_xstrdup("carry-job"));
        add_pair(argv, "--return", sn_xstrdup("out/{}/snag.db"));
        add_pair(argv, "--return", sn_xstrdup("log/{}"));
        sn_words_add_all(argv, w->remote.v);
        sn_words_add(argv, "sh ./carry-job {}");
    } else {
        char *dir = sn_plan_quote(w->plan->dir, "");
        sn_words_add_all(argv, w->remote.v);
        add(argv, sn_xformat("sh %s/job {}", dir));
        free(dir);
    }
    return status;
}

/* ---- waiting ---- */

static int wait_for(struct sn_work *w, pid_t pid, const sigset_t *set)
{
    int status = 0, stop = 0;
    while (waitpid(pid, &status, WNOHANG) != pid) {
        int sig = sigtimedwait(set, NULL, &(struct timespec){.tv_nsec = 500000000});
        if (sig > 0 && sig != SIGCHLD) {
            kill(pid, SIGTERM); /* the first: no new jobs; the second: end those that run */
            kill(pid, SIGTERM);
            stop = sig;
        }
        if (!stop && sn_work_is_late(w)) {
            kill(pid, SIGTERM);
            stop = SIGALRM;
        }
        sn_work_look_for_new(w);
    }
    sn_work_look_for_new(w);
    if (stop == SIGALRM)
        return -1;
    return stop ? 128 + stop : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run_parallel(struct sn_work *w, char *const *argv)
{
    sigset_t set, mask;
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, &mask);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        if (getppid() == parent && chdir(w->plan->dir) == 0)
            execvp(argv[0], argv);
        _exit(127);
    }
    int status = pid < 0 ? 127 : wait_for(w, pid, &set);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return status;
}

/* The folders on the hosts have done their duty. */
static void clean_hosts(const struct sn_work *w)
{
    struct sn_words argv = {0};
    sn_words_add(&argv, "parallel");
    sn_words_add(&argv, "--will-cite");
    add_hosts(w, &argv);
    sn_words_add(&argv, "--nonall");
    sn_words_add_all(&argv, w->remote.v);
    char *folder = remote_folder(w);
    add(&argv, sn_xformat("rm -rf %s", folder));
    free(folder);
    sn_call(argv.v);
    sn_words_free(&argv);
}

static bool is_here(const char *program)
{
    char path[PATH_MAX];
    return sn_find_program(program, path, sizeof path) == 0;
}

static int prepare(const struct sn_work *w)
{
    if (!is_here("parallel"))
        return sn_fail("GNU parallel is not installed here: apt-get install parallel");
    if (w->carry && !is_here("rsync"))
        return sn_fail(
            "rsync is not installed here; parallel carries files with it: apt-get install "
            "rsync");
    if (w->carry && !w->sshlogin)
        return sn_fail("--carry needs the hosts: --sshlogin FILE");
    return w->carry ? sn_carry_make(w) : sn_job_make(w);
}

int sn_parallel_run(struct sn_work *w)
{
    struct sn_words argv = {0};
    int status = prepare(w);
    if (!status)
        status = make_command(w, &argv);
    if (!status)
        status = write_input(w);
    sn_work_progress(w);
    int round = 0, result = 0;
    for (; !status && round < ROUNDS && w->done < w->plan->n && result < 128 && result >= 0;
         round++) {
        status = prune_log(w);
        if (!status)
            result = run_parallel(w, argv.v);
        if (result == 127 || result == 255)
            status = sn_fail("GNU parallel failed (status %d)", result);
    }
    sn_work_progress_end(w);
    if (!status && w->carry)
        clean_hosts(w);
    sn_words_free(&argv);
    return status ? status : result >= 128 ? result : 0;
}
