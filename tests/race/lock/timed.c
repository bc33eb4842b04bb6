// A lock that timed out is not held; one that did not is a lock like any other.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global shared
#include <time.h>
#include "invisible.h"

int shared;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *holder(void *arg)
{
    pthread_mutex_lock(&mutex);
    hidden_post(0);
    BUG(hidden_wait(1));
    shared = 1; // RACE1
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *hasty(void *arg)
{
    struct timespec until = {0, 0};
    FIX(clock_gettime(CLOCK_REALTIME, &until));
    FIX(until.tv_sec += 1000);
    hidden_wait(0);
    int late = pthread_mutex_timedlock(&mutex, &until);
    shared = 2; // RACE2
    hidden_post(1);
    if (!late)
        pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, holder, NULL);
    pthread_create(&b, NULL, hasty, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
