/* lost_wakeup_fixed.c: waits while it has not happened. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void *one(void *arg)
{
    pthread_mutex_lock(&l);
    while (!ready)
        pthread_cond_wait(&c, &l);
    pthread_mutex_unlock(&l);
    return arg;
}

static void *other(void *arg)
{
    pthread_mutex_lock(&l);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&l);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(ready);
    return 0;
}
