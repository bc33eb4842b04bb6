// Sixty threads; one of them forgets the lock.
// EXPECT: data-race BARE SAFE
#include "../twin.h"

static int n;

static void *safe(void *arg)
{
    LOCK();
    n++; // SAFE
    UNLOCK();
    return arg;
}

static void *bare(void *arg)
{
    FIX(LOCK());
    n++; // BARE
    FIX(UNLOCK());
    return arg;
}

int main(void)
{
    pthread_t t[60];
    for (int i = 0; i < 60; i++)
        pthread_create(&t[i], NULL, i == 37 ? bare : safe, NULL);
    for (int i = 0; i < 60; i++)
        pthread_join(t[i], NULL);
    return n;
}
