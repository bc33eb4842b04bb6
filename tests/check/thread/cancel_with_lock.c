// A thread is cancelled while it waits with a mutex that nobody gives back.
// EXPECT: deadlock MAIN
// EXPECT: misuse LOCK
// EXPECT-TEXT: ends while it holds a lock
#include "../twin.h"

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void give(void *arg)
{
    (void)arg;
    FIX(UNLOCK());
}

static void *work(void *arg)
{
    LOCK(); // LOCK
    pthread_cleanup_push(give, NULL);
    for (;;)
        pthread_cond_wait(&cond, &lock);
    pthread_cleanup_pop(1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_cancel(t);
    pthread_join(t, NULL);
    LOCK(); // MAIN
    UNLOCK();
    return 0;
}
