/* job.c: see job.h. */
#include "lsp/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/scratch.h"
#include "store/xalloc.h"

/* The job itself: its own group, nothing of the server's input and output. */
static void run(sn_job_fn *fn, void *arg, const char *folder, int fd)
{
    int null = open("/dev/null", O_RDWR);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(null, 0);
    dup2(null, 1);
    setenv("TMPDIR", folder, 1);
    json_t *result = fn(arg, folder);
    FILE *f = fdopen(fd, "w");
    if (f != NULL && result != NULL) {
        json_dumpf(result, f, JSON_COMPACT);
        fclose(f);
    }
    _exit(0);
}

int sn_job_start(struct sn_job *j, const char *uri, sn_job_fn *fn, void *arg)
{
    int ends[2];
    *j = (struct sn_job){.fd = -1, .folder = sn_scratch_make("snag-lsp-job")};
    if (j->folder == NULL)
        return -errno;
    int r = pipe2(ends, O_CLOEXEC) == 0 ? 0 : -errno;
    j->pid = r == 0 ? fork() : -1;
    if (j->pid == 0)
        run(fn, arg, j->folder, ends[1]);
    if (j->pid < 0) {
        r = r ? r : -errno;
        sn_scratch_remove(j->folder);
        free(j->folder);
        *j = (struct sn_job){.fd = -1};
        return r;
    }
    setpgid(j->pid, j->pid); /* both sides: whoever comes first */
    close(ends[1]);
    j->fd = ends[0];
    j->uri = sn_xstrdup(uri);
    return 0;
}

bool sn_job_read(struct sn_job *j)
{
    if (j->cap - j->n < 65536)
        j->text = sn_xrealloc(j->text, j->cap += 131072, 1);
    ssize_t k = read(j->fd, j->text + j->n, j->cap - j->n);
    if (k > 0)
        j->n += (size_t)k;
    return k == 0 || (k < 0 && errno != EINTR);
}

static void end(struct sn_job *j)
{
    kill(-j->pid, SIGKILL);
    while (waitpid(j->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    close(j->fd);
    sn_scratch_remove(j->folder);
    free(j->folder);
    free(j->uri);
    free(j->text);
    *j = (struct sn_job){.fd = -1};
}

json_t *sn_job_finish(struct sn_job *j)
{
    json_t *result = json_loadb(j->text ? j->text : "", j->n, 0, NULL);
    end(j);
    return result;
}

void sn_job_cancel(struct sn_job *j)
{
    if (j->pid > 0)
        end(j);
}
