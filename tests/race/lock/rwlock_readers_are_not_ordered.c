// Two readers of one lock are not ordered with each other.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include "invisible.h"

int data, seen;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void first(void)
{
    data = 1; // RACE1
    PICK(pthread_rwlock_rdlock, pthread_rwlock_wrlock)(&lock);
    pthread_rwlock_unlock(&lock);
}

static void second(void)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    seen = data; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
