/* order_fixed.c: the reader waits for the maker. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <semaphore.h>

static int *shared;
static sem_t made;

static void *one(void *arg)
{
    shared = calloc(1, sizeof *shared);
    sem_post(&made);
    return arg;
}

static void *other(void *arg)
{
    sem_wait(&made);
    *shared = 7;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(shared);
    return 0;
}
