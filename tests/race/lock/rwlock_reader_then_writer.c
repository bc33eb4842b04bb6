// A writer waits for readers: what they read may be written then, but only under the write lock.
// EXPECT: data-race RACE1/read RACE2/write
// EXPECT-OBJECT: global shared
#include "invisible.h"

int shared = 1, seen;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void reader(void)
{
    pthread_rwlock_rdlock(&lock);
    int copy = shared; // RACE1
    pthread_rwlock_unlock(&lock);
    __atomic_store_n(&seen, copy, __ATOMIC_RELAXED);
}

static void writer(void)
{
    PICK(pthread_rwlock_rdlock, pthread_rwlock_wrlock)(&lock);
    shared = 2; // RACE2
    pthread_rwlock_unlock(&lock);
}

int main(void)
{
    run_three_in_order(reader, reader, writer);
    return seen - 1;
}
