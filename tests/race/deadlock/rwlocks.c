// Readers and writers of two rwlocks in opposite order.
// EXPECT: deadlock WAIT1 WAIT2
// PEER: tsan cannot: it hangs with the program
#include "invisible.h"

pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *arg)
{
    pthread_rwlock_rdlock(&a);
    hidden_meet(0, 2);
    PICK(pthread_rwlock_wrlock, pthread_rwlock_rdlock)(&b); // WAIT1
    pthread_rwlock_unlock(&b);
    pthread_rwlock_unlock(&a);
    return arg;
}

static void *second(void *arg)
{
    pthread_rwlock_rdlock(&b);
    hidden_meet(0, 2);
    PICK(pthread_rwlock_wrlock, pthread_rwlock_rdlock)(&a); // WAIT2
    pthread_rwlock_unlock(&a);
    pthread_rwlock_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, first, NULL);
    pthread_create(&t, NULL, second, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
