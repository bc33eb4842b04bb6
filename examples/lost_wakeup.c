/*
 * lost_wakeup.c: main waits for a signal that may have been sent before it waits. Kind: deadlock.
 * Find it with `snag hunt`: when the worker is quick, main sleeps for ever. lost_wakeup_fixed.c is
 * its twin.
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&finished);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&finished, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
