// A timed wait ends without the signal: the caller must look at the flag.
// EXPECT: data-race DATA/write USE
#include "../twin.h"

#include <time.h>

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready, data, seen;

static void *waiter(void *arg)
{
    struct timespec end = {1, 0};
    LOCK();
    int late = 0;
    while (!ready && !late)
        late = pthread_cond_timedwait(&cond, &lock, &end) != 0;
    int come = ready;
    UNLOCK();
    if (PICK(1, come))
        seen = data; // USE
    return arg;
}

static void *setter(void *arg)
{
    data = 5; // DATA
    LOCK();
    ready = 1;
    pthread_cond_signal(&cond);
    UNLOCK();
    return arg;
}

int main(void)
{
    run_two(waiter, setter);
    return seen;
}
