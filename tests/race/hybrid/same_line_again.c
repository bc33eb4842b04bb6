// The second time around the first thread does what it did before, in the same context: TREE drops it.
// In front of a detector that counts the order of locks the race would be lost with it, here it is not.
// OPTIONS: --detector hybrid
// EXPECT-EXIT: 0
// PEER: tsan may-miss: it counts the order of locks and of atomics
// EXPECT: data-race LOCKED/write BARE/write
// EXPECT-LOCKS: LOCKED mutex
// EXPECT-LOCKS: BARE -
#include "invisible.h"

int shared;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void locked_write(void)
{
    pthread_mutex_lock(&mutex);
    shared = 1; // LOCKED
    pthread_mutex_unlock(&mutex);
}

static void *writer(void *arg)
{
    locked_write();
    hidden_post(0);
    hidden_wait(1);
    locked_write();
    hidden_post(2);
    return arg;
}

static void *reader(void *arg)
{
    hidden_wait(0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    hidden_post(1);
    hidden_wait(2);
    FIX(pthread_mutex_lock(&mutex);)
    shared = 2; // BARE
    FIX(pthread_mutex_unlock(&mutex);)
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
