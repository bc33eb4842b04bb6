// The signal comes before the wait and is lost, since nobody checks a condition; then everybody waits.
// EXPECT: deadlock WAIT JOIN
// EXPECT-TEXT: no thread can go on
// PEER: tsan cannot: hangs
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int signalled;

static void *waiter(void *arg)
{
    hidden_wait(0);
    pthread_mutex_lock(&mutex);
    FIX(while (!signalled)) pthread_cond_wait(&cond, &mutex); // WAIT
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_mutex_lock(&mutex);
    signalled = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    hidden_post(0);
    pthread_join(t, NULL); // JOIN
    return 0;
}
