// Two read locks keep nobody out; a read lock and a write lock do.
// OPTIONS: --detector hybrid
// EXPECT-EXIT: 0
// PEER: tsan may-miss: it counts the order of locks and of atomics
// EXPECT: data-race READER/read WRITER/write
// EXPECT-LOCKS: WRITER lock
// EXPECT-LOCKS: READER lock
#include "invisible.h"

int shared;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void reader(void)
{
    pthread_rwlock_rdlock(&lock);
    (void)*(volatile int *)&shared; // READER
    pthread_rwlock_unlock(&lock);
}

static void writer(void)
{
    PICK(pthread_rwlock_rdlock, pthread_rwlock_wrlock)(&lock);
    shared = 1; // WRITER
    pthread_rwlock_unlock(&lock);
}

int main(void)
{
    run_in_order(reader, writer);
    return 0;
}
