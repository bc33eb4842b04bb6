/* find_program.c: PATH lookup, see find_program.h. */
#include "cmd/find_program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return errno == ENOTDIR ? -ENOENT : -errno;
    if (S_ISDIR(st.st_mode))
        return -EISDIR;
    return S_ISREG(st.st_mode) && access(path, X_OK) == 0 ? 0 : -EACCES;
}

/* In the first folder of the list; `path` becomes its name there. */
static int check_in(const char *folders, const char *name, char *path, size_t size)
{
    int n = (int)strcspn(folders, ":");
    snprintf(path, size, "%.*s%s%s", n, folders, n ? "/" : "./", name);
    return check(path);
}

int sn_find_program(const char *name, char *path, size_t size)
{
    if (!*name)
        return -ENOENT;
    if (strchr(name, '/')) {
        snprintf(path, size, "%s", name);
        return check(path);
    }
    const char *folders = getenv("PATH");
    if (!folders)
        folders = "/usr/local/bin:/bin:/usr/bin";
    const char *closed = NULL; /* where there is one that cannot be executed */
    for (const char *p = folders;; p++) {
        int r = check_in(p, name, path, size);
        if (r == 0)
            return 0;
        if (r != -ENOENT && !closed)
            closed = p;
        p += strcspn(p, ":");
        if (!*p)
            return closed ? check_in(closed, name, path, size) : -ENOENT;
    }
}
