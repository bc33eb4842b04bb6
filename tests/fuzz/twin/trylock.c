/*
 * trylock.c: a lock that is held for a moment only, with nothing done meanwhile, and a thread that takes it for
 * granted that it gets it at once. With -DFIXED it waits.
 */
// EXPECT: abort in main
// EXPECT: effect assertion failed: r == 0
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *holder(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, holder, NULL);
#ifdef FIXED
    int r = pthread_mutex_lock(&m);
#else
    int r = pthread_mutex_trylock(&m);
#endif
    assert(r == 0);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
