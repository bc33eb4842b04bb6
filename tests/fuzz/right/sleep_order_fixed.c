/* sleep_order_fixed.c: it sleeps, and then it waits. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static int made;
static sem_t is_made;

static void *one(void *arg)
{
    made = 1;
    sem_post(&is_made);
    return arg;
}

static void *other(void *arg)
{
    usleep(1000);
    sem_wait(&is_made);
    assert(made);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&is_made, 0, 0);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
