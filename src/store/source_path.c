/*
 * source_path.c: see source_path.h. The system says whether two names are one file's; where the sources are not on
 * this machine only the system's own folders, which are no links, are folded.
 */
#include "store/source_path.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/xalloc.h"

/* "./" in the middle only says that a relative name was joined to its directory. */
static void drop_dots(char *path)
{
    char *dot;
    while ((dot = strstr(path, "/./")))
        memmove(dot, dot + 2, strlen(dot + 2) + 1);
}

/* Of an absolute path; ".." right below the root is left. */
static void drop_folders(char *path)
{
    char *up = path;
    while ((up = strstr(up, "/../"))) {
        char *folder = up;
        while (folder > path && folder[-1] != '/')
            folder--;
        if (folder == path || strncmp(folder, "../", 3) == 0 || folder == up) {
            up += 3;
            continue;
        }
        memmove(folder - 1, up + 3, strlen(up + 3) + 1);
        up = path;
    }
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (stat(a, &x) != 0)
        return strncmp(a, "/usr/", 5) == 0 && strncmp(b, "/usr/", 5) == 0;
    return stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

char *sn_source_fold(char *path)
{
    if (path == NULL)
        return NULL;
    drop_dots(path);
    if (path[0] != '/' || strstr(path, "/../") == NULL)
        return path;
    char *folded = sn_xstrdup(path);
    drop_folders(folded);
    if (is_same_file(path, folded))
        strcpy(path, folded); /* which is shorter */
    free(folded);
    return path;
}
