/* folder.c: files and folders of a campaign, see folder.h. */
#include "campaign/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/xalloc.h"

int sn_folder_make(const char *path)
{
    char *copy = sn_xstrdup(path);
    int err = 0;
    for (char *p = copy + 1; !err && *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        if (mkdir(copy, 0777) && errno != EEXIST)
            err = -errno;
        *p = '/';
    }
    if (!err && mkdir(copy, 0777) && errno != EEXIST)
        err = -errno;
    free(copy);
    return err;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path) && errno != ENOENT ? errno : 0;
}

int sn_folder_remove(const char *path)
{
    struct stat st;
    if (lstat(path, &st))
        return errno == ENOENT ? 0 : -errno;
    int r = nftw(path, remove_one, 32, FTW_DEPTH | FTW_PHYS);
    return r < 0 ? -errno : -r;
}

int sn_file_read(const char *path, char **text, size_t *bytes)
{
    FILE *in = fopen(path, "r");
    if (!in)
        return -errno;
    char chunk[65536];
    FILE *out = sn_xcheck(open_memstream(text, bytes));
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, in)) > 0;)
        fwrite(chunk, 1, n, out);
    int err = ferror(in) ? -(errno ? errno : EIO) : 0;
    fclose(in);
    fclose(out);
    if (err)
        free(*text);
    return err;
}

int sn_file_write(const char *path, const char *text, bool executable)
{
    char *part = sn_xformat("%s.%d", path, (int)getpid());
    size_t n = strlen(text);
    int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, executable ? 0777 : 0666);
    int err = fd < 0 ? -errno : 0;
    for (size_t done = 0; !err && done < n;) {
        ssize_t some = write(fd, text + done, n - done);
        if (some < 0)
            err = -errno;
        else
            done += (size_t)some;
    }
    if (fd >= 0 && close(fd) && !err)
        err = -errno;
    if (!err && rename(part, path))
        err = -errno;
    if (err)
        unlink(part);
    free(part);
    return err;
}

int sn_file_append(const char *path, const char *line)
{
    char *text = sn_xformat("%s\n", line);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    int err = fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    free(text);
    return err;
}

bool sn_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

char *sn_path_below(const char *folder, const char *path)
{
    return *path == '/' ? sn_xstrdup(path) : sn_xformat("%s/%s", folder, path);
}

char *sn_path_real(const char *path)
{
    char *real = realpath(path, NULL);
    return real ? real : sn_xstrdup(path);
}
