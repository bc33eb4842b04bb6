// The lock is given up before the last access.
// EXPECT: data-race LAST/write INSIDE
#include "../twin.h"

static int n;

static void *work(void *arg)
{
    LOCK();
    n++; // INSIDE
    BUG(UNLOCK());
    n++; // LAST
    FIX(UNLOCK());
    return arg;
}
// ALLOW: data-race LAST LAST

int main(void)
{
    run_two(work, work);
    return n;
}
