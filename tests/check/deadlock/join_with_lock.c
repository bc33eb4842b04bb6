// main waits for a thread that waits for main's lock.
// EXPECT: deadlock JOIN WORK
#include "../twin.h"

static void *work(void *arg)
{
    LOCK(); // WORK
    UNLOCK();
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    LOCK();
    FIX(UNLOCK());
    pthread_join(t, NULL); // JOIN
    BUG(UNLOCK());
    return 0;
}
