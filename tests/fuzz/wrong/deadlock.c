/* deadlock.c: two locks, two orders. */
// EXPECT: confirmed deadlock harmful
// EXPECT: effect deadlock
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void both(pthread_mutex_t *a, pthread_mutex_t *b)
{
    pthread_mutex_lock(a);
    pthread_mutex_lock(b);
    n++;
    pthread_mutex_unlock(b);
    pthread_mutex_unlock(a);
}

static void *one(void *arg)
{
    both(&first, &second);
    return arg;
}

static void *other(void *arg)
{
    both(&second, &first);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
