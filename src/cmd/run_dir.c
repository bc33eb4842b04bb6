/* run_dir.c: making and removing run folders, see run_dir.h. */
#include "cmd/run_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/xalloc.h"

static char *parent_folder(const char *store)
{
    if (store)
        return sn_xformat("%s/runs", store);
    const char *tmp = getenv("TMPDIR");
    return sn_xformat("%s", tmp && *tmp ? tmp : "/tmp");
}

/* Root's programs may become someone else and then fork: every process makes its own file. */
static int open_to_others(const char *path)
{
    return geteuid() == 0 && chmod(path, 01777) < 0 ? -errno : 0;
}

static int make(const char *parent, const char *prefix, char **out)
{
    char *real = realpath(parent, NULL);
    if (!real)
        return -errno;
    char *path = sn_xformat("%s/%sXXXXXX", real, prefix);
    int r = mkdtemp(path) ? open_to_others(path) : -errno;
    free(real);
    if (r < 0)
        free(path);
    else
        *out = path;
    return r;
}

int sn_run_dir_make(const char *store, char **out, char **why)
{
    char *parent = parent_folder(store);
    int r = 0;
    if (store && mkdir(parent, 0777) < 0 && errno != EEXIST)
        r = -errno;
    if (r == 0)
        r = make(parent, store ? "" : "snag-", out);
    if (r < 0)
        *why = sn_xformat("cannot make a folder for run files in %s: %s", parent, strerror(-r));
    free(parent);
    return r;
}

void sn_run_dir_remove(const char *path)
{
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));)
        unlinkat(dirfd(dir), e->d_name, 0);
    if (dir)
        closedir(dir);
    rmdir(path);
}
