// A block that is freed twice, and a pointer into a block: libc ends the program, and so does snag.
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

static char *volatile block;
static volatile int inner = 16;

static void twice(void)
{
    free(block);
    free(block);
}

static void inside(void)
{
    free(block + inner);
}

static void realloc_inside(void)
{
    block = realloc(block + inner, 100);
}

static void *free_it(void *arg)
{
    free(block);
    return arg;
}

static void twice_elsewhere(void)
{
    join(start(free_it, NULL));
    join(start(free_it, NULL));
}

static void aborts(void (*wrong)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        int null = open("/dev/null", O_WRONLY);
        setrlimit(RLIMIT_CORE, &none);
        dup2(null, 2);
        wrong();
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void on_abort(int sig)
{
    (void)sig;
    _exit(7);
}

static void handled(void)
{
    signal(SIGABRT, on_abort);
    twice();
}

int main(void)
{
    int status;
    for (int i = 0; i < 10; i++) /* libc notices best what stands in its caches */
        block = malloc(56);
    aborts(twice);
    aborts(inside);
    aborts(realloc_inside);
    aborts(twice_elsewhere);
    pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), 2);
        handled();
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    puts("ok");
    return 0;
}
