// A lock is given back twice.
// EXPECT: misuse TWICE
// EXPECT-TEXT: nobody holds
#include "../twin.h"

static void *work(void *arg)
{
    LOCK();
    UNLOCK();
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    LOCK();
    UNLOCK();
    BUG(UNLOCK()); // TWICE
    return 0;
}
