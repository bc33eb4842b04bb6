// What looks like a second initialisation and is none: a block that was freed in between, a variable of
// a function that is called again, a scope that is entered again, a static initialiser before the call,
// a pool of the program's own, and a fork's child that begins anew.
// EXPECT: misuse TWICE
#include "invisible.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void in_a_block(void)
{
    pthread_mutex_t *m = malloc(sizeof *m);
    pthread_mutex_init(m, NULL);
    pthread_mutex_lock(m);
    pthread_mutex_unlock(m);
    free(m);
}

__attribute__((noinline)) static void in_a_variable(void)
{
    pthread_mutex_t m;
    pthread_mutex_init(&m, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}

static void *in_a_thread(void *arg)
{
    pthread_mutex_t m;
    pthread_mutex_init(&m, NULL);
    return arg;
}

static void in_a_pool(char *pool)
{
    pthread_mutex_init((pthread_mutex_t *)(pool + 64), NULL);
}

int main(void)
{
    char *pool = malloc(1 << 16);
    pthread_mutex_init(&mutex, NULL);
    BUG(pthread_mutex_init(&mutex, NULL);) // TWICE
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_mutex_t m;
        pthread_mutex_init(&m, NULL);
        in_a_block();
        in_a_variable();
        in_a_pool(pool);
        pthread_create(&thread, NULL, in_a_thread, NULL);
        pthread_join(thread, NULL);
    }
    free(pool);
    pid_t child = fork();
    if (child == 0) {
        pthread_mutex_init(&mutex, NULL);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return 0;
}
