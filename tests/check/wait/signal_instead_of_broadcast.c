// Two waiters, one signal: somebody waits for ever.
// EXPECT: deadlock WAIT JOIN
#include "../twin.h"

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *arg)
{
    LOCK();
    while (!ready)
        pthread_cond_wait(&cond, &lock); // WAIT
    UNLOCK();
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, waiter, NULL);
    LOCK();
    ready = 1;
    PICK(pthread_cond_signal, pthread_cond_broadcast)(&cond);
    UNLOCK();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL); // JOIN
    return 0;
}
