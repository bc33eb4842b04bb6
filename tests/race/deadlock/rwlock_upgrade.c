// A reader asks for the write lock while it still reads.
// EXPECT: deadlock WAIT
// PEER: tsan cannot: it hangs with the program
#include "invisible.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *upgrade(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    FIX(pthread_rwlock_unlock(&lock));
    pthread_rwlock_wrlock(&lock); // WAIT
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, upgrade, NULL);
    pthread_join(t, NULL);
    return 0;
}
