// Memory that held a mutex holds an rwlock now; nobody has to destroy a mutex that is not used any more.
// EXPECT: data-race RACE1/read RACE2/write
// EXPECT-OBJECT: global shared
#include "invisible.h"

int shared = 1, seen;
union {
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock;
} lock = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void reader(void)
{
    pthread_rwlock_rdlock(&lock.rwlock);
    int copy = shared; // RACE1
    pthread_rwlock_unlock(&lock.rwlock);
    __atomic_store_n(&seen, copy, __ATOMIC_RELAXED);
}

static void writer(void)
{
    PICK(pthread_rwlock_rdlock, pthread_rwlock_wrlock)(&lock.rwlock);
    shared = 2; // RACE2
    pthread_rwlock_unlock(&lock.rwlock);
}

int main(void)
{
    pthread_mutex_lock(&lock.mutex);
    pthread_mutex_unlock(&lock.mutex);
    lock.rwlock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    run_three_in_order(reader, reader, writer);
    return seen - 1;
}
