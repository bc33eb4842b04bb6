// An error-checking mutex refuses a second lock by its owner instead of blocking.
// EXPECT: data-race WORK/write WORK
#include "../twin.h"

#include <errno.h>

static pthread_mutex_t mutex;
static int n;

static void *work(void *arg)
{
    pthread_mutex_lock(&mutex);
    if (pthread_mutex_lock(&mutex) != EDEADLK)
        abort();
    BUG(pthread_mutex_unlock(&mutex));
    n++; // WORK
    FIX(pthread_mutex_unlock(&mutex));
    return arg;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attr);
    run_two(work, work);
    return n;
}
