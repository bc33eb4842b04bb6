// Two readers that both want to write.
// EXPECT: deadlock UPGRADE UPGRADE
// ALLOW: deadlock UPGRADE
#include "../twin.h"

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int n;

static void *work(void *arg)
{
    pthread_rwlock_rdlock(&rw);
    int old = n;
    FIX(pthread_rwlock_unlock(&rw));
    pthread_rwlock_wrlock(&rw); // UPGRADE
    n = old + 1;
    pthread_rwlock_unlock(&rw);
    BUG(pthread_rwlock_unlock(&rw));
    return arg;
}

int main(void)
{
    run_two(work, work);
    return n;
}
