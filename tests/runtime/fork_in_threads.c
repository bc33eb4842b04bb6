// fork() while other threads take locks, allocate and print into memory: parent and child go on,
// the child can use what atfork handlers guarded, and can start threads of its own.
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

static pthread_mutex_t guarded = PTHREAD_MUTEX_INITIALIZER;
static int shared, stop;

static void lock_it(void)
{
    pthread_mutex_lock(&guarded);
}

static void unlock_it(void)
{
    pthread_mutex_unlock(&guarded);
}

static void *work(void *arg)
{
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        void *p = malloc(100);
        memset(p, 1, 100);
        pthread_mutex_lock(&guarded);
        shared++;
        pthread_mutex_unlock(&guarded);
        free(p);
    }
    return arg;
}

static void *in_child(void *arg)
{
    pthread_mutex_lock(&guarded);
    shared++;
    pthread_mutex_unlock(&guarded);
    free(malloc(10));
    return arg;
}

static int child(void)
{
    for (int i = 0; i < 3; i++)
        CHECK(join(start(in_child, &shared)) == &shared);
    pid_t grandchild = fork();
    if (grandchild == 0)
        _exit(pthread_mutex_lock(&guarded));
    int status;
    CHECK(waitpid(grandchild, &status, 0) == grandchild && status == 0);
    return 7;
}

int main(void)
{
    pthread_t t[3];
    pthread_atfork(lock_it, unlock_it, unlock_it);
    for (int i = 0; i < 3; i++)
        t[i] = start(work, NULL);
    for (int i = 0; i < 20; i++) {
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0)
            _exit(child());
        int status;
        CHECK(waitpid(pid, &status, 0) == pid);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 3; i++)
        join(t[i]);
    puts("ok");
}
