// trylock may fail; the access must depend on it.
// EXPECT: data-race WORK/write WORK
#include "../twin.h"

static int n;

static void *work(void *arg)
{
    int busy = pthread_mutex_trylock(&lock);
    if (PICK(1, !busy))
        n++; // WORK
    if (!busy)
        UNLOCK();
    return arg;
}

int main(void)
{
    run_two(work, work);
    return n;
}
