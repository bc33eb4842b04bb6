// A write lock is given back by another thread.
// EXPECT: misuse BAD
// EXPECT-OBJECT: global lock
#include "invisible.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void first(void)
{
    pthread_rwlock_wrlock(&lock);
    FIX(pthread_rwlock_unlock(&lock));
}

static void second(void)
{
    BUG(pthread_rwlock_unlock(&lock);) // BAD
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
