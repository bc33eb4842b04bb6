// EXPECT: strtok strtok
// EXPECT-STACK: library_split split
// LIBRARY:
// FLAGS-EACH: -DHOW=RTLD_NOW | -DHOW=RTLD_LAZY+RTLD_DEEPBIND
// The caller is a module that comes later.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifdef LIBRARY
void library_split(void);
void library_split(void)
{
    char line[] = "a";
    char *volatile p = strtok(line, " ");
    (void)p;
}
#else
#include "together.h"

static void (*library_split)(void);

static void *split(void *unused)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        LOCK;
        library_split();
        UNLOCK;
    }
    return unused;
}

int main(void)
{
    void *h = dlopen(LIBRARY_PATH, HOW);
    if (!h)
        return 1;
    library_split = (void (*)(void))dlsym(h, "library_split");
    together(split, split, 0);
    puts("done");
    return 0;
}
#endif
