// Read locks in opposite order do not wait for each other; a writer among them does.
// EXPECT: lock-order TAKE1 TAKE2
// PEER: tsan false-alarm: readers are not told from writers there
#include "invisible.h"

pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;

static void first(void)
{
    pthread_rwlock_rdlock(&a);
    PICK(pthread_rwlock_wrlock, pthread_rwlock_rdlock)(&b); // TAKE1
    pthread_rwlock_unlock(&b);
    pthread_rwlock_unlock(&a);
}

static void second(void)
{
    pthread_rwlock_rdlock(&b);
    PICK(pthread_rwlock_wrlock, pthread_rwlock_rdlock)(&a); // TAKE2
    pthread_rwlock_unlock(&a);
    pthread_rwlock_unlock(&b);
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
