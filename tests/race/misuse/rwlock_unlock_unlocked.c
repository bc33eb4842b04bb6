// An rwlock is unlocked once more than it was locked.
// EXPECT: misuse BAD
// EXPECT-OBJECT: global lock
// PEER: tsan misses: not checked there
#include "invisible.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    BUG(pthread_rwlock_unlock(&lock);) // BAD
    return 0;
}
