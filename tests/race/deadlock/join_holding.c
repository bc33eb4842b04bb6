// A thread joins another while it holds the lock that the other one waits for.
// EXPECT: deadlock LOCK/lock JOIN
// PEER: tsan cannot: hangs
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    pthread_mutex_lock(&mutex); // LOCK
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_lock(&mutex);
    pthread_create(&t, NULL, worker, NULL);
    FIX(pthread_mutex_unlock(&mutex));
    pthread_join(t, NULL); // JOIN
    BUG(pthread_mutex_unlock(&mutex);)
    return 0;
}
