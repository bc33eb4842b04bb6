/*
 * library.c: a library that the program opens by its path, as plugins are, is taken from the folder
 * of guarded libraries when one of that name is there. Those that are searched for are found there
 * by the loader itself.
 */
#include <stddef.h>

#include "core/sys.h"
#include "recorder.h"
#include "standalone.h"

#define PUBLIC __attribute__((visibility("default")))
enum { PATH = 4096, MAY_READ = 4 };

extern struct sn_sa_config sn_sa_config __attribute__((visibility("hidden")));
static void *(*real_dlopen)(const char *, int);

static const char *base_name(const char *path)
{
    const char *base = path;
    for (; *path; path++)
        if (*path == '/')
            base = path + 1;
    return base;
}

/* Behind `at`; null: no room. */
static char *add(char *at, const char *end, const char *word)
{
    while (at && *word && at < end)
        *at++ = *word++;
    return at && at < end ? at : 0;
}

/* False: there is no such library, guarded or not. */
static int in_folder(const char *name, char path[PATH])
{
    const char *folder =
        (const char *)&sn_sa_config + sn_sa_config.strings + sn_sa_config.lib_folder;
    long n = sn_sys3(SYS_readlink, "/proc/self/exe", path, PATH - 1);
    if (n <= 0 || !sn_sa_config.lib_folder || sn_sys2(SYS_access, name, MAY_READ) != 0)
        return 0;
    path[n] = 0;
    char *at = path + (base_name(path) - path), *end = path + PATH;
    at = add(at, end, folder);
    at = add(at, end, "/");
    at = add(at, end, base_name(name));
    if (!at)
        return 0;
    *at = 0;
    return sn_sys2(SYS_access, path, MAY_READ) == 0;
}

static SN_NOINLINE void *open_guarded(const char *name, int flags)
{
    char path[PATH];
    return real_dlopen(in_folder(name, path) ? path : name, flags);
}

/* The loader asks who the caller is when it searches: a name without a folder goes on by a jump. */
PUBLIC void *sn_sa_dlopen(const char *name, int flags);
void *sn_sa_dlopen(const char *name, int flags)
{
    if (!real_dlopen)
        real_dlopen = (void *(*)(const char *, int))sn_sa_next("dlopen");
    if (!real_dlopen)
        return 0;
    if (name && base_name(name) != name)
        return open_guarded(name, flags);
    return real_dlopen(name, flags);
}
