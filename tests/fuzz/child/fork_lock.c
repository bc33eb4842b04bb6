/*
 * fork_lock.c: the child of a fork takes a lock that another thread of its parent may have held, and
 * which nobody gives back there. With -DFIXED the parent holds it over the fork.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *counter(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static pid_t fork_it(void)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
    pid_t pid = fork();
    pthread_mutex_unlock(&lock);
    return pid;
#else
    return fork();
#endif
}

int main(void)
{
    pthread_t t;
    int status = 0;
    pthread_create(&t, NULL, counter, NULL);
    pid_t pid = fork_it();
    if (pid == 0) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    pthread_join(t, NULL);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
