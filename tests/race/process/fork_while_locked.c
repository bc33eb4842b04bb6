// fork with a lock held: the child's thread still owns it and unlocks it; both go on.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global state
#include <sys/wait.h>
#include <unistd.h>
#include "invisible.h"

int state;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    pthread_mutex_lock(&mutex);
    state = 1; // RACE1
    pthread_mutex_unlock(&mutex);
}

static void second(void)
{
    FIX(pthread_mutex_lock(&mutex));
    state = 2; // RACE2
    FIX(pthread_mutex_unlock(&mutex));
}

int main(void)
{
    int status = 1;
    pthread_mutex_lock(&mutex);
    pid_t child = fork();
    pthread_mutex_unlock(&mutex);
    if (!child) {
        run_in_order(first, second);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return status;
}
