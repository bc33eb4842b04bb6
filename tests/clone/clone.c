/* clone.c HOW: a process made by clone() or a raw system call while a thread waits, in which threads
 * and locks work as in a child of fork(). With -DRACY the child's threads race. */
#define _GNU_SOURCE
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 1 << 18 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int count, over;

static void *add(void *arg)
{
#ifdef RACY
    count++;
#endif
    pthread_mutex_lock(&m);
    count++;
    pthread_mutex_unlock(&m);
    return arg;
}

static int child(void *arg)
{
    pthread_t a, b;
    int errors = 0;
    pthread_mutex_unlock(&m); /* taken before the process was made */
    errors |= pthread_mutex_lock(&again) | pthread_mutex_lock(&again);
    errors |= pthread_mutex_unlock(&again) | pthread_mutex_unlock(&again);
    errors |= pthread_mutex_lock(&checked) | pthread_mutex_unlock(&checked);
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return errors ? 99 : *(int *)arg;
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    while (!over)
        pthread_cond_wait(&changed, &m);
    pthread_mutex_unlock(&m);
    return arg;
}

static pid_t make(const char *how, void *stack, int *status)
{
    struct clone_args args = {.exit_signal = SIGCHLD};
    long pid;
    if (strcmp(how, "clone") == 0)
        return clone(child, (char *)stack + STACK, SIGCHLD, status);
    if (strcmp(how, "SYS_clone") == 0)
        pid = syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
    else if (strcmp(how, "SYS_clone3") == 0)
        pid = syscall(SYS_clone3, &args, sizeof args);
    else
        pid = syscall(SYS_fork);
    if (pid == 0)
        exit(child(status));
    return (pid_t)pid;
}

int main(int argc, char **argv)
{
    void *stack = malloc(STACK);
    int status = 5, ended = -1;
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    pid_t pid = make(argv[argc > 1], stack, &status);
    pthread_mutex_unlock(&m);
    waitpid(pid, &ended, 0);
    pthread_mutex_lock(&m);
    over = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    pthread_join(thread, NULL);
    free(stack);
    printf("child %x\n", (unsigned)ended);
    return ended != 0x500;
}
