// A timed lock may fail.
// EXPECT: data-race WORK/write WORK
#include "../twin.h"

#include <time.h>

static int n;

static void *work(void *arg)
{
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    int late = pthread_mutex_timedlock(&lock, &soon);
    if (PICK(1, !late))
        n++; // WORK
    if (!late)
        UNLOCK();
    return arg;
}

int main(void)
{
    run_two(work, work);
    return n;
}
