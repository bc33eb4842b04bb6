// A thread locks twice what it holds.
// EXPECT: deadlock AGAIN
#include "../twin.h"

static void inner(void)
{
    BUG(LOCK()); // AGAIN
    BUG(UNLOCK());
}

static void *work(void *arg)
{
    LOCK();
    inner();
    UNLOCK();
    return arg;
}

int main(void)
{
    run_two(work, work);
    return 0;
}
