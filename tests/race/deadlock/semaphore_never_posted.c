// The main thread leaves; the one that remains waits for a post that never comes, while it holds what
// another one needs.
// EXPECT: deadlock WAIT LOCK
// EXPECT-TEXT: no thread can go on
// PEER: tsan cannot: hangs
#include <semaphore.h>
#include "invisible.h"

sem_t sem;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&mutex);
    hidden_post(0);
    sem_wait(&sem); // WAIT
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *locker(void *arg)
{
    hidden_wait(0);
    pthread_mutex_lock(&mutex); // LOCK
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&sem, 0, 0);
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, locker, NULL);
    FIX(sem_post(&sem));
    pthread_exit(NULL);
}
