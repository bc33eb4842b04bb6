// A recursive mutex is held until it is given back as often as it was taken.
// EXPECT: data-race WORK/write WORK
#include "../twin.h"

static pthread_mutex_t mutex;
static int n;

static void *work(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    BUG(pthread_mutex_unlock(&mutex));
    n++; // WORK
    FIX(pthread_mutex_unlock(&mutex));
    return arg;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attr);
    run_two(work, work);
    pthread_mutex_destroy(&mutex);
    return n;
}
