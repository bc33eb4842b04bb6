// BUG: readdir readdir
// Two scanners take the entries of one directory in turns; nobody tells them that the entry is a
// buffer.
#include <dirent.h>
#include <sys/stat.h>

#include "module.h"

static DIR *dir;

static void *scan(void *x)
{
    struct dirent *e;
    long n = 0;
    for (int i = 0; i < 60 && (e = readdir(dir)) != 0; i++) {
        struct stat st;
        n += stat(e->d_name, &st);
        work(6);
    }
    return n > 1000 ? x : 0;
}

int main(void)
{
    dir = opendir("/usr/bin");
    if (!dir)
        return 1;
    all(2, scan);
    closedir(dir);
    return 0;
}
