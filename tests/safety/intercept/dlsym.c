// EXPECT: box_use box_use
// OPTIONS: --contracts {dir}/own.contract
// LIBRARY:
// The address comes from dlsym, and dlsym(RTLD_NEXT) still finds the next.
#include <dlfcn.h>
#include <stdio.h>

#ifdef LIBRARY
int box_use(int *box);
int box_use(int *box)
{
    return *box;
}
#else
#include "together.h"

static int box;
static int (*box_use)(int *);

int puts(const char *s)
{
    int (*next)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "puts");
    return next && next != puts ? next(s) : -1;
}

static void *use(void *unused)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        LOCK;
        box_use(&box);
        UNLOCK;
    }
    return unused;
}

int main(void)
{
    void *h = dlopen(LIBRARY_PATH, RTLD_NOW | RTLD_LOCAL);
    if (!h)
        return 1;
    box_use = (int (*)(int *))dlsym(h, "box_use");
    together(use, use, 0);
    return puts("done") < 0;
}
#endif
