// A library that finds libc before anything else frees the program's blocks, and the program the
// library's; and so with libc's own free, where libc was asked for it.
// PLAIN-LIBRARY
#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

#ifdef LIBRARY
char *library_takes(char *p);
char *library_takes(char *p)
{
    free(p);
    return strdup("from the library");
}
#else
static void libc_itself(void)
{
    void *h = dlopen("libc.so.6", RTLD_LAZY);
    CHECK(h);
    void (*their_free)(void *) = (void (*)(void *))dlsym(h, "free");
    CHECK(their_free);
    for (int i = 0; i < 100; i++)
        their_free(strdup("from the program"));
    dlclose(h);
}

int main(void)
{
    int status;
    pid_t child = fork(); /* one way of asking for each process */
    if (child == 0) {
        libc_itself();
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
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
