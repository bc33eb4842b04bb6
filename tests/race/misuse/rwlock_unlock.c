// An rwlock is unlocked by a thread that does not hold it.
// EXPECT: misuse HERE
// EXPECT-OBJECT: global lock
// EXPECT-TEXT: holds for writing
// EXPECT: misuse THERE
// EXPECT-TEXT: not locked
#include "invisible.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER, other = PTHREAD_RWLOCK_INITIALIZER;

static void *writer(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    FIX(pthread_rwlock_unlock(&lock));
    hidden_post(0);
    hidden_wait(1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    hidden_wait(0);
    FIX(pthread_rwlock_rdlock(&lock));
    pthread_rwlock_unlock(&lock); // HERE
    FIX(pthread_rwlock_rdlock(&other));
    FIX(pthread_rwlock_rdlock(&other));
    FIX(pthread_rwlock_unlock(&other));
    pthread_rwlock_unlock(&other); // THERE
    hidden_post(1);
    pthread_join(t, NULL);
    return 0;
}
