// Forks while other threads allocate and free: the child can do both, also with the others' blocks.
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

enum { THREADS = 3, SHARED = 64, FORKS = 40 };

static char *shared[SHARED]; /* atomic */
static int enough;

static void exchange(unsigned *seed)
{
    int i = rand_r(seed) % SHARED;
    size_t n = 1 + (size_t)rand_r(seed) % 300;
    char *p = malloc(n);
    CHECK(p);
    memset(p, (int)n, n);
    free(__atomic_exchange_n(&shared[i], p, __ATOMIC_ACQ_REL));
}

static void *work(void *arg)
{
    unsigned seed = (unsigned)(size_t)arg;
    while (!__atomic_load_n(&enough, __ATOMIC_RELAXED))
        exchange(&seed);
    return NULL;
}

static void *in_child(void *arg)
{
    unsigned seed = 9;
    for (int i = 0; i < 2000; i++)
        exchange(&seed);
    return arg;
}

static void child(void)
{
    in_child(NULL);
    join(start(in_child, NULL));
    for (int i = 0; i < SHARED; i++)
        free(__atomic_exchange_n(&shared[i], NULL, __ATOMIC_ACQ_REL));
    exit(0);
}

int main(void)
{
    pthread_t t[THREADS];
    int status;
    for (size_t i = 0; i < THREADS; i++)
        t[i] = start(work, (void *)(i + 1));
    for (int i = 0; i < FORKS; i++) {
        pid_t pid = fork();
        if (pid == 0)
            child();
        CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
    }
    __atomic_store_n(&enough, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++)
        join(t[i]);
    puts("ok");
    return 0;
}
