/*
 * output.c: a report file is written beside its final place and moved there when it is complete, so
 * that nobody reads half of one. What is not a regular file (a pipe, /dev/stdout) is written as is.
 */
#include "report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/xalloc.h"

static int fail(const char *file, int err)
{
    fprintf(stderr, "snag: cannot write %s: %s\n", file, strerror(-err));
    return err;
}

/* What is left in the buffer is written now, and says best what went wrong. */
static int finish(FILE *out, bool close)
{
    bool failed = ferror(out) != 0;
    errno = 0;
    int r = close ? fclose(out) : fflush(out);
    return r && errno ? -errno : r || failed ? -EIO : 0;
}

static int write_through(const char *file, void (*write)(FILE *out, const void *arg),
                         const void *arg)
{
    bool is_stdout = !strcmp(file, "-");
    FILE *out = is_stdout ? stdout : fopen(file, "we");
    if (!out)
        return fail(file, -errno);
    errno = 0;
    write(out, arg);
    int err = finish(out, !is_stdout);
    return err ? fail(is_stdout ? "to stdout" : file, err) : 0;
}

/* The permissions that a file made by fopen() would have, or those of the file it replaces. */
static void set_mode(int fd, const struct stat *old)
{
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, old ? old->st_mode & 07777 : 0666 & ~mask))
        errno = 0; /* a file system without modes keeps what it has */
}

static int write_beside(const char *file, const struct stat *old,
                        void (*write)(FILE *out, const void *arg), const void *arg)
{
    char *beside = sn_xformat("%s.XXXXXX", file);
    int fd = mkostemp(beside, O_CLOEXEC), err = 0;
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) {
        free(beside);
        return write_through(file, write, arg);
    }
    set_mode(fd, old);
    errno = 0;
    write(out, arg);
    err = finish(out, true);
    if (!err && rename(beside, file))
        err = -errno;
    if (err)
        unlink(beside);
    free(beside);
    return err ? fail(file, err) : 0;
}

int sn_output(const char *file, void (*write)(FILE *out, const void *arg), const void *arg)
{
    struct stat st;
    bool there = !lstat(file, &st);
    if (!strcmp(file, "-") || (there && !S_ISREG(st.st_mode)))
        return write_through(file, write, arg);
    return write_beside(file, there ? &st : NULL, write, arg);
}
