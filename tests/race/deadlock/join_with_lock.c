// main joins a thread while it holds the lock that the thread wants.
// EXPECT: deadlock JOIN WAIT
// PEER: tsan cannot: it hangs with the program
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    pthread_mutex_lock(&mutex); // WAIT
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
    BUG(pthread_mutex_unlock(&mutex));
    return 0;
}
