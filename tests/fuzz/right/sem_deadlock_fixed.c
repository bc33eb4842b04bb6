/* sem_deadlock_fixed.c: two semaphores used as locks, in one order. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <semaphore.h>

static sem_t s, t;

static void *one(void *arg)
{
    sem_wait(&s);
    sem_wait(&t);
    sem_post(&t);
    sem_post(&s);
    return arg;
}

static void *other(void *arg)
{
    sem_wait(&s);
    sem_wait(&t);
    sem_post(&t);
    sem_post(&s);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&s, 0, 1);
    sem_init(&t, 0, 1);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
