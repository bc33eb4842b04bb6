/* place.c: finding snag's parts beside the executable, see place.h. */
#include "cmd/place.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cmd/say.h"
#include "store/xalloc.h"

const char *sn_place_exe(void)
{
    static char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n >= 0) {
        exe[n] = 0;
        return exe;
    }
    const char *called = (const char *)getauxval(AT_EXECFN); /* where /proc is not mounted */
    if (!called || !realpath(called, exe))
        exe[0] = 0;
    return exe;
}

static char *try_folder(const char *exe_dir, const char *relative)
{
    char *library = sn_xformat("%s/%s/libsnag-none.so", exe_dir, relative);
    char *folder = NULL;
    if (access(library, R_OK) == 0) {
        char *path = sn_xformat("%s/%s", exe_dir, relative);
        folder = realpath(path, NULL);
        free(path);
    }
    free(library);
    return folder;
}

const char *sn_place_lib(void)
{
    static char *found;
    if (found)
        return found;
    char *exe = sn_xformat("%s", sn_place_exe());
    char *slash = strrchr(exe, '/');
    if (slash)
        *slash = 0;
    found = try_folder(exe, "lib");
    if (!found)
        found = try_folder(exe, "../lib/snag");
    if (!found)
        sn_say("libsnag-none.so is neither in %s/lib nor in %s/../lib/snag: build or install snag "
               "again (make, make install)",
               exe, exe);
    free(exe);
    return found;
}

const char *sn_place_contracts(void)
{
    static char *found;
    const char *lib = found ? NULL : sn_place_lib();
    if (!lib)
        return found;
    char *here = sn_xformat("%s/../contracts", lib);
    char *installed = sn_xformat("%s/../../share/snag/contracts", lib);
    found = realpath(here, NULL);
    if (!found)
        found = realpath(installed, NULL);
    if (!found)
        sn_say("the contracts are neither in %s nor in %s: build or install snag again", here,
               installed);
    free(here);
    free(installed);
    return found;
}

char *sn_place_engine(const char *engine)
{
    const char *lib = sn_place_lib();
    if (!lib)
        return NULL;
    char *path = sn_xformat("%s/libsnag-%s.so", lib, engine);
    if (access(path, R_OK) == 0)
        return path;
    sn_say("%s is missing: build or install snag again (make, make install)", path);
    free(path);
    return NULL;
}
