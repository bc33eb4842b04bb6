/* run_dir.c: making and removing run folders, see run_dir.h. */
#include "cmd/run_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "store/xalloc.h"

/* Whether every user can get to what is in the folder. */
static bool is_reachable(const char *folder)
{
    char *path = realpath(folder, NULL);
    bool reachable = path != NULL;
    for (char *end = path ? path + strlen(path) : NULL; reachable && end;) {
        struct stat st;
        *end = 0;
        reachable = stat(*path ? path : "/", &st) == 0 && (st.st_mode & S_IXOTH);
        end = strrchr(path, '/');
    }
    free(path);
    return reachable;
}

/* Root's programs may become someone else and then fork, and every process makes its own file: the
 * folder is then open to all, and below /tmp where the store's is out of reach. */
static bool may_change_user(void)
{
    return geteuid() == 0;
}

static char *parent_folder(const char *store)
{
    if (store && (!may_change_user() || is_reachable(store)))
        return sn_xformat("%s/runs", store);
    const char *tmp = getenv("TMPDIR");
    return sn_xformat("%s", tmp && *tmp ? tmp : "/tmp");
}

static int make(const char *parent, char **out)
{
    char *real = realpath(parent, NULL);
    if (!real)
        return -errno;
    char *path = sn_xformat("%s/snag-XXXXXX", real);
    int r = mkdtemp(path) ? 0 : -errno;
    if (r == 0 && may_change_user() && chmod(path, 01777) < 0)
        r = -errno;
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
    int r = mkdir(parent, 0777) < 0 && errno != EEXIST ? -errno : make(parent, out);
    if (r < 0)
        *why = sn_xformat("cannot make a folder for run files in %s: %s", parent, strerror(-r));
    free(parent);
    return r;
}

int sn_run_dir_make_quick(const char *store, char **out, char **why)
{
    enum { ENOUGH = 256 << 20 };
    struct statvfs fs;
    if (statvfs("/dev/shm", &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_bsize > ENOUGH &&
        make("/dev/shm", out) == 0)
        return 0;
    return sn_run_dir_make(store, out, why);
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
