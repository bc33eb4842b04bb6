// A thread ends while it holds a lock: nobody can ever take it again.
// EXPECT: misuse BAD
// EXPECT-OBJECT: global mutex
// PEER: tsan misses: not checked there
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    pthread_mutex_lock(&mutex); // BAD
    FIX(pthread_mutex_unlock(&mutex));
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
