// Two threads are deadlocked while others still run and main waits for something else.
// EXPECT: deadlock WAIT1 WAIT2
// PEER: tsan cannot: it hangs with the program
#include <semaphore.h>
#include "invisible.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;
static int stop;

static void *busy(void *arg)
{
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
        ;
    return arg;
}

static void *first(void *arg)
{
    pthread_mutex_lock(&a);
    BUG(hidden_meet(0, 2));
    pthread_mutex_lock(&b); // WAIT1
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    sem_post(&done);
    return arg;
}

static void *second(void *arg)
{
    BUG(pthread_mutex_lock(&b); hidden_meet(0, 2));
    pthread_mutex_lock(&a); // WAIT2
    pthread_mutex_unlock(&a);
    BUG(pthread_mutex_unlock(&b));
    sem_post(&done);
    return arg;
}

int main(void)
{
    void *(*body[])(void *) = {busy, first, second};
    pthread_t t[3];
    sem_init(&done, 0, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, body[i], NULL);
    sem_wait(&done);
    sem_wait(&done);
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
