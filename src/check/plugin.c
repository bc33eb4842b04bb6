/* plugin.c: see plugin.h. Loaded only when it is needed: LLVM is large. */
#include "check/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

#include "store/xalloc.h"

static int missing(const char *path, char **why)
{
    const char *text = dlerror();
    if (access(path, F_OK) != 0)
        *why = sn_xstrdup("this snag was built without LLVM, which snag check needs: install clang and "
                          "llvm-dev (any of 14 to 19) and build snag again");
    else
        *why = sn_xformat("LLVM cannot be loaded: %s", text ? text : path);
    return -ENOENT;
}

int sn_llvm_open(const char *dir, struct sn_llvm *out, char **why)
{
    char *path = sn_xformat("%s/libsnag-llvm.so", dir);
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    sn_llvm_version_fn *version = lib ? (sn_llvm_version_fn *)dlsym(lib, "sn_llvm_version") : NULL;
    int r = 0;
    *out = (struct sn_llvm){0};
    if (lib != NULL) {
        out->load = (sn_llvm_load_fn *)dlsym(lib, "sn_llvm_load");
        out->symbols = (sn_llvm_symbols_fn *)dlsym(lib, "sn_llvm_symbols");
    }
    if (version == NULL || out->load == NULL || out->symbols == NULL)
        r = missing(path, why);
    else
        out->version = version();
    free(path);
    return r;
}
