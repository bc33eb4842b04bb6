// A child of clone() starts threads that race; the parent's worker is none of the child's.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global state
// EXPECT-STDOUT: child 3, spawned 0
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "invisible.h"

enum { STACK = 1 << 18 };

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int state, over;

static void first(void)
{
    state = 1; // RACE1
}

static void second(void)
{
    BUG(state = 2;) // RACE2
}

static int child(void *status)
{
    pthread_mutex_unlock(&m); // taken before clone()
    run_in_order(first, second);
    return *(int *)status;
}

static int command(void *path)
{
    char *argv[] = {path, NULL};
    execv(path, argv);
    _exit(1);
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    while (!over)
        pthread_cond_wait(&changed, &m);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    char *stack = malloc(STACK);
    int status = 3, ended, spawned;
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    pid_t pid = clone(child, stack + STACK, SIGCHLD, &status);
    pthread_mutex_unlock(&m);
    waitpid(pid, &ended, 0);
    pid = clone(command, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, (void *)"/bin/true");
    waitpid(pid, &spawned, 0);
    pthread_mutex_lock(&m);
    over = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    pthread_join(thread, NULL);
    free(stack);
    printf("child %d, spawned %d\n", WEXITSTATUS(ended), spawned);
    return 0;
}
