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
    return S_ISREG(st.st_mode) && access(path, X_OK) == 0 ? 0 : -EACCES;
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
    int worst = -ENOENT;
    for (const char *p = folders;; p++) {
        int n = (int)strcspn(p, ":");
        snprintf(path, size, "%.*s%s%s", n, p, n ? "/" : "./", name);
        int r = check(path);
        if (r == 0)
            return 0;
        if (r == -EACCES)
            worst = r;
        p += n;
        if (!*p)
            return worst;
    }
}
