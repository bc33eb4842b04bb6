/* scratch.c: see scratch.h. */
#include "store/scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "store/xalloc.h"

char *sn_scratch_make(const char *name)
{
    const char *base = getenv("TMPDIR");
    char *dir = sn_xformat("%s/%s-XXXXXX", base && base[0] ? base : "/tmp", name);
    if (mkdtemp(dir) != NULL)
        return dir;
    free(dir);
    return NULL;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    remove(path);
    return 0;
}

void sn_scratch_remove(const char *folder)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
