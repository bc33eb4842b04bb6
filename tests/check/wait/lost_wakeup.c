// The flag is tested without the lock: the signal can come before the wait.
// EXPECT: deadlock WAIT JOIN
#include "../twin.h"

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static _Atomic int ready;

static void *waiter(void *arg)
{
    LOCK();
    PICK(if, while) (!ready)
        pthread_cond_wait(&cond, &lock); // WAIT
    UNLOCK();
    return arg;
}

static void *setter(void *arg)
{
    FIX(LOCK());
    ready = 1;
    pthread_cond_signal(&cond);
    FIX(UNLOCK());
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, waiter, NULL);
    pthread_create(&t[1], NULL, setter, NULL);
    pthread_join(t[0], NULL); // JOIN
    pthread_join(t[1], NULL);
    return 0;
}
