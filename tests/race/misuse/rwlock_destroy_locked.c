// An rwlock is destroyed while somebody reads under it.
// EXPECT: misuse BAD
// EXPECT-OBJECT: global lock
// PEER: tsan misses: a lock held for reading is not seen there
#include "invisible.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void)
{
    pthread_rwlock_rdlock(&lock);
    FIX(pthread_rwlock_unlock(&lock));
    pthread_rwlock_destroy(&lock); // BAD
    return 0;
}
