/*
 * handover.c: a mutex as a signal: one thread locks it, another unlocks it. Kind: misuse. Find it
 * with `snag race`; a semaphore is made for this, as in handover_fixed.c.
 */
#include <pthread.h>

static pthread_mutex_t ready = PTHREAD_MUTEX_INITIALIZER;

static void *produce(void *arg)
{
    pthread_mutex_unlock(&ready); /* "it is there now" */
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_lock(&ready);
    pthread_create(&t, NULL, produce, NULL);
    pthread_mutex_lock(&ready);
    pthread_join(t, NULL);
    return 0;
}
