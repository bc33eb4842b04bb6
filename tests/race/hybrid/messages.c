// Every kind of message orders what locks do not.
// OPTIONS: --detector hybrid
// EXPECT-EXIT: 0
// PEER: tsan may-miss: it counts the order of locks and of atomics
// EXPECT: data-race BEFORE/write AFTER/write
#include "invisible.h"
#include <semaphore.h>

int by_sem, by_cond, by_barrier, by_once, by_nothing, ready;
sem_t sem;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
pthread_barrier_t barrier;
pthread_once_t once = PTHREAD_ONCE_INIT;

static void set_once(void)
{
    by_once = 1;
}

static void *sender(void *arg)
{
    BUG(by_nothing = 1;) // BEFORE
    pthread_once(&once, set_once);
    by_sem = 1;
    sem_post(&sem);
    hidden_wait(0); /* the other one waits already */
    pthread_mutex_lock(&mutex);
    by_cond = 1;
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    by_barrier = 1;
    pthread_barrier_wait(&barrier);
    return arg;
}

static void *receiver(void *arg)
{
    BUG(hidden_wait(1);)
    BUG(by_nothing = 2;) // AFTER
    sem_wait(&sem);
    by_sem = 2;
    pthread_once(&once, set_once);
    by_once += 1;
    pthread_mutex_lock(&mutex);
    hidden_post(0);
    while (!ready)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    by_cond = 2;
    pthread_barrier_wait(&barrier);
    by_barrier = 2;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&sem, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&a, NULL, sender, NULL);
    hidden_post(1);
    pthread_create(&b, NULL, receiver, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return by_sem + by_cond + by_barrier + by_once - 8;
}
