/* handover_fixed.c: handover.c without its bug: a semaphore may be posted by anybody. */
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void *produce(void *arg)
{
    sem_post(&ready);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, produce, NULL);
    sem_wait(&ready);
    pthread_join(t, NULL);
    sem_destroy(&ready);
    return 0;
}
