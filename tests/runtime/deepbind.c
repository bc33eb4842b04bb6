// A library that finds libc before anything else frees the program's blocks, and the program the
// library's.
// LIBRARY
#include <dlfcn.h>
#include <string.h>
#include "check.h"

#ifdef LIBRARY
char *library_takes(char *p);
char *library_takes(char *p)
{
    free(p);
    return strdup("from the library");
}
#else
int main(void)
{
    void *h = dlopen("./library.so", RTLD_NOW | RTLD_DEEPBIND);
    CHECK(h);
    char *(*takes)(char *) = (char *(*)(char *))dlsym(h, "library_takes");
    CHECK(takes);
    for (int i = 0; i < 100; i++) {
        char *p = takes(strdup("from the program"));
        CHECK(strcmp(p, "from the library") == 0);
        free(p);
    }
    puts("ok");
    return 0;
}
#endif
