// A lock is given back by a thread that does not hold it.
// EXPECT: misuse OTHER
// EXPECT-TEXT: does not hold
#include "../twin.h"

static void *work(void *arg)
{
    BUG(UNLOCK()); // OTHER
    return arg;
}

int main(void)
{
    pthread_t t;
    LOCK();
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    FIX(UNLOCK());
    return 0;
}
