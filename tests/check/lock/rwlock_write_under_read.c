// A read lock does not keep other readers out.
// EXPECT: data-race WORK/write WORK
#include "../twin.h"

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int n;

static void *work(void *arg)
{
    PICK(pthread_rwlock_rdlock, pthread_rwlock_wrlock)(&rw);
    n++; // WORK
    pthread_rwlock_unlock(&rw);
    return arg;
}

int main(void)
{
    run_two(work, work);
    return n;
}
