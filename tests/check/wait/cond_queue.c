// A queue with a condition variable; the buggy one takes without the lock.
// EXPECT: data-race PUT/write TAKE
#include "../twin.h"

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int full, item, taken;

static void *producer(void *arg)
{
    LOCK();
    item = 7; // PUT
    full = 1;
    pthread_cond_signal(&cond);
    UNLOCK();
    return arg;
}

static void *consumer(void *arg)
{
    BUG(taken = item); // TAKE
    LOCK();
    while (!full)
        pthread_cond_wait(&cond, &lock);
    taken = item;
    UNLOCK();
    return arg;
}

int main(void)
{
    run_two(producer, consumer);
    return taken;
}
