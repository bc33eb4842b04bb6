// Readers and a writer; one reader forgets the lock.
// EXPECT: data-race READ/read WRITE/write
#include "../twin.h"

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int n, seen;

static void *reader(void *arg)
{
    FIX(pthread_rwlock_rdlock(&rw));
    seen = n; // READ
    FIX(pthread_rwlock_unlock(&rw));
    return arg;
}

static void *writer(void *arg)
{
    pthread_rwlock_wrlock(&rw);
    n = 1; // WRITE
    pthread_rwlock_unlock(&rw);
    return arg;
}

int main(void)
{
    run_two(reader, writer);
    return seen;
}
